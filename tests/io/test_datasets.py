"""ir_datasets through its own API, with files instead of downloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ir_datasets
import pytest
from small_files import JUDGED, QRELS, RANKED, RUN, as_dict, judgments, write

import unjudged as uj
from unjudged.errors import InputError

# ---- ir_datasets, through its own API, with files instead of downloads


@pytest.fixture
def dataset(tmp_path: Path) -> Iterator[str]:
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TrecSubQrels
    from ir_datasets.util import LocalDownload

    qrels = TrecQrels(LocalDownload(write(tmp_path / "q", QRELS + "302 0 d9 -1\n")), {1: "yes", 0: "no"})
    run = TrecScoredDocs(LocalDownload(write(tmp_path / "r", RUN)))
    subtopics = TrecSubQrels(LocalDownload(write(tmp_path / "s", "1 1 a 1\n1 2 a 0\n")), {})
    broken = TrecQrels(LocalDownload(write(tmp_path / "b", "301 0\n")), {})
    names = {"": (qrels, run), "/diversity": (subtopics,), "/broken": (broken,), "/empty": ()}
    for name, parts in names.items():
        ir_datasets.registry.register(f"unjudged-test{name}", ir_datasets.Dataset(*parts))
    yield "ir_datasets:unjudged-test"
    for name in names:
        del ir_datasets.registry._registered[f"unjudged-test{name}"]


def test_ir_datasets(dataset: str) -> None:
    assert judgments(uj.read_qrels(dataset, negative="pooled")) == JUDGED
    assert judgments(uj.read_qrels(dataset, negative="judged")) == {**JUDGED, "302": {"d3": 2, "d9": 0}}
    run = uj.read_run(dataset)
    assert (run.name, as_dict(run)) == ("unjudged-test", RANKED)
    assert [one.name for one in uj.read_runs([dataset])] == ["unjudged-test"]
    subtopics = uj.read_qrels(f"{dataset}/diversity").subtopics
    assert subtopics is not None and subtopics.names == ("1", "2")


def test_the_format_decides_about_iterations_as_for_other_rows(dataset: str) -> None:
    assert uj.read_qrels(dataset).subtopics is None
    assert uj.read_qrels(dataset, format="trec").subtopics is None
    subtopics = uj.read_qrels(dataset, format="diversity").subtopics
    assert subtopics is not None and subtopics.names == ("0",) * len(JUDGED)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("/empty", "this dataset has no qrels"),
        ("/diversty", "ir_datasets has no such dataset; did you mean ir_datasets:unjudged-test/diversity?"),
        ("/broken", "ir_datasets could not load the qrels: "),
    ],
)
def test_ir_datasets_problems(dataset: str, name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        uj.read_qrels(dataset + name)
    assert str(caught.value).startswith(f"{dataset}{name}: {message}")
    assert "\n" not in str(caught.value)


def test_a_part_that_has_what_is_missing_is_named(dataset: str) -> None:
    with pytest.raises(InputError) as caught:
        uj.read_qrels("ir_datasets:cord19")
    assert str(caught.value) == ("ir_datasets:cord19: this dataset has no qrels; ir_datasets:cord19/trec-covid has")
    with pytest.raises(InputError, match=r"no such dataset \(`ir_datasets list` lists them all\)$"):
        uj.read_qrels("ir_datasets:")
