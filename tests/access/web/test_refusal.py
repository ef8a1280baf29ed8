import pytest

from access.web.refusal import Reason, RefusedError


@pytest.mark.parametrize("reason", list(Reason))
def test_a_refusal_without_credentials_is_401_and_a_known_caller_is_403(reason: Reason) -> None:
    unauthorized = {Reason.NO_CREDENTIALS, Reason.BAD_TOKEN, Reason.SESSION_ENDED}
    others = {Reason.UNREADABLE: 400, Reason.STORE: 503}
    assert RefusedError(reason).status == (401 if reason in unauthorized else others.get(reason, 403))
