"""``ir_datasets:ID`` on the command line, with the real ir_datasets and files of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ir_datasets
import pytest
from ir_datasets.formats import TrecQrels, TrecScoredDocs
from ir_datasets.util import Cache, Download, LocalDownload, RequestsDownload

from tests.cli.conftest import Command

NAME = "unjudged-test"
ID = f"ir_datasets:{NAME}"
NOWHERE = "http://unjudged.invalid/qrels.txt"  # a name that no network has (RFC 2606)


@pytest.fixture
def dataset(files: Path) -> Iterator[Path]:
    """The judgments and the old run as a dataset, one whose run is missing, and one that cannot be downloaded."""
    qrels = TrecQrels(LocalDownload(files / "qrels.txt"), {})
    run = TrecScoredDocs(LocalDownload(files / "runs" / "old.run"))
    sources = [RequestsDownload(url, tries=1) for url in (NOWHERE, "http://mirror.invalid/qrels.txt")]
    far = TrecQrels(Cache(Download(sources), files / "cached"), {})
    for name, parts in {"": (qrels, run), "/judged": (qrels,), "/far": (far,)}.items():
        ir_datasets.registry.register(NAME + name, ir_datasets.Dataset(*parts))
    yield files
    for name in ("", "/judged", "/far"):
        del ir_datasets.registry._registered[NAME + name]


@pytest.mark.parametrize(
    "command",
    [
        ["score", "-f", "json"],
        ["score", "-m", "indAP", "--pool", ID],
        ["compare", "-f", "tsv"],
        ["doctor"],
        ["relative", "-f", "csv"],
        ["reuse", "-m", "P@1", "--degrade", "LeaveOutRun(1)", "--jobs", "1", "-f", "csv", "--table", "runs"],
        ["properties", "-m", "P@1", "--images", "3", "-f", "csv", "--table", "runs"],
    ],
)
def test_every_command_reads_judgments_and_runs_of_a_dataset(
    unjudged: Command, dataset: Path, command: list[str]
) -> None:
    result = unjudged(*command, "--quiet", ID, dataset / "runs" / "new.run", ID)
    plain = unjudged(
        *command, "--quiet", dataset / "qrels.txt", dataset / "runs" / "new.run", dataset / "runs" / "old.run"
    )
    assert result.code == plain.code == 0, result.err
    assert NAME in result.out and "old" in plain.out


def test_scores_are_those_of_the_files(unjudged: Command, dataset: Path) -> None:
    from_files = unjudged("score", "-f", "tsv", "-q", dataset / "qrels.txt", dataset / "runs" / "old.run")
    from_dataset = unjudged("score", "-f", "tsv", "-q", ID, ID)
    assert from_files.code == 0
    assert from_dataset.out == from_files.out.replace("old", NAME)
    assert (
        unjudged("trec_eval", ID, dataset / "runs" / "old.run").out
        == unjudged("trec_eval", dataset / "qrels.txt", dataset / "runs" / "old.run").out
    )


def test_a_report_of_a_dataset(unjudged: Command, dataset: Path) -> None:
    done = unjudged("report", "--quiet", ID, dataset / "runs" / "new.run", ID, "-o", dataset / "report.html")
    assert done.code == 0, done.err
    assert NAME in (dataset / "report.html").read_text()


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (
            ["ir_datasets:unjudged-tset", "new"],
            f"ir_datasets:unjudged-tset: ir_datasets has no such dataset; did you mean {ID}?",
        ),
        ([ID, f"{ID}/judged"], f"{ID}/judged: this dataset has no scoreddocs"),
        (
            [f"{ID}/far", "new"],
            f"{ID}/far: ir_datasets could not download the qrels from unjudged.invalid or mirror.invalid;"
            " is there a network?",
        ),
    ],
)
def test_what_goes_wrong_is_one_line(unjudged: Command, dataset: Path, sources: list[str], message: str) -> None:
    done = unjudged("score", *[dataset / "runs" / "new.run" if one == "new" else one for one in sources])
    assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")


def test_without_the_package_one_line_says_how_to_get_it(files: Path) -> None:
    code = "import sys; sys.modules['ir_datasets'] = None; from unjudged.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "score", ID, str(files / "runs" / "new.run")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert (done.returncode, done.stderr) == (
        2,
        f"unjudged: {ID} needs ir_datasets: pip install 'unjudged[datasets]'\n",
    )
