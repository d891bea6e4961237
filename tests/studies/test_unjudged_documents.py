"""``score --unjudged N``: the unjudged documents that weigh most, against sums in plain Python."""

from __future__ import annotations

import json
from collections import defaultdict
from math import log2
from pathlib import Path
from random import Random

import pytest

import unjudged as uj
from unjudged.cli import main
from unjudged.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

RNG = Random(7)
TOPICS = [f"t {i}" for i in range(6)]
QRELS = {topic: {f"d{i}": RNG.choice([0, 0, 1, 2]) for i in RNG.sample(range(30), 12)} for topic in TOPICS}
RUNS = {
    name: {
        topic: {f"d{i}": RNG.random() for i in RNG.sample(range(30), RNG.choice([3, 12]))} for topic in TOPICS[skip:]
    }
    for skip, name in enumerate("abc")
}
WEIGHTS = {
    "P@5": lambda rank: 1.0 * (rank <= 5),
    "nDCG@5": lambda rank: (rank <= 5) / log2(1 + rank),
    "RBP(p=0.5)": lambda rank: 0.5**rank,
    "RR": lambda rank: 1 / rank,
    "AP": lambda rank: 1 / rank,
}


def expected(measure: str) -> dict[tuple[str, str], float]:
    """The weight of each unjudged document, without what the library is made of."""
    out: dict[tuple[str, str], float] = defaultdict(float)
    for run in RUNS.values():
        for topic, scores in run.items():
            docs = sorted(scores, key=lambda doc: -scores[doc])
            weights = [WEIGHTS[measure](rank) for rank in range(1, len(docs) + 1)]
            for doc, weight in zip(docs, weights, strict=True):
                if doc not in QRELS[topic] and weight:
                    out[topic, doc] += weight / sum(weights) / len(TOPICS) / len(RUNS)
    return out


@pytest.mark.parametrize("measure", WEIGHTS)
def test_weights_are_those_of_ranks(measure: str) -> None:
    rows = uj.score(QRELS, RUNS, measure, unjudged=1000).unjudged
    weights = expected(measure)
    assert {(row.topic, row.doc): row.weight for row in rows} == pytest.approx(weights)
    assert [row.weight for row in rows] == sorted((row.weight for row in rows), reverse=True)
    assert [row.place for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0].left + rows[0].weight == pytest.approx(sum(weights.values()))
    assert rows[-1].left == pytest.approx(0, abs=1e-12)
    first = rows[0]
    ranked = {name: sorted(run.get(first.topic, {}), key=lambda d: -run[first.topic][d]) for name, run in RUNS.items()}
    depth = 5 if "@" in measure else 99
    found = {name: docs.index(first.doc) + 1 for name, docs in ranked.items() if first.doc in docs[:depth]}
    assert dict(first.ranks) == found and first.runs == len(found)


def test_judging_the_first_ones_leaves_what_was_said() -> None:
    rows = uj.score(QRELS, RUNS, "P@5", unjudged=4).unjudged
    assert len(rows) == 4
    more = {topic: dict(docs) for topic, docs in QRELS.items()}
    for row in rows:
        more[row.topic][row.doc] = 0
    after = uj.score(more, RUNS, "P@5", unjudged=1).unjudged[0]
    assert after.weight + after.left == pytest.approx(rows[-1].left)


def test_measures_that_look_at_no_unjudged_documents_have_none() -> None:
    assert uj.score(QRELS, RUNS, ["NumRet", "nDCG(judged_only=true)@5"], unjudged=3).unjudged == ()
    judged = {topic: dict.fromkeys((f"d{i}" for i in range(30)), 1) for topic in TOPICS}
    assert uj.score(judged, RUNS, "P@5", unjudged=3).unjudged == ()
    with pytest.raises(InputError, match=r"--unjudged must be a whole number of at least 1, not 0"):
        uj.score(QRELS, RUNS, "P@5", unjudged=0)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q.json").write_text(json.dumps(QRELS))
    for name, run in RUNS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALL = ("score", "q.json", "a.json", "b.json", "c.json", "-m", "P@5", "-m", "AP", "--quiet", "--unjudged", "3")


def call(*more: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*CALL, *more])


def test_it_is_shown_and_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call()
    shown = capsys.readouterr().out
    assert "Unjudged documents that weigh most in P@5" in shown
    assert "Unjudged documents that weigh most in AP" in shown
    assert max(map(len, shown.splitlines())) <= 80
    call("-f", "tsv", "--table", "unjudged")
    header, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert header == ["measure", "place", "topic", "doc", "weight", "left", "runs", "ranks"]
    assert len(rows) == 6
    call("-f", "json")
    found = json.loads(capsys.readouterr().out)["unjudged_documents"]
    assert [[str(row[name]) for name in header[:-1]] for row in found] == [row[:-1] for row in rows]
    assert " ".join(f"{run}:{rank}" for run, rank in found[0]["ranks"]) == rows[0][-1]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--table", "unjudged"), "--table unjudged goes with --format tsv or csv"),
        (("--table", "segments", "-f", "csv"), "--table segments needs --segments"),
    ],
)
def test_tables_that_are_not_there(
    here: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*CALL, *more])
    assert capsys.readouterr().err == f"unjudged: {problem}\n"
