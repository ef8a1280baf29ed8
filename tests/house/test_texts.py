"""A word means the same wherever it is shown."""

import json

import pytest

from tests.house.tree import ROOT

SHARED = ("role.", "permission.")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_roles_and_permissions_have_one_wording(language: str) -> None:
    found = [
        json.loads((ROOT / folder / "texts" / f"{language}.json").read_text(encoding="utf-8"))
        for folder in ("dashboard", "access/web")
    ]
    shared = {name for name in found[0] if name.startswith(SHARED)} & set(found[1])
    assert len(shared) >= 11
    assert {name: found[0][name] for name in shared} == {name: found[1][name] for name in shared}
