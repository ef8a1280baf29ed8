from access.web.oidc_errors import OidcError, Trouble
from access.web.wording import LANGUAGES, wording


def test_without_more_the_provider_failed() -> None:
    assert OidcError("x").trouble is Trouble.FAILED


def test_every_trouble_has_a_text() -> None:
    assert not [
        (code, trouble) for code in LANGUAGES for trouble in Trouble if f"log_in.{trouble}" not in wording(code).texts
    ]
