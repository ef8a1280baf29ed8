import json

from loadtest.endpoint.refusals import Refusal, bad_request, refused_by
from loadtest.fleet.request import End


def test_the_shape_is_that_of_vllm() -> None:
    assert bad_request("No.", "n").body == {
        "error": {"message": "No.", "type": "BadRequestError", "param": "n", "code": 400}
    }


def test_an_overloaded_site_has_its_own_status() -> None:
    response = Refusal(529, "Later.", headers={"retry-after": "3"}).response()
    assert (response.status_code, response.headers["retry-after"]) == (529, "3")
    assert json.loads(bytes(response.body))["error"]["type"] == "OverloadedError"


def test_every_end_that_a_client_hears_of_has_a_sentence_of_its_own() -> None:
    heard = [end for end in End if end not in {End.COMPLETED, End.CLIENT_GONE, End.NEVER_CONNECTED}]
    told = [refused_by(end) for end in heard]
    assert [one.status for one in told] == [end.status for end in heard]
    assert len({str(one) for one in told}) == len(heard)


def test_full_queues_and_limits_say_when_to_come_back() -> None:
    coming_back = {end for end in End if "retry-after" in refused_by(end).headers}
    assert coming_back == {End.RATE_LIMITED, End.QUEUE_FULL, End.OVERLOADED, End.NO_REPLICA}
