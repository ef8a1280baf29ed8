from tests.api.conftest import Ask, Switchboard


def test_a_healthy_server_tells_its_version_and_age(ask: Ask, board: Switchboard) -> None:
    board.pending = 4
    body = ask("/api/v1/health").json()
    assert body == {
        "status": "ok",
        "store": "ok",
        "version": "1.2.3",
        "now": "2025-10-09T09:53:00Z",
        "started": "2025-10-09T08:53:00Z",
        "uptime_s": 3600.0,
        "pending_minutes": 4,
        "failing": [],
    }


def test_a_server_without_its_store_is_alive_but_not_ready(ask: Ask, board: Switchboard) -> None:
    board.healthy = False
    assert ask("/healthz").json() == {"status": "alive"}
    assert ask("/api/v1/health").json()["status"] == "degraded"
    response = ask("/readyz")
    assert response.status_code == 503
    assert response.headers["retry-after"]


def test_a_server_whose_rollup_fails_is_degraded_and_names_it_but_is_ready(ask: Ask, board: Switchboard) -> None:
    board.failing = ["rollup"]
    body = ask("/api/v1/health").json()
    assert (body["status"], body["store"], body["failing"]) == ("degraded", "ok", ["rollup"])
    assert ask("/readyz").json() == {"status": "ready"}


def test_a_ready_server_says_so(ask: Ask) -> None:
    assert ask("/readyz").json() == {"status": "ready"}
