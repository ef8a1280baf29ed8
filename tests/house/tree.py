"""The source tree as the house tests see it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    *("peakline_server", "access", "collector", "api", "dashboard", "alerts", "audit", "loadtest"),
    *("analyzer", "store", "documents", "vocabulary"),
)
SDK = ROOT / "sdk" / "src" / "peakline"
GENERATED = "migrations"


@dataclass(frozen=True)
class Module:
    """A Python file: where it lies below the root, its lines and its syntax tree."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    @property
    def is_code(self) -> bool:
        """Whether anything in it computes: a function with a body, or a loop; declarations alone do not."""
        return any(has_body(node) for node in functions(self.tree))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def has_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """False for the verbs of a Protocol: a docstring, `...` or nothing."""
    return not all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in function.body)


def python_files(*folders: str) -> list[Module]:
    """All Python files below these folders of the repository, by name."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [Module(path, path.read_text(encoding="utf-8")) for path in sorted(found)]


def product() -> list[Module]:
    """Every module that is shipped: the server's packages and the SDK."""
    return python_files(*PACKAGES, "sdk/src")


def everything() -> list[Module]:
    """The product, its tests, benchmarks and tools."""
    return python_files(*PACKAGES, "sdk", "tests", "bench", "tools")
