import pytest

from store.addresses import parsed, shown
from store.errors import MissingStoreError

KINDS = {"sqlite": "sqlite", "postgres": "postgresql+psycopg"}


def test_a_kind_is_opened_with_its_driver() -> None:
    assert parsed("postgres://u@h/db", "store", KINDS, "X").drivername == "postgresql+psycopg"


@pytest.mark.parametrize("url", ["garbage", "postgres://u:hunter2@h:hunter2/db", ""])
def test_what_is_no_url_is_said_without_repeating_it(url: str) -> None:
    with pytest.raises(MissingStoreError) as caught:
        parsed(url, "control store", KINDS, "sqlite:///FILE")
    assert str(caught.value) == "The control store cannot be opened: this is no database URL; write sqlite:///FILE."
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("url", ["foo://x", "mysql://u:hunter2@h/db"])
def test_another_kind_of_database_is_named(url: str) -> None:
    with pytest.raises(MissingStoreError) as caught:
        parsed(url, "control store", KINDS, "sqlite:///FILE")
    assert f"{url.partition(':')[0]}:// is no database it can use; write sqlite:///FILE." in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_users_passwords_and_options_are_not_shown() -> None:
    address = parsed("postgres://me:hunter2@h:5/db?password=hunter2", "store", KINDS, "X")
    assert shown(address) == "postgresql+psycopg://h:5/db"
