"""``unjudged convert``: what it says, and where it writes."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import unjudged as uj
from unjudged.cli.app import app

from .conftest import Command, contents


@pytest.fixture(autouse=True)
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    return files


def test_a_file_is_written_and_said(unjudged: Command) -> None:
    done = unjudged("convert", "qrels.txt", "out.tsv", "--to", "beir")
    assert done == (0, "", "5 judgments of 2 topics written to out.tsv\n")
    assert Path("out.tsv").read_text().splitlines()[:2] == ["query-id\tcorpus-id\tscore", "1\ta\t2"]
    assert unjudged("convert", "qrels.txt", "out.tsv", "--to", "beir", "--quiet") == (0, "", "")
    again = unjudged("convert", "out.tsv", "again.txt", "--to", "trec", "--as", "qrels")
    assert again == (0, "", "5 judgments of 2 topics written to again.txt\n")
    assert Path("again.txt").read_bytes() == Path("qrels.txt").read_bytes()


def test_standard_output_has_the_file_alone(unjudged: Command) -> None:
    done = unjudged("convert", "runs/old.run", "-", "--to", "trec")
    assert done == (0, Path("runs/old.run").read_text(), "")


@pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
def test_so_has_standard_output_by_its_name(here: Path) -> None:
    command = [sys.executable, "-m", "unjudged", "convert", "qrels.txt", "/dev/stdout", "--to", "trec"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == Path("qrels.txt").read_text()
    assert done.stderr == "5 judgments of 2 topics written to /dev/stdout\n"


def test_warnings_have_their_codes(unjudged: Command) -> None:
    Path("odd.txt").write_text("1 0 =a 1\n")
    assert unjudged("convert", "odd.txt", "-", "--to", "quepid").err == (
        "warning: odd.txt: a spreadsheet may take 1 id for formulas (they begin with =, +, - or @); ids are written as"
        " they are [formula-ids]\n"
    )


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("qrels.txt", "qrels.txt: this is the same file as the input qrels.txt; write to another file"),
        ("no/such/folder", "no/such/folder: cannot be written: No such file or directory"),
        ("runs", "runs: cannot be written: Is a directory"),
    ],
)
def test_where_nothing_can_be_written(unjudged: Command, here: Path, output: str, said: str) -> None:
    before = contents(here)
    assert unjudged("convert", "qrels.txt", output, "--to", "beir") == (2, "", f"unjudged: {said}\n")
    assert contents(here) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device_is_an_error(unjudged: Command) -> None:
    done = unjudged("convert", "qrels.txt", "/dev/full", "--to", "beir")
    assert done == (2, "", "unjudged: /dev/full: cannot be written: No space left on device\n")


def test_the_function_takes_what_the_command_takes() -> None:
    options = [one.name for one in get_command(app).commands["convert"].params]  # type: ignore[attr-defined]
    assert [one for one in options if one not in ("quiet", "help_all")] == list(
        inspect.signature(uj.convert).parameters
    )
