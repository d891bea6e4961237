"""Published numbers about real collections."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

import unjudged as uj

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")]


def test_figure_2_of_the_paper(shared_data: Path) -> None:
    """Binary gain (grades 2 and 3), no cut-off anywhere, the best run of each other team, without ICTNET."""
    folder = shared_data / "dl19"
    lines = (folder / "runs_teams.tsv").read_text().splitlines()[1:]
    teams = dict(line.split("\t")[:2] for line in lines)
    runs = [run for run in uj.read_runs(folder / "runs", scores="float32") if teams[run.name] != "ICTNET"]
    result = uj.relative(
        folder / "2019qrels-pass.txt", runs, "NRG(nDCG, gain=binary, rel=2)", groups=teams, absolute="nDCG@10"
    )
    expected = {"bm25base_ax_p": 0.3098, "idst_bert_p1": 0.3212, "idst_bert_pr1": 0.2221, "bm25tuned_p": 0.2278}
    assert {name: round(result.run(name).nrg, 4) for name in expected} == expected
    baselines = [row.nrg for row in result.rows() if row.group == "BASELINE"]
    assert result.run("srchvrs_ps_run3").nrg < min(baselines)
    assert result.run("idst_bert_pr1").nrg < min(baselines)
    assert result.prior_depth is None


def test_unique_relevant_documents_of_trec_8_teams(shared_data: Path) -> None:
    """NIST's annotated judgments name the teams that had each document in the top 100 of any run, pooled or not."""
    folder = shared_data / "trec8"
    with gzip.open(folder / "annotated-qrels.gz", "rt") as stream:
        rows = [line.split() for line in stream]
    expected = Counter(row[5] for row in rows if int(row[3]) > 0 and len(row) == 6)
    result = uj.relative(
        folder / "trec8.qrels", folder / "runs", groups=folder / "runs-pids", pool_depth=100, scores="float32"
    )
    assert {row.group: row.unique for row in result.groups()} == {
        row.group: expected[row.group] for row in result.groups()
    }
    assert (len(result.groups()), sum(expected.values())) == (41, 935)


def test_manual_and_automatic_runs_of_trec_8(shared_data: Path) -> None:
    """Relevant documents in the top 100 of runs of one type alone, by sets; one file has teams and types."""
    folder = shared_data / "trec8"
    meta = folder / "runs_meta.tsv"
    lines = [line.split("\t") for line in meta.read_text().splitlines()[1:]]
    type_of = {fields[0]: fields[3] for fields in lines}
    runs = uj.read_runs(folder / "runs", scores="float32")
    qrels = uj.read_qrels(folder / "trec8.qrels")
    having: dict[str, set[tuple[str, str]]] = {"manual": set(), "automatic": set()}
    for run in runs:
        for topic in run.topics:
            having[type_of[run.name]] |= {(topic, doc) for doc, _ in run.ranking(topic)[:100]}
    relevant = {(topic, doc) for topic in qrels.topics for doc, grade in qrels.judgments(topic).items() if grade > 0}
    expected = {
        "manual": len(relevant & having["manual"] - having["automatic"]),
        "automatic": len(relevant & having["automatic"] - having["manual"]),
    }
    result = uj.relative(qrels, runs, "P@100", groups=meta, types=meta, absolute="AP", holes="nonrelevant")
    by_type = {row.group: row for row in result.groups() if row.grouping == "type"}
    assert {name: row.unique for name, row in by_type.items()} == expected
    assert (by_type["manual"].runs, by_type["automatic"].runs) == (13, 116)
    assert expected["manual"] > expected["automatic"]


def test_chosen_runs_of_trec_8_fuse_to_more_than_the_best_alone(shared_data: Path) -> None:
    """As experiments/results/relative-pools.md has it, there with systems that were chosen on other topics."""
    folder = shared_data / "trec8"
    given = {"absolute": "AP", "holes": "nonrelevant", "choose": 5, "fuse": "RRF", "scores": "float32"}
    result = uj.relative(folder / "trec8.qrels", folder / "runs", "P@100", **given)
    first = ["READWARE2", "orcl99man", "iit99ma1", "READWARE", "8manexT3D1N0"]
    assert [row.run for row in result.choice()] == first
    scores = [row.score for row in result.fusion()]
    assert scores == sorted(scores)
    assert (result.fusion()[-1].best, round(result.fusion()[-1].best_score, 4)) == ("READWARE2", 0.4692)
    assert scores[-1] > 0.6
