"""Calls that are wrong, screens that are gone or full, and interruptions: one line each, and no traceback."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Command

UNJUDGED = [sys.executable, "-m", "unjudged"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("score", "q", "r", "-f", "xml"),
            "unjudged score: invalid value for '--format' / '-f': 'xml' is not one of 'table', 'tsv', 'csv', 'json',"
            " 'markdown', 'latex'; see `unjudged score --help`",
        ),
        (("score", "q"), "unjudged score: missing argument 'RUN...'; see `unjudged score --help`"),
        (
            ("score", "q", "r", "--explain", "a"),
            "unjudged score: option '--explain' requires 2 arguments; see `unjudged score --help`",
        ),
        (("nosuch",), "unjudged: no such command 'nosuch'; see `unjudged --help`"),
        (
            ("trec_eval", "q", "r", "s"),
            "unjudged trec_eval: got unexpected extra argument(s) (s); see `unjudged trec_eval --help`",
        ),
    ],
)
def test_a_wrong_call_is_one_line(unjudged: Command, arguments: tuple[str, ...], message: str) -> None:
    done = unjudged(*arguments)
    assert (done.code, done.out, done.err) == (2, "", message + "\n")


def test_a_misspelt_option_is_guessed(unjudged: Command) -> None:
    done = unjudged("score", "q", "r", "--holse", "bounds")
    assert done.code == 2
    assert done.err.startswith("unjudged score: no such option: --holse")
    assert "--holes" in done.err
    assert done.err.endswith("; see `unjudged score --help`\n")
    assert done.err.count("\n") == 1


def test_a_misspelt_command_is_guessed(unjudged: Command) -> None:
    done = unjudged("scor", "q", "r")
    assert done.code == 2
    assert done.err.startswith("unjudged: no such command 'scor'. Did you mean 'score'")
    assert done.err.count("\n") == 1


def test_a_check_that_fails_still_exits_with_1(unjudged: Command, files: Path) -> None:
    assert unjudged("doctor", files / "qrels.txt", files / "runs", "--strict").code == 1
    assert unjudged("--version").code == 0


def test_no_command_shows_the_help(unjudged: Command) -> None:
    done = unjudged()
    assert done.code == 2
    assert "Start with `unjudged demo`" in done.out + done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line(files: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = _run("score", "qrels.txt", "runs", folder=files, stdout=full)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "unjudged: standard output: cannot be written: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="shells of Windows close nothing")
def test_a_closed_standard_error_is_no_error(files: Path) -> None:
    command = f"{sys.executable} -m unjudged score qrels.txt runs -m RR 2>&-"  # has warnings
    done = subprocess.run(command, shell=True, cwd=files, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "old" in done.stdout


def test_an_encoding_that_lacks_a_character_shows_its_number(files: Path) -> None:
    run = files / "runs" / "old.run"
    run.write_text(run.read_text().replace(" old\n", " große\n"), encoding="utf-8")
    done = _run("score", "qrels.txt", "runs", "-m", "RR", folder=files, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "gro\\xdfe" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for other processes on Windows")
def test_an_interruption_is_one_line(files: Path) -> None:
    # Standard input of which half a line comes: the command takes it, and waits until it is interrupted.
    reader, writer = os.pipe()
    os.write(writer, b"1 Q0")
    command = [*UNJUDGED, "score", "qrels.txt", "-"]
    with subprocess.Popen(command, cwd=files, stdin=reader, stdout=-1, stderr=-1, text=True) as process:
        while select.select([reader], [], [], 0)[0] and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    os.close(reader)
    os.close(writer)
    assert (process.returncode, out, err) == (130, "", "unjudged: interrupted\n")


def _run(
    *arguments: str, folder: Path, stdout: object = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*UNJUDGED, *arguments],
        cwd=folder,
        stdout=stdout,  # type: ignore[call-overload]
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
