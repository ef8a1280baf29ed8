import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from store.telemetry.failures import Use, translated
from vocabulary.errors import RefusedReadError, StoreUnavailableError


def raised(error: Exception, use: Use = Use.INGEST) -> Exception:
    with pytest.raises(Exception) as caught, translated(use):  # noqa: PT011 (the type is what the tests ask about)
        raise error
    return caught.value


def test_a_full_disk_is_unavailable_and_says_so() -> None:
    found = raised(DatabaseError("Code: 243. DB::Exception: no space", code=243))
    assert isinstance(found, StoreUnavailableError)
    assert "no disk space" in str(found)


@pytest.mark.parametrize("code", [158, 159, 160, 241, 307, 396])
def test_a_bound_refuses_a_screen_and_puts_ingestion_off(code: int) -> None:
    assert isinstance(raised(DatabaseError("too much", code=code), Use.SCREEN), RefusedReadError)
    found = raised(DatabaseError("too much", code=code))
    assert isinstance(found, StoreUnavailableError)
    assert not found.permanent


def test_a_server_that_cannot_be_reached_is_told_without_the_words_of_the_driver() -> None:
    found = raised(OperationalError("Error HTTPConnectionPool(host='h', port=1): Max retries exceeded"))
    assert str(found) == "The telemetry store is not available: it does not answer."


def test_a_wrong_statement_stays_what_it_is() -> None:
    fault = DatabaseError("syntax", code=62)
    assert raised(fault) is fault


def test_everything_else_can_be_tried_again_and_is_one_line() -> None:
    for error in (DatabaseError("odd\nmore", code=999), OSError(28, "No space left on device"), PoolTimeoutError("no")):
        found = raised(error)
        assert isinstance(found, StoreUnavailableError)
        assert found.permanent is False
        assert "\n" not in str(found)
