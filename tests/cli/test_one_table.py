"""``--table NAME``: one table with all its rows, in every form, on a screen of 80 columns too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.reports.judges import render_judges
from unjudged.reports.properties import render_properties
from unjudged.reports.relative import render_relative
from unjudged.reports.reuse import render_reuse

from .conftest import Command

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

CORPUS = uj.CorpusBootstrap(images=3, corpus_size=1500)
RENDER: dict[str, Callable[..., str]] = {
    "properties": render_properties,
    "relative": render_relative,
    "reuse": render_reuse,
    "judges": render_judges,
}
TABLES = {
    "properties": ["precision", "tests", "runs", "topics", "shallow", "shallow_images"],
    "relative": ["rows", "topics", "documents", "choice", "fusion", "groups"],
    "reuse": ["methods", "correlations", "runs", "orders"],
    "judges": ["judges", "confusion", "topics"],
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("tables") / "demo").directory


@pytest.fixture(scope="module")
def results(demo: Path) -> dict[str, Any]:
    of, teams = (demo / "qrels.txt", demo / "runs"), demo / "teams.tsv"
    truth = uj.read_qrels(demo / "truth.qrels")
    grades = {topic: truth.judgments(topic) for topic in truth.topics}
    return {
        "properties": uj.properties(*of, "P@5", corpus=CORPUS, shallow=[5]),
        "relative": uj.relative(*of, "P@5", groups=teams, choose=2, fuse="RRF", explain="elm-weak"),
        "reuse": uj.reuse(*of, "P@5", groups=teams, holes="bounds", jobs=1),
        "judges": uj.judges(demo / "qrels.txt", None, {"truth": grades}),  # a path could be wider than the screen
    }


@pytest.mark.parametrize(("name", "table"), [(name, table) for name, tables in TABLES.items() for table in tables])
def test_readers_get_the_rows_of_separated_values(results: dict[str, Any], name: str, table: str) -> None:
    result, render = results[name], RENDER[name]
    number = len(render(result, "tsv", table=table).splitlines()) - 1
    screen = render(result, "table", table=table)
    blocks = [block.splitlines() for block in screen.split("\n\n")]
    pieces = [block for block in blocks if len(block) > 2 and set(block[1]) == {"-", " "}]
    assert {len(block) - 2 for block in pieces} == {number}
    assert max(map(len, screen.splitlines())) <= 80
    page = render(result, "markdown", table=table).splitlines()
    assert sum(line.startswith("| ") for line in page) == number + 2


def test_the_command_line_shows_one_table(unjudged: Command, demo: Path) -> None:
    done = unjudged("relative", demo / "qrels.txt", demo / "runs", "-m", "P@5", "--table", "pairs")
    assert done.out.splitlines()[0].split() == ["run", "prior", "run", "nrg"]
    assert len(done.out.splitlines()) == 2 + 12 * 11


def test_a_table_without_rows_says_why(demo: Path) -> None:
    of = demo / "qrels.txt", demo / "runs"
    properties, relative = uj.properties(*of, "P@5", corpus=CORPUS), uj.relative(*of, "P@5")
    judges = uj.judges(demo / "qrels.txt", None, demo / "truth.qrels")
    for result, table, why in (
        (properties, "shallow", "no --shallow was given"),
        (relative, "choice", "no --choose was given"),
        (relative, "fusion", "no --fuse was given"),
        (relative, "documents", "no --explain was given"),
        (relative, "groups", "neither --groups nor --types were given"),
        (judges, "targets", "no --target was given"),
        (judges, "orders", "no runs were given, or too few"),
    ):
        screen = RENDER[type(result).__name__.lower()](result, "table", table=table)
        assert screen.endswith(f"\n\nNothing to show: {why}.")
