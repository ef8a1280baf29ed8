"""Scenario documents: durations, changes laid over a fleet, and complaints with file, line, path and reason."""

from pathlib import Path

import pytest

from loadtest.fleet.plan import TenantPlan
from loadtest.scenarios.document import ScenarioError, converted, duration_s, laid_over, plain, read, without


def written(folder: Path, text: str, name: str = "one.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("5m", 300.0),
        ("1h 30m", 5400.0),
        ("2d 14h 30m", 225_000.0),
        ("1.5h", 5400.0),
        ("0d 12h", 43_200.0),
    ],
)
def test_durations_are_written_with_days_hours_minutes_seconds(text: str, seconds: float) -> None:
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "5 parsecs", "h", "-5m", "5m x"])
def test_other_text_is_no_duration(text: str) -> None:
    assert duration_s(text) is None


def test_keys_in_s_become_seconds_and_rates_stay_numbers(tmp_path: Path) -> None:
    value, places = plain(read(written(tmp_path, "at_s: 1d 2h\nfor_s: 12\nper_s: 0.5\nnote: 5m\n")))
    assert value == {"at_s": 93_600.0, "for_s": 12, "per_s": 0.5, "note": "5m"}
    assert places["per_s",].line == 3


def test_a_change_replaces_keys_and_changes_named_entries(tmp_path: Path) -> None:
    base = read(written(tmp_path, "a: {b: 1, c: 2}\nitems: [{name: x, v: 1}, {name: y, v: 2}]\nlist: [1, 2]\n"))
    change = read(written(tmp_path, "a: {c: 3}\nitems: [{name: y, v: 5}]\nlist: [9]\n", "two.yaml"))
    value, places = plain(laid_over(base, change))
    assert value == {"a": {"b": 1, "c": 3}, "items": [{"name": "x", "v": 1}, {"name": "y", "v": 5}], "list": [9]}
    assert places["a", "b"].file.endswith("one.yaml")
    assert places["a", "c"].file.endswith("two.yaml")


def test_a_change_of_something_that_is_not_there_is_refused_with_what_there_is(tmp_path: Path) -> None:
    base = read(written(tmp_path, "items: [{name: x}, {name: y}]\n"))
    change = read(written(tmp_path, "\nitems:\n  - {name: z}\n", "two.yaml"))
    with pytest.raises(ScenarioError, match=r"two.yaml:3: items: there is no 'z' to change; there are: x, y$"):
        laid_over(base, change)


def test_a_key_can_be_taken_out(tmp_path: Path) -> None:
    rest, found = without(read(written(tmp_path, "a: 1\nb: 2\n")), "b")
    assert plain(rest)[0] == {"a": 1}
    assert found is not None
    assert without(rest, "b")[1] is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name: x\nservice_tier: core\nshare: much\n", "3: share: a number is wanted here, this is text"),
        ("name: x\nservice_tier: core\nshare: 1.5\n", "3: share: the number must be <= 1.0"),
        ("name: x\nservice_tier: core\nshare: 1\ncolour: red\n", "4: unknown key 'colour'"),
        ("name: x\nshare: 1\n", "1: 'service_tier' is missing"),
        ("name: x y\nservice_tier: core\nshare: 1\n", "1: name: a name of letters, digits, dots"),
        (
            "name: x\nservice_tier: 2026-01-05\nshare: 1\n",
            "2: service_tier: text is wanted here, this is a date; quote",
        ),
        ("name: x\nname: y\n", "2: 'name' stands here twice"),
        ("name: x\nservice_tier: core\nshare: 1\nrate_limit: [1]\n", "4: rate_limit: `key: value` lines are wanted"),
        ("name: x\nservice_tier: [core\n", "3: .*expected"),
        ("- name\n", "1: `key: value` lines are wanted here"),
        ("", "1: `key: value` lines are wanted here"),
        ("name: x\nservice_tier: core\nshare: 1:30\n", "3: share: write 1:30 as 90 or 1h 30m"),
        ("name: x\nservice_tier: core\nshare: !!bool x\n", "3: share: 'x' is no value of its kind"),
        ("name: !!binary a\n", "1: name: failed to decode base64"),
        ("at_s: soon\n", "1: at_s: 'soon' is no duration such as 90, 5m or 2d 14h 30m"),
    ],
)
def test_each_mistake_is_told_with_file_line_path_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(ScenarioError, match=rf"one\.yaml:{reason}"):
        converted(read(written(tmp_path, text)), TenantPlan)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"none\.yaml: cannot be read: No such file"):
        read(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="is no UTF-8 text"):
        read(tmp_path / "binary.yaml")


def test_a_number_with_an_exponent_needs_no_sign_and_quotes_keep_it_text(tmp_path: Path) -> None:
    value, _ = plain(read(written(tmp_path, "a: 1e6\nb: 2.5E-3\nfor_s: 1e2\nc: '1e6'\nd: '1:30'\n")))
    assert value == {"a": 1e6, "b": 2.5e-3, "for_s": 100.0, "c": "1e6", "d": "1:30"}
