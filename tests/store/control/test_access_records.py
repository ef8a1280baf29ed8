from dataclasses import replace

from store.control.access_records import StoredToken, TokenState
from vocabulary.access import Role

END_NS = 1_000
TOKEN = StoredToken("abc", "ci", Role.VIEWER, None, 1, "test", expires_ns=END_NS)


def test_a_token_lets_in_until_its_end_or_its_revocation() -> None:
    assert TOKEN.state(END_NS - 1) is TokenState.ACTIVE
    assert TOKEN.state(END_NS) is TokenState.EXPIRED
    assert replace(TOKEN, expires_ns=None).state(END_NS) is TokenState.ACTIVE
    assert replace(TOKEN, revoked_ns=2).state(3) is TokenState.REVOKED
    assert replace(TOKEN, revoked_ns=2).state(END_NS) is TokenState.REVOKED
