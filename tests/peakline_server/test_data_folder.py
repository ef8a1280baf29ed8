from pathlib import Path

import pytest

from peakline_server.data_folder import stranger


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ([], None),
        (["lost+found"], None),
        (["thesis.tex"], "thesis.tex"),
        (["lost+found", "thesis.tex"], "thesis.tex"),
        (["peakline.yaml", "oidc.secret"], None),
        (["control.sqlite", "control.sqlite-wal"], None),
    ],
)
def test_a_folder_is_ours_when_it_is_empty_or_holds_something_of_a_server(
    tmp_path: Path, names: list[str], found: str | None
) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert stranger(tmp_path) == found
