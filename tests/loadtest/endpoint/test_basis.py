from loadtest.endpoint.basis import Basis
from loadtest.endpoint.plans import default_plan
from loadtest.fleet.replica import first_identity

PLAN = default_plan()
PLANNED = first_identity(PLAN.models[0], 0, 0, 0)
DRIFTED = PLANNED._replace(place=1)


def test_a_drifted_replica_has_other_weights_and_says_so() -> None:
    basis = Basis(PLAN, frozenset({1}))
    assert (basis.weights(PLANNED), basis.weights(DRIFTED)) == ("", "drifted")
    assert basis.fingerprint(PLANNED) != basis.fingerprint(DRIFTED)


def test_silent_drift_keeps_the_fingerprint() -> None:
    basis = Basis(PLAN, frozenset({1}), drift_is_silent=True)
    assert basis.weights(DRIFTED) == "drifted"
    assert basis.fingerprint(PLANNED) == basis.fingerprint(DRIFTED)


def test_another_revision_is_other_weights() -> None:
    basis = Basis(PLAN)
    newer = PLANNED._replace(revision="next")
    assert basis.weights(newer)
    assert basis.fingerprint(newer) != basis.fingerprint(PLANNED)


def test_the_fingerprint_tells_engine_and_parallelism() -> None:
    assert Basis(PLAN).fingerprint(PLANNED).startswith("vllm-0.33.0-tp1-")
