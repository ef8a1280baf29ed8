import pytest

from tests.api.conftest import Ask

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nosuch", "/api/v1/requests/a/b", "/v1", "/v1/nosuch"])
def test_unknown_paths_are_problems_and_never_pages(ask: Ask, path: str) -> None:
    responses = [ask(path + "?any=thing", method) for method in METHODS]
    assert [response.status_code for response in responses] == [404] * len(METHODS)
    assert {response.headers["content-type"] for response in responses} == {"application/problem+json"}


def test_everything_else_is_left_to_the_dashboard(ask: Ask) -> None:
    assert ask("/apix").text == "<html>4"


def test_routes_of_other_parts_keep_their_paths_and_methods(ask: Ask) -> None:
    assert ask("/v1/traces", "POST").text == "taken"
    response = ask("/v1/traces")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")
    assert "POST, not GET" in response.json()["detail"]
