"""What a simulation tells about itself."""

from loadtest.fleet.notes import Note, TelemetryState


def test_telemetry_is_whole_until_something_happens() -> None:
    state = TelemetryState()
    assert (state.engine_loss, state.gateway_loss, state.sample_share) == (0.0, 0.0, 1.0)


def test_a_note_says_when_what_and_to_what() -> None:
    assert Note(1.5, "breaker_open", "gateway/0 model/0/1")._asdict() == {
        "at_s": 1.5,
        "what": "breaker_open",
        "subject": "gateway/0 model/0/1",
    }
