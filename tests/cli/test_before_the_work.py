"""What cannot be meant or done is said before any work starts, and before anything is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Command

COMMANDS = ("doctor", "score", "compare", "relative", "judges", "audit", "reuse", "properties", "report")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_cannot_be_written_is_said_before_files_are_read(
    unjudged: Command, tmp_path: Path, command: str
) -> None:
    # The judgments are not there either: what is said first was looked at first.
    done = unjudged(command, "no.qrels", "no.run", "-o", tmp_path / "no" / "x")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: {tmp_path / 'no' / 'x'}: cannot be written: No such file or directory\n"
    done = unjudged(command, "no.qrels", "no.run", "-o", tmp_path)
    assert done.err == f"unjudged: {tmp_path}: cannot be written: Is a directory\n"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_folder_that_is_read_only(unjudged: Command, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = unjudged("score", "no.qrels", "no.run", "-o", tmp_path / "x")
    tmp_path.chmod(0o700)
    assert done.err == f"unjudged: {tmp_path / 'x'}: cannot be written: Permission denied\n"


@pytest.mark.parametrize("option", ["--plot=no/x.svg", "--methods=no/x.tex"])
def test_charts_and_methods_have_to_be_writable_too(unjudged: Command, option: str) -> None:
    if option.startswith("--plot"):
        pytest.importorskip("altair")
        pytest.importorskip("vl_convert")
    done = unjudged("score", "no.qrels", "no.run", option)
    assert done.err == f"unjudged: {option.partition('=')[2]}: cannot be written: No such file or directory\n"


def test_texts_that_are_not_there(unjudged: Command, files: Path) -> None:
    done = unjudged("score", "no.qrels", files / "runs", "--texts", files / "docs.tsv")
    assert (done.code, done.err) == (2, f"unjudged: {files / 'docs.tsv'}: no such file\n")


@pytest.mark.parametrize("command", ["compare", "relative", "judges"])
def test_a_second_measure_is_not_dropped_in_silence(unjudged: Command, files: Path, command: str) -> None:
    given = [files / "qrels.txt"] * (2 if command == "judges" else 1)
    done = unjudged(command, *given, files / "runs", "-m", "P@1", "-m", "RR")
    assert (done.code, done.out) == (2, "")
    assert done.err == "unjudged: --measure takes one measure here, not 2: P@1 RR\n"


@pytest.mark.parametrize("ends", [("95", "5"), ("5", "105"), ("0.05", "0.95")])
def test_intervals_are_percentiles(unjudged: Command, files: Path, ends: tuple[str, str]) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs", "--holes", "bootstrap", "--interval", *ends)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: --interval takes two percentiles such as 5 95, not {ends[0]} {ends[1]}\n"


@pytest.mark.parametrize(
    "options",
    [("-m", f"nDCG@{10**25}"), ("--holes", f"bootstrap(draws={10**25})"), ("--pool-depth", 10**25)],
)
def test_numbers_that_no_array_can_count(unjudged: Command, files: Path, options: tuple[object, ...]) -> None:
    done = unjudged("score", files / "qrels.txt", files / "runs", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: {10**25} is too large; numbers end at 1,000,000,000,000,000\n"


@pytest.mark.parametrize("cutoff", [10**9, 10**15])
def test_cut_offs_far_below_any_run(unjudged: Command, files: Path, cutoff: int) -> None:
    measures = [option for name in ("nDCG", "AP", "RBP", "ERR", "R") for option in ("-m", f"{name}@{cutoff}")]
    done = unjudged("score", files / "qrels.txt", files / "runs", "--quiet", *measures, "--holes", "bounds")
    assert (done.code, done.err) == (0, "")


def test_a_demo_where_nothing_can_be_written(unjudged: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = unjudged("demo", tmp_path / "file" / "demo")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"unjudged: {tmp_path / 'file' / 'demo'}: cannot be written: Not a directory\n"
