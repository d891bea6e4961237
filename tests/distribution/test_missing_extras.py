"""What somebody reads who uses an extra that is not installed: one line with the command that installs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from unjudged.demo.collection import write_collection

from .conftest import ROOT, project
from .extras import ROWS, UNREAD, Row

every_extra = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.extra)


def test_every_extra_is_in_the_table() -> None:
    extras = project()["optional-dependencies"]
    assert {row.extra for row in ROWS} == extras.keys() - {"all"}


def test_all_has_every_extra() -> None:
    extras = dict(project()["optional-dependencies"])
    (everything,) = extras.pop("all")
    assert everything == f"unjudged[{','.join(extras)}]"


def test_every_extra_is_documented() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    first_cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`([\w-]+)`", " ".join(first_cells))) == project()["optional-dependencies"].keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo collection, with files that cannot be read without extras."""
    folder = write_collection(tmp_path_factory.mktemp("extras") / "demo").directory
    for name, content in UNREAD.items():
        (folder / name).write_bytes(content)
    return folder


@every_extra
def test_a_missing_extra_is_one_line_with_the_install_command(row: Row, folder: Path, tmp_path: Path) -> None:
    # Python runs this before anything else; what is None cannot be imported.
    hidden = "".join(f"sys.modules[{module!r}] = None\n" for module in row.modules)
    (tmp_path / "sitecustomize.py").write_text(f"import sys\n{hidden}")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *row.arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    check_message(row, done.returncode, done.stdout, done.stderr)


def check_message(row: Row, code: int, out: str, err: str) -> None:
    assert out == ""
    if row.arguments[0] == "-c":
        assert (code, err.splitlines()[-1]) == (1, f"unjudged.errors.MissingExtraError: {row.says}")
    else:
        assert (code, err) == (2, f"unjudged: {row.says}\n")
