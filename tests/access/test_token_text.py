import pytest

from access.token_text import digest_of, is_same, is_secret, new_secret, new_token, parsed_token, token_text

GOOD = "pkl_" + "aB3" * 4 + "_" + "x-_Z" * 10 + "abc"


def test_a_token_s_text_reads_back() -> None:
    token_id, secret = new_token()
    assert parsed_token(token_text(token_id, secret)) == (token_id, secret)
    assert parsed_token(GOOD) == ("aB3" * 4, "x-_Z" * 10 + "abc")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pkl_",
        GOOD[:-1],
        GOOD + "a",
        GOOD[:-1] + "\n",
        GOOD[:-1] + "=",
        GOOD[:-1] + "é",
        GOOD[:-1] + "\ud800",
        "PKL_" + GOOD[4:],
        GOOD.replace("_", "-", 2),
        "pkl_" + "a_b" * 4 + GOOD[16:],
        " " + GOOD[:-1],
        GOOD * 20_000,
        "\0" * 60,
    ],
)
def test_anything_else_is_no_token(text: str) -> None:
    assert parsed_token(text) is None


def test_secrets_hold_256_bits_and_never_repeat() -> None:
    made = {new_secret() for _ in range(100)}
    assert len(made) == 100
    assert all(is_secret(secret) for secret in made)
    assert len({token_id for token_id, _ in (new_token() for _ in range(100))}) == 100


@pytest.mark.parametrize("cookie", ["", "a" * 42, "a" * 44, "é" * 43, "\ud800" * 43, "a" * 1_000_000])
def test_a_cookie_of_another_shape_is_not_looked_up(cookie: str) -> None:
    assert not is_secret(cookie)


def test_digests_tell_secrets_apart_and_hold_none() -> None:
    one, other = new_secret(), new_secret()
    assert is_same(digest_of(one), digest_of(one))
    assert not is_same(digest_of(one), digest_of(other))
    assert len(digest_of(one)) == 64
    assert one not in digest_of(one)
