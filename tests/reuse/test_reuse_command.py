"""``unjudged reuse``: every format, every mistake in one line, and studies that are killed."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from small_collection import GROUPS, collection

from unjudged.cli import main

STUDY = ["-m", "nDCG@5", "-m", "infAP", "--degrade", "LeaveOutGroup(5)", "--degrade", "KeepFraction(20%,50%)"]
STUDY += ["--holes", "nonrelevant", "--holes", "bootstrap(draws=50)", "--repeat", "3", "--target", "tau=0.5"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reuse")
    qrels, runs = collection()
    lines = [f"{t} 0 {d} {g}" for t, docs in qrels.items() for d, g in docs.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    (folder / "runs").mkdir()
    for name, run in runs.items():
        lines = [f"{t} Q0 {d} 1 {s!r} {name}" for t, docs in run.items() for d, s in docs.items()]
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n")
    (folder / "teams.tsv").write_text("".join(f"{run}\t{group}\n" for run, group in GROUPS.items()))
    return folder


def arguments_of(*arguments: str) -> list[str]:
    return ["reuse", "qrels.txt", "runs", "--groups", "teams.tsv", *arguments]


class Finished(NamedTuple):
    code: int
    out: str
    err: str


def run(files: Path, *arguments: str) -> Finished:
    """The command in this process."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.chdir(files), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments_of(*arguments))
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return Finished(code, out.getvalue(), err.getvalue())


def tables(text: str) -> dict:
    document = json.loads(text)
    return {name: part for name, part in document.items() if name not in ("unjudged", "inputs")}


@pytest.fixture(scope="module")
def expected(files: Path) -> dict:
    done = run(files, *STUDY, "--jobs", "1", "-f", "json")
    assert (done.code, done.err) == (0, "")
    return tables(done.out)


def test_json_has_every_table(files: Path, expected: dict) -> None:
    assert list(expected) == [
        "reuse",
        "methods",
        "correlations",
        "coverage",
        "runs",
        "orders",
        "differences",
        "repetitions",
        "grades",
        "bands",
        "curves",
        "strategies",
        "targets",
        "warnings",
    ]
    assert expected["reuse"]["groups"] == 4
    assert len(expected["correlations"]) == 3 * 3  # infAP has one way to take unjudged documents
    assert len(expected["runs"]) == 3 * 6 * 3  # of each degradation
    assert sum(row["left_out"] is not None for row in expected["runs"]) == 6 * 3
    assert expected["bands"] == []  # there are no later judgments
    agreement = {"tau_b", "tau_a", "tau_ap", "pearson", "rmse", "bias"}
    findings = {"recall", "significant_kept", "significant_false"}
    assert {row["statistic"] for row in expected["curves"]} - findings == agreement
    assert {row["family"] for row in expected["targets"]} == {"KeepFraction"}


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_formats_for_readers(files: Path, form: str, expected: dict) -> None:
    done = run(files, *STUDY, "--jobs", "1", "-f", form)
    assert (done.code, done.err) == (0, "")
    assert "recommended" in done.out
    if form == "table":
        assert max(map(len, done.out.splitlines())) <= 80
    if form != "latex":
        flat = " ".join(done.out.split())
        assert expected["reuse"]["verdict"].replace("'", "&#x27;" if form == "html" else "'") in flat


def test_a_screen_says_what_each_table_is_about(files: Path) -> None:
    done = run(
        files, "-m", "P@5", "--holes", "nonrelevant", "--holes", "bootstrap(draws=50)", "--degrade", "LeaveOutGroup(5)"
    )
    first = [block.splitlines()[0] for block in done.out.split("\n\n")]
    assert first[:8:2] == [
        "6 runs by P@5, with fewer than all 458 judgments",
        "How often is the truth inside of the range that a hole model gives?",
        "Of 6 left-out runs, those whose rank changes most: P@5, bootstrap",
        "Methods on the whole, best first",
    ]
    assert "left: share of the judgments." in done.out
    assert "+0\n" not in done.out  # runs that keep their rank are not listed


