import pytest

from access.web.next_path import asked_path, safe_next


@pytest.mark.parametrize(
    "path", ["/", "/requests", "/requests/abc?from=-1h&to=now", "/a%20b", "/x?u=https://evil.example"]
)
def test_a_path_of_this_server_is_kept(path: str) -> None:
    assert safe_next(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "requests",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/%5cevil.example",
        "/%2fevil.example",
        "/%252fevil.example",
        "/%25252525252525252fevil.example",
        "/%09/evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/x\r\nset-cookie: a=b",
        "/%0d%0aset-cookie: a=b",
        "https:evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "%2f%2fevil.example",
        " /requests",
        "/a b",
        "/requests\\..\\..",
        "/\u202eevil",
        "/login?next=/login",
        "/%6cogin",
        "/logout",
        "/" + "a" * 2001,
    ],
)
def test_anything_else_leads_home(path: str) -> None:
    assert safe_next(path) == "/"


def test_the_asked_path_comes_back_as_the_browser_sent_it() -> None:
    scope = {"path": "/a b", "raw_path": b"/a%20b", "query_string": b"x=1"}
    assert asked_path(scope) == "/a%20b?x=1"
    assert asked_path({"path": "/plain"}) == "/plain"
    assert asked_path({"path": "//evil.example/x"}) == "/"
