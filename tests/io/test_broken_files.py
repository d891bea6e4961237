"""Broken inputs: each has its message, in Python and on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from broken_inputs import BROKEN
from making_broken_files import QRELS, RUN, Broken, content

import unjudged as uj
from unjudged.cli import main
from unjudged.errors import FileError, InputError

LINUX_ONLY = {"socket", "unreadable device", "link to itself", "very long name"}
READERS: dict[str, Callable[[Any], Any]] = {"qrels": uj.read_qrels, "run": uj.read_run}


def test_the_table_is_long_enough_and_has_no_double() -> None:
    names = [str(case) for case in BROKEN]
    assert len(names) == len(set(names)) >= 45


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_broken_input_has_its_message(case: Broken, tmp_path: Path) -> None:
    if case.what in LINUX_ONLY and sys.platform != "linux":
        pytest.skip("other systems have other words, or no such device")
    path = case.make(tmp_path)
    with pytest.raises(InputError) as caught:
        READERS[case.reader](path)
    assert str(caught.value) == case.message.replace("{path}", str(path))


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_messages_are_one_printable_line(case: Broken) -> None:
    assert case.message.isprintable()
    assert len(case.message) < 200


def test_errors_know_file_and_line(tmp_path: Path) -> None:
    path = content(b"\n\n301 Q0 d1 1 high t\n")(tmp_path)
    with pytest.raises(FileError) as caught:
        uj.read_run(path)
    assert (caught.value.path, caught.value.line) == (str(path), 3)


@pytest.mark.parametrize("block", [1, 7, 64, 4096])
def test_line_numbers_do_not_depend_on_blocks(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = b"".join(b"301 Q0 d%d 1 0.5 t\n\n# comment\n" % i for i in range(50))
    path = content(good + b"301 Q0 x 1 high t\n" + good)(tmp_path)
    monkeypatch.setattr("unjudged.io.sources.BLOCK_BYTES", block)
    with pytest.raises(FileError, match=r":151: the score is not a number: 'high'$"):
        uj.read_run(path)


# ---- the command line


def assert_says(message: str, capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    assert (ended.value.code, *capsys.readouterr()) == (2, "", f"unjudged: {message}\n")


SAMPLE = [case for case in BROKEN if "NUL in the name" not in case.what][::9]  # no shell passes a NUL on


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_the_command_line_says_the_same_and_exits_with_2(
    case: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").mkdir()
    path = case.make(tmp_path / "broken")
    good_qrels, good_run = content(QRELS, "good.qrels")(tmp_path), content(RUN, "good.run")(tmp_path)
    files = (path, good_run) if case.reader == "qrels" else (good_qrels, path)
    assert_says(case.message.replace("{path}", str(path)), capsys, "score", *files)


@pytest.mark.parametrize(
    ("package", "name", "message"),
    [
        ("zstandard", "q.zst", "reading .zst files needs zstandard: pip install 'unjudged[zstd]'"),
        ("pyarrow", "q.parquet", "reading Parquet files needs pyarrow: pip install 'unjudged[parquet]'"),
        ("ir_datasets", "ir_datasets:a/b", "ir_datasets:a/b needs ir_datasets: pip install 'unjudged[datasets]'"),
    ],
)
def test_missing_extra(
    package: str,
    name: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # importing it now fails as if it were not installed
    if not name.startswith("ir_datasets:"):
        name = str(content(zstandard.compress(QRELS), name)(tmp_path))
    assert_says(message, capsys, "score", name, "x")


# ---- what needs a process of its own


def unjudged(*arguments: str | Path, stdin: bytes | None = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "unjudged", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False, **options)


def assert_refused(done: subprocess.CompletedProcess[bytes], message: str) -> None:
    assert done.stderr.decode() == f"unjudged: {message}\n"
    assert done.returncode == 2
    assert done.stdout == b""


def test_standard_input_can_be_read_only_once() -> None:
    done = unjudged("score", "-", "-", stdin=QRELS)
    assert_refused(done, "-: standard input is empty (it can be read only once)")


def test_empty_standard_input() -> None:
    assert_refused(unjudged("score", "-", "-"), "-: standard input is empty (it can be read only once)")


def test_closed_standard_input() -> None:
    done = unjudged("score", "-", "-", stdin=None, preexec_fn=lambda: os.close(0))
    assert_refused(done, "-: there is no standard input")


def test_broken_line_in_standard_input() -> None:
    done = unjudged("score", "-", "-", stdin=QRELS + b"301 0\n")
    assert_refused(done, "-:4: expected 4 columns, got 2 (lines of judgments are 'topic 0 doc grade'): '301 0'")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter; pytest's own are not, and other workers use them too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for closed in folder.iterdir():
            closed.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs Unix users")
@pytest.mark.parametrize("mode", ["file", "folder", "parquet", "glob"])
def test_permission_denied(mode: str, open_folder: Path) -> None:
    name = "secret.parquet" if mode == "parquet" else "secret.txt"
    path = content(QRELS, name)(open_folder)
    path.chmod(0)
    if mode == "folder":
        folder = open_folder / "closed"
        folder.mkdir()
        path = content(RUN)(folder)
        folder.chmod(0)
    wanted = {"glob": str(open_folder / "sec*.txt")}.get(mode, str(path))
    script = """
import os, sys
import unjudged as uj
from unjudged.cli import main
import narwhals, pyarrow.parquet
uj.read_runs, uj.InputError  # what is imported when it is asked for
if os.getuid() == 0:
    os.setuid(65534)  # root may read everything
try:
    uj.read_runs(sys.argv[1])
except uj.InputError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", script, wanted], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{path}: permission denied\n", "")
