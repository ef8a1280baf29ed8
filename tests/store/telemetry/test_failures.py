import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from store.telemetry.failures import translated
from vocabulary.errors import RefusedReadError, StoreUnavailableError


def raised(error: Exception) -> Exception:
    with pytest.raises(Exception) as caught, translated():  # noqa: PT011 (the type is what the tests ask about)
        raise error
    return caught.value


def test_a_full_disk_is_unavailable_and_says_so() -> None:
    found = raised(DatabaseError("Code: 243. DB::Exception: no space", code=243))
    assert isinstance(found, StoreUnavailableError)
    assert "no disk space" in str(found)


@pytest.mark.parametrize("code", [158, 159, 241, 396])
def test_a_read_that_meets_a_bound_is_refused(code: int) -> None:
    assert isinstance(raised(DatabaseError("too much", code=code)), RefusedReadError)


def test_a_wrong_statement_stays_what_it_is() -> None:
    fault = DatabaseError("syntax", code=62)
    assert raised(fault) is fault


def test_everything_else_can_be_tried_again_and_is_one_line() -> None:
    for error in (DatabaseError("odd\nmore", code=999), OSError(28, "No space left on device"), PoolTimeoutError("no")):
        found = raised(error)
        assert isinstance(found, StoreUnavailableError)
        assert found.permanent is False
        assert "\n" not in str(found)