def test_names_of_methods_are_whole_where_a_title_has_the_only_degradation(files: Path) -> None:
    asked = ("-m", "P@5", "-m", "nDCG@10", "--truth", "P@5", "--truth", "nDCG@10", "--degrade", "LeaveOutGroup(5)")
    lines = run(files, *asked, "--holes", "nonrelevant", "--holes", "bounds").out.splitlines()
    assert lines[0] == "6 runs, with fewer than all 458 judgments: LeaveOutGroup(5)"
    assert lines[2].split()[:4] == ["measure", "holes", "truth", "left"]
    assert lines[4].split()[:3] == ["P@5", "nonrelevant", "P@5"]
    assert "LeaveOutGroup(5): how often is the truth inside of a model's range?" in lines
    several = run(files, *asked, "--degrade", "DepthCut(3)", "--holes", "nonrelevant", "--holes", "bounds").out
    assert several.splitlines()[2].split()[:4] == ["degradation", "measure", "holes", "truth"]


def test_ends_of_what_chance_alone_would_do_are_not_taken_for_more(files: Path) -> None:
    words = "low, high of bootstrap(draws=50): what chance alone would do if the model were right;"
    asked = ("-m", "P@5", "--degrade", "LeaveOutGroup(5)", "--table", "runs", "--holes")
    assert words in " ".join(run(files, *asked, "bootstrap(draws=50)").out.split())
    assert "low, high of" not in run(files, *asked, "bounds").out


def test_numbers_stay_in_a_table_where_they_are_the_same_in_all_rows(files: Path) -> None:
    asked = ("-m", "P@5", "--degrade", "LeaveOutGroup(5)", "--holes", "nonrelevant", "--holes", "bounds")
    done = run(files, *asked, "--table", "correlations")
    assert "tau b" in done.out
    (said,) = [block for block in done.out.split("\n\n") if block.startswith("In all rows: ")]
    assert said.startswith("In all rows: degradation LeaveOutGroup(5), measure P@5, truth P@5, ")
    assert "tau" not in said


def test_a_measure_without_holes_is_not_called_by_a_model_that_it_does_not_take(files: Path) -> None:
    asked = ("-m", "infAP", "--truth", "AP", "--degrade", "DepthCut(3)", "--holes", "bootstrap(draws=50)")
    document = tables(run(files, *asked, "-f", "json").out)
    assert [row["holes"] for row in document["methods"]] == ["nonrelevant"]


@pytest.mark.parametrize(
    "table", ["methods", "correlations", "coverage", "runs", "orders", "differences", "grades", "curves", "targets"]
)
def test_separated_values(files: Path, table: str, expected: dict) -> None:
    done = run(files, *STUDY, "--jobs", "1", "-f", "csv", "--table", table)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == len(expected[table])
    assert list(rows[0]) == list(expected[table][0])


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("coverage", "no method that was tried gives ranges, or no judgment was lost"),
        ("differences", "it takes two methods, and judgments that were lost"),
        ("repetitions", "nothing was drawn at random"),
        ("bands", "it takes later judgments and --bands"),
        ("curves", "no degradation has several levels"),
        ("strategies", "no --strategy was given"),
        ("targets", "no --target was given"),
    ],
)
def test_a_table_without_rows_says_why(files: Path, table: str, why: str) -> None:
    done = run(files, "-m", "P@5", "--degrade", "LeaveOutGroup(5)", "--holes", "nonrelevant", "--table", table)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"\n\nNothing to show: {why}.\n")


def test_two_processes_give_the_same(files: Path, expected: dict) -> None:
    assert tables(run(files, *STUDY, "--jobs", "2", "-f", "json").out) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_clusters_give_the_same(files: Path, expected: dict, engine: str, package: str) -> None:
    pytest.importorskip(package)
    done = run(files, *STUDY, "--engine", engine, "--jobs", "2", "-f", "json")
    assert done.code == 0, done.err
    assert tables(done.out) == expected


