"""Runs the command line as a user does, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from unjudged.cli import main


class Finished(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Finished]


@pytest.fixture
def unjudged(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: object) -> Finished:
        try:
            main([str(argument) for argument in arguments])
            code = 0
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        out, err = capsys.readouterr()
        return Finished(code, out, err)

    return run


def make_files(folder: Path) -> None:
    """Judgments and two runs, one of which has holes and lacks a topic."""
    (folder / "qrels.txt").write_text("1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 1\n2 0 e 0\n")
    (folder / "runs").mkdir()
    (folder / "runs" / "old.run").write_text("1 Q0 a 1 3 old\n1 Q0 b 2 2 old\n2 Q0 e 1 2 old\n2 Q0 d 2 1 old\n")
    (folder / "runs" / "new.run").write_text("1 Q0 x 1 3 new\n1 Q0 a 2 2 new\n3 Q0 a 1 1 new\n")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with judgments and two runs, one of which has holes and lacks a topic."""
    make_files(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder and what they hold."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
