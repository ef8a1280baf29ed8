"""Which rule guards a request: the most specific one that takes its method and its path."""

from collections.abc import Iterable
from re import Pattern

from starlette.routing import PARAM_REGEX, compile_path

from vocabulary.access import Rule

WEBSOCKET = "WEBSOCKET"
_FIRST_PRINTABLE, _DELETE = " ", "\x7f"


class RuleBook:
    """Rules by method and path, compiled as the router compiles its routes.

    raises  ValueError when two rules have the same method and path: one of them would never be asked
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._plain: dict[tuple[str, str], Rule] = {}
        patterns: dict[tuple[str, str], tuple[tuple[int, ...], Pattern[str], Rule]] = {}
        for rule in rules:
            for method in rule.methods:
                known = self._plain if "{" not in rule.path else patterns
                if (method, rule.path) in known:
                    message = f"two rules for {method} {rule.path}"
                    raise ValueError(message)
                if "{" in rule.path:
                    patterns[method, rule.path] = (_specificity(rule.path), compile_path(rule.path)[0], rule)
                else:
                    self._plain[method, rule.path] = rule
        self._patterns: dict[str, list[tuple[Pattern[str], Rule]]] = {}
        for (method, _), (_, pattern, rule) in sorted(patterns.items(), key=lambda item: item[1][0], reverse=True):
            self._patterns.setdefault(method, []).append((pattern, rule))

    def find(self, method: str, path: str) -> Rule | None:
        """The rule of a request, None where nobody wrote one; GET covers HEAD.

        path  decoded, as the router will see it. Control characters have no rule: the router's patterns
              end before a final line break, so that one path could be taken for another
        """
        if any(sign < _FIRST_PRINTABLE or sign == _DELETE for sign in path):
            return None
        found = self._find(method, path)
        return self._find("GET", path) if found is None and method == "HEAD" else found

    def _find(self, method: str, path: str) -> Rule | None:
        if rule := self._plain.get((method, path)):
            return rule
        return next((rule for pattern, rule in self._patterns.get(method, ()) if pattern.match(path)), None)


def _specificity(path: str) -> tuple[int, ...]:
    """Segment by segment: plain text, text with a parameter, a parameter, the rest of a path."""
    return tuple(_segment_rank(segment) for segment in path.split("/"))


def _segment_rank(segment: str) -> int:
    found = PARAM_REGEX.search(segment)
    if found is None:
        return 3
    if found[2] == ":path":
        return 0
    return 1 if found[0] == segment else 2
