"""Stored output of ndeval for real runs: five of the TREC Web track, one of AMBIENT."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.data.run import Run

FILES = {
    "wt2009": "2009",
    "wt2011": "2011",
    "wt2012": "2012",
    "web2012_ql_results-catb": "2012",
    "web2012_rm_results-catb": "2012",
}


def by_rank(path: Path) -> Run:
    """The run in the order of its rank column, as ndeval sorts it; scores in these files are tied."""
    scores: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt") as lines:
        for line in lines:
            topic, _, doc, rank, _, _ = line.split()
            scores.setdefault(topic, {})[doc] = -float(rank)
    return uj.read_run(scores, name="indri")


def compare(qrels: Path, run: Run | Path, output: Path) -> int:
    """Check every number of the stored output, means included; returns how many there are."""
    with output.open() as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in {"runid", "topic"}]
    judged = uj.read_qrels(qrels, format="diversity", negative="judged")
    scores = uj.score(judged, run, names)
    for row in rows:
        ours = (
            scores.means[0, :, 0]
            if row["topic"] == "amean"
            else scores.values[0, :, 0, scores.topics.index(row["topic"])]
        )
        assert ours.tolist() == pytest.approx([float(row[name]) for name in names], abs=6e-7), row["topic"]
    return len(rows) * len(names)


@pytest.mark.parametrize("name", FILES)
def test_web_track(shared_data: Path, name: str) -> None:
    folder = shared_data / "web-diversity"
    run = by_rank(folder / f"{name}.txt.gz")
    assert compare(folder / f"{FILES[name]}.diversity.qrels.gz", run, folder / f"{name}.csv") == 51 * 21


def test_ambient(shared_data: Path) -> None:
    folder = shared_data / "ambient"
    run = folder / "engine-order.run"
    assert compare(folder / "ambient.diversity-qrels", run, folder / "engine-order.ndeval.csv") == 45 * 21
