from dataclasses import replace
from pathlib import Path

import pytest

from alerts.rules import Line, LineKind, RuleFileError, Severity, load_rules
from vocabulary.pools import Pool

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "rules.yaml"
SMALLEST = """\
rules:
  - id: near
    summary: near the line
    metric: load
    line: {at: 4, recovery: 3}
"""


def rules_from(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(text)
    return path


def test_the_example_is_usable() -> None:
    (rule,) = load_rules(EXAMPLE)
    assert rule.line == Line(LineKind.FIXED, 4.0, 3.4)
    assert rule.for_ns == 30_000_000_000
    assert rule.watches(Pool("any", "thing"))


def test_what_is_not_said_has_a_default(tmp_path: Path) -> None:
    (rule,) = load_rules(rules_from(tmp_path, SMALLEST))
    assert (rule.pool, rule.over_s, rule.for_ns, rule.severity) == (None, 60, 0, Severity.WARNING)


def test_a_rule_may_name_its_pool(tmp_path: Path) -> None:
    (rule,) = load_rules(rules_from(tmp_path, SMALLEST + "    pool: {service: chat, model: llama}\n"))
    assert rule.watches(Pool("chat", "llama"))
    assert not rule.watches(Pool("chat", "other"))


def test_the_digest_follows_the_meaning_not_the_layout(tmp_path: Path) -> None:
    (one,) = load_rules(rules_from(tmp_path, SMALLEST))
    (same,) = load_rules(rules_from(tmp_path, SMALLEST.replace("at: 4,", "at: 4.0,") + "    over: 1m  # as ever\n"))
    assert one.digest == same.digest
    assert one.digest != replace(one, for_ns=1).digest


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("recovery: 3", "recovery: 4", ":5: 'recovery' (4) must be lower than 'at' (4)"),
        ("recovery: 3", "recovery: -1", ":5: 'recovery' (-1)"),
        ("recovery: 3", "recovery: 3, form: x", ":5: unknown key 'form'; known here: kind, at, recovery"),
        ("metric: load", "metric: mood", ":4: 'metric': 'mood' is none of load"),
        ("metric: load", "metric: load\n    fro: 30s", ":5: unknown key 'fro'"),
        ("metric: load", "metric: load\n    for: 30", ":5: 'for': '30' is no duration"),
        ("metric: load", "metric: load\n    over: 16m", ":5: 'over' is a whole number of seconds from 1s to 15m"),
        ("metric: load", "metric: load\n    over: 1.5s", ":5: 'over'"),
        ("metric: load", "metric: load\n    pool: none", ":5: 'pool' is `all`, or"),
        ("metric: load", "metric: load\n    pool: {service: chat}", ":5: 'model' is missing"),
        (
            "metric: load",
            "metric: load\n    severity: loud",
            ":5: 'severity': 'loud' is none of info, warning, critical",
        ),
        ("id: near", "id: near line", ":2: 'id' 'near line' may hold letters, digits"),
        ("rules:", "rule:", ":1: 'rules' is missing"),
        ("rules:", "more: 1\nrules:", ":1: unknown key 'more'"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    path = rules_from(tmp_path, SMALLEST.replace(before, after, 1))
    with pytest.raises(RuleFileError) as refusal:
        load_rules(path)
    assert str(refusal.value).startswith(f"{path}{complaint}")


def test_two_rules_of_one_name_are_refused(tmp_path: Path) -> None:
    path = rules_from(tmp_path, SMALLEST + SMALLEST.partition("\n")[2])
    with pytest.raises(RuleFileError, match=":6: a rule 'near' stands above already"):
        load_rules(path)
