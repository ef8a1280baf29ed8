from loadtest.endpoint.clock import Clock


def test_simulated_time_runs_at_its_speed() -> None:
    looks = iter([100.0, 100.0, 101.5])
    clock = Clock(4.0, lambda: next(looks), lambda: 7_000_000_000)
    assert clock.now_s() == 0.0
    assert clock.now_s() == 6.0
    assert clock.wall_s(6.0) == 1.5
    assert clock.at_ns(6.0) == 8_500_000_000
