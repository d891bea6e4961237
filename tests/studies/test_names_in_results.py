"""Results are looked up by the names that users write, which need not be those that results print."""

from __future__ import annotations

import pytest

import unjudged as uj

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}}
RUNS = {name: {"1": {name: 2.0, "c": 1.0}, "2": {"c": 2.0, name: 1.0}} for name in "ab"}


@pytest.mark.parametrize(
    ("asked", "looked_up"),
    [
        ("ndcg@10", "nDCG@10"),
        ("nDCG@10", "ndcg@10"),
        ("ndcg_cut.10", "ndcg_cut_10"),
        ("INSQ(T=5)", "INSQ(T=5)"),
        ("RBP(p=.5)", "rbp( p = 0.50 )"),
        ("map", "AP"),
    ],
)
def test_measures_are_found_in_any_spelling(asked: str, looked_up: str) -> None:
    scores = uj.score(QRELS, RUNS, [asked, "P@1"])
    printed = scores.measures[0]
    assert scores.mean()["a", asked] == scores.mean()["a", looked_up] == scores.mean()["a", printed]
    assert scores.per_topic()["a", "2", looked_up] == scores.per_topic()["a", "2", printed]


def test_hole_models_and_degradations_are_found_in_any_spelling() -> None:
    scores = uj.score(QRELS, RUNS, "P@2", holes=["nonrelevant", "bootstrap(draws=10)"])
    assert scores.mean()["a", "Bootstrap( draws = 10 )"] == scores.mean()["a", "bootstrap(draws=10)"]
    assert scores.distribution("a", "1", measure="p@2", holes="Bootstrap(draws=10)").mean() == 1.0
    reused = uj.reuse(QRELS, RUNS, "P@2", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)
    assert reused.correlation("leaveoutrun( 1 )", "P_2") == reused.correlations()[0]
    added = uj.relative(QRELS, RUNS, "P@2", holes="bounds")
    assert added.run("a", "Bounds") == added.run("a")
    precise = uj.properties(QRELS, RUNS, "P@2", corpus=uj.CorpusBootstrap(images=3, corpus_size=3))
    assert precise.measure("p@2") == precise.precision()[0]
    assert precise.run("a", "P_2") == precise.runs()[0]
    images = uj.resample(QRELS, RUNS, "P@2", uj.CorpusBootstrap(images=3, corpus_size=3))
    assert images.of("a", "P_2").tolist() == images.of("a", "P@2").tolist()


def test_runs_and_topics_are_what_they_are_called() -> None:
    """A run may have the name of a measure; what is there under that very name is meant."""
    runs = {"ndcg@10": RUNS["a"], "nDCG@10": RUNS["b"]}
    rows = uj.score(QRELS, runs, "P@1").mean()
    assert (rows["ndcg@10",], rows["nDCG@10",]) == (1.0, 0.5)
    with pytest.raises(KeyError, match=r"0 rows match; name the run, the measure \(there is P@1\) and"):
        rows["A", "P@1"]