@pytest.mark.slow
def test_a_dask_cluster_that_runs_already(files: Path, expected: dict) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        done = run(files, *STUDY, "--engine", "dask", "--address", address, "-f", "json")
    assert done.code == 0, done.err
    assert tables(done.out) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--degrade", "KeepFraction(0)"],
            "KeepFraction: p must be a share above 0 and at most 1, such as 0.1 or 10%, not 0",
        ),
        (["--degrade", "DepthCut(31)"], "DepthCut(31): no run is so deep; the deepest has 30 documents for a topic"),
        (["--degrade", "KeepTopics(9)"], "KeepTopics(9): only 8 topics are judged"),
        (["--degrade", "DepthKut(3)"], "unknown degradation 'DepthKut'; did you mean 'DepthCut'? (there are DepthCut,"),
        (["--groups", "some.tsv"], "some.tsv: no group for 'b1', 'c1', 'c2' and 1 more; every run needs one"),
        (["--repeat", "0"], "the number of repetitions must be a whole number of at least 1, not 0"),
        (
            ["--target", "beauty=1"],
            "cannot read target 'beauty=1'; write a statistic (tau_b, tau_a, tau_ap, pearson, rmse, bias,"
            " recall, significant_kept, significant_false)",
        ),
        (["--target", "tau=high"], "target 'tau=high': 'high' is not a number"),
        (["--target", "tau=2"], "target 'tau=2': tau_b must be a number at least -1 and at most 1, not 2.0"),
        (["--target", "rmse=-1"], "target 'rmse=-1': rmse must be a number at least 0, not -1.0"),
        (["--target", "bias=nan"], "target 'bias=nan': bias must be a number, not nan"),
        (["--store", "old"], "old: this store was made by unjudged 0.0.1, and this is "),
        (["--store", "runs"], "runs: is not empty and not a store; choose another folder for --store"),
        (["--address", "tcp://x:1"], "an address is for --engine dask or ray; the local engine has none"),
        (["-m", "ABSRB@20"], "ABSRB@20 needs "),
    ],
)
def test_mistakes_are_one_line(files: Path, arguments: list[str], message: str) -> None:
    (files / "some.tsv").write_text("a1 a\na2 a\n")
    (files / "old").mkdir(exist_ok=True)
    (files / "old" / "unjudged-store.json").write_text(json.dumps({"format": 1, "version": "0.0.1"}))
    done = run(files, *arguments)
    assert done.code == 2
    assert done.err.startswith(f"unjudged: {message}")
    assert done.err.count("\n") == 1
    assert not done.out


def test_two_studies_share_a_store_and_damage_is_mended(files: Path, expected: dict, tmp_path: Path) -> None:
    where = ["--jobs", "1", "-f", "json", "--store", str(tmp_path / "s")]
    assert tables(run(files, *STUDY, *where).out) == expected
    blocks = sorted((tmp_path / "s").glob("*/*.block"))
    assert len(blocks) == 4 + 2 * 3
    another = run(files, "-m", "nDCG@5", "--degrade", "LeaveOutGroup(5)", *where)
    assert another.code == 0
    assert len(list((tmp_path / "s").glob("*/*.block"))) == 4 + 2 * 3 + 4
    blocks[0].write_bytes(blocks[0].read_bytes()[:-5])
    blocks[1].write_bytes(b"")
    done = run(files, *STUDY, *where)
    assert done.err == ("warning: 2 results in the store were damaged and have been computed again [damaged-blocks]\n")
    mended = tables(done.out)
    assert [notice["code"] for notice in mended.pop("warnings")] == ["damaged-blocks"]
    assert mended == {name: part for name, part in expected.items() if name != "warnings"}
    assert tables(run(files, *STUDY, *where).out) == expected


def kill_at_random(files: Path, arguments: list[str], store: Path, times: int) -> int:
    """Start the study again and again, and kill it with everything it started. Returns how often it was in time."""
    rng, killed = random.Random(7), 0
    for round_ in range(times):
        before = len(list(store.glob("*/*.block")))
        process = subprocess.Popen(
            [sys.executable, "-m", "unjudged", *arguments_of(*arguments)],
            cwd=files,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # After a random time, which hits it while it starts; or after some blocks, while it computes or writes.
        enough = before + rng.randint(1, 3) if round_ % 2 else math.inf
        until = time.monotonic() + (60 if round_ % 2 else rng.uniform(0, 1))
        while process.poll() is None and time.monotonic() < until and len(list(store.glob("*/*.block"))) < enough:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.01))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        process.wait()
    return killed


@pytest.mark.slow
def test_killed_twenty_times(files: Path, tmp_path: Path) -> None:
    store = tmp_path / "s"
    study = ["-m", "nDCG@5", "--degrade", "KeepFraction(5%,10%,20%,30%,50%)", "--repeat", "40"]
    study += ["--holes", "bootstrap(draws=400)", "-f", "json"]
    undisturbed = tables(run(files, *study, "--jobs", "1").out)
    arguments = [*study, "--store", str(store), "--jobs", "2"]
    assert kill_at_random(files, arguments, store, 20) == 20
    assert 10 <= len(list(store.glob("*/*.block"))) < 200  # it was stopped on the way, and kept what it had
    assert tables(run(files, *arguments).out) == undisturbed
    assert len(list(store.glob("*/*.block"))) == 200
