"""Results and charts, saved in Python, write over nothing that they were made of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.errors import FileError
from unjudged.reports.charts import all_charts
from unjudged.reports.methods import methods

from .conftest import contents

if os.name == "nt":
    pytest.skip("links of POSIX", allow_module_level=True)


@pytest.fixture(autouse=True)
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    return files


def results_of_files() -> list[Any]:
    """What saves a page or a paragraph, made of files by their names, or of judgments and runs that were read."""
    qrels, runs = uj.read_qrels("qrels.txt"), uj.read_runs("runs")
    return [
        uj.report("qrels.txt", "runs", "P@2", reuse=False),
        uj.report(qrels, runs, "P@2", reuse=False),
        methods(uj.score("qrels.txt", "runs", "P@2")),
        methods(uj.score(qrels, runs, "P@2")),
        methods(uj.compare("qrels.txt", "runs", "P@2", draws=10)),
        methods(uj.relative("qrels.txt", "runs", "P@2")),
        methods(uj.judges("qrels.txt", "runs", "qrels.txt", "P@2")),
        methods(uj.reuse("qrels.txt", "runs", "P@2", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)),
        methods(uj.properties("qrels.txt", "runs", "P@2", corpus=uj.CorpusBootstrap(images=3))),
    ]


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_results_remember_what_they_were_made_of(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("run.txt").hardlink_to("runs/old.run")
    before = contents(here)
    results = results_of_files()
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")  # names that were given are those of files there and then
    for result in results:
        for output, read in (("../qrels.txt", here / "qrels.txt"), ("../run.txt", here / "runs/old.run")):
            with pytest.raises(FileError) as caught:
                result.save(output)
            assert str(caught.value) == f"{output}: this is the same file as the input {read}; write to another file"
        result.save("qrels.txt")  # another one
    monkeypatch.chdir(here)
    assert {name: held for name, held in contents(here).items() if "elsewhere" not in name} == before


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_charts_remember_it_too_with_the_files_of_options(here: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    Path("labels").write_bytes(Path("qrels.txt").read_bytes())
    Path("groups").write_text("old a\nnew b\n")
    Path("docs.tsv").write_text("a\tsome words\n")
    Path("stop").write_text("some\n")
    texts = uj.text_source("docs.tsv", stop_words="stop", cache="cache")
    scores = uj.score(
        "qrels.txt", "runs", "P@2", holes="labels(labels)", pool="qrels.txt", groups="groups", texts=texts
    )
    compared = uj.compare("qrels.txt", "runs", "P@2", draws=10)
    Path("cache").mkdir(exist_ok=True)
    charts = {
        "labels": uj.plots.scores(scores),
        "groups": uj.plots.scores(scores),
        "docs.tsv": uj.plots.scores(scores),
        "stop": uj.plots.scores(scores),
        "qrels.txt": uj.plots.pairs(compared),
        "runs/old.run": uj.plots.holes(uj.doctor("qrels.txt", "runs")),
        "runs/new.run": uj.plots.ranks(compared),
    }
    for number, (read, chart) in enumerate(charts.items()):
        link = Path(f"{number}.json")
        link.symlink_to(read)
        with pytest.raises(FileError) as caught:
            chart.save(link)
        assert str(caught.value) == f"{link}: this is the same file as the input {here / read}; write to another file"
    with pytest.raises(FileError, match=r"what is in .*cache is read and written by the tool; write elsewhere"):
        uj.plots.scores(scores).save("cache/x.json")


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("command", sorted({one.command for one in all_charts()}))
def test_every_chart_is_given_the_files_of_its_result(here: Path, command: str) -> None:
    pytest.importorskip("altair")
    how: dict[str, dict[str, Any]] = {
        "score": {"holes": "bootstrap", "segments": {"1": "head", "2": "tail"}},
        "compare": {"draws": 10, "segments": {"1": "head", "2": "tail"}},
        "reuse": {"degrade": ["LeaveOutRun(1)"], "jobs": 1},
        "properties": {"corpus": uj.CorpusBootstrap(images=5), "shallow": 1},
    }
    if command == "history":
        for release, run in (("v1", "runs/old.run"), ("v2", "runs/new.run")):
            uj.add_release("qrels.txt", run, "history.jsonl", "P@2", release=release)
        result = uj.history("history.jsonl")
    else:
        asked = {"doctor": (), "judges": ("qrels.txt", "P@2")}.get(command, ("P@2",))
        result = getattr(uj, command)("qrels.txt", "runs", *asked, **how.get(command, {}))
    if command == "reuse":  # no run is left out of a curve, and no curve has runs that are left out
        others = {
            "curves": uj.reuse("qrels.txt", "runs", "P@2", degrade="DepthCut(1,2)", jobs=1),
            "strategies": uj.reuse("qrels.txt", "runs", "P@2", strategy="mtf", jobs=1),
        }
    for one in all_charts():
        if one.command == command:
            chart = one.function(others.get(one.name, result) if command == "reuse" else result)
            assert chart.inputs == result.provenance.files != (), one.name


def test_dicts_have_no_files(here: Path) -> None:
    scores = uj.score({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}, "P@2")
    assert scores.provenance.files == ()
    methods(scores).save("qrels.txt")
    assert Path("qrels.txt").read_text().startswith("Effectiveness is P@2")
