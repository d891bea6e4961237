"""What the walk through the demo says about runs with holes is true of its collection."""

from __future__ import annotations

from pathlib import Path

import unjudged as uj
from unjudged.demo.collection import CORPUS_SIZE, write_collection


def test_evidence_does_not_call_better_runs_worse(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    comparison = uj.compare(made.qrels, made.runs, baseline="cedar-fused", groups=made.teams)
    truth = uj.score(made.truth, made.runs, "nDCG@10").mean()
    for run, better in (("later-neural-base", 0.5), ("later-neural-large", 0.88)):
        pair = next(pair for pair in comparison.pairs() if run in {pair.run, pair.other})
        ahead = pair.p_greater if pair.run == run else 1 - pair.p_greater
        assert (pair.difference < 0) is (pair.run == run)  # it scores lower
        assert truth[run, "nDCG@10"] > truth["cedar-fused", "nDCG@10"]  # and is better
        assert pair.verdict == "undetermined"
        assert round(ahead, 2) == better


def test_average_precision_measures_more_precisely_than_precision(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    how = uj.CorpusBootstrap(images=200, corpus_size=CORPUS_SIZE)
    rows = uj.properties(made.qrels, made.runs, ["AP", "P@10"], corpus=how).precision()
    assert [round(row.difference_sd or 0, 2) for row in rows] == [0.14, 0.17]
    assert [round((row.difference or 0) / (row.difference_sd or 1), 1) for row in rows] == [1.5, 1.2]
    assert all(0.02 <= round(row.mean_sd or 0, 2) <= 0.03 for row in rows)


def test_few_pairs_are_open_and_one_is_not(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    assert uj.next_judgments(made.qrels, made.runs, budget=5).count("undecided") == 4
    two = uj.next_judgments(made.qrels, made.runs, goal="later-neural-large>cedar-fused")
    assert two.goals()[0].answer == "later-neural-large is better than cedar-fused (likely)"


def test_evidence_finds_more_than_a_pool(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    result = uj.reuse(made.truth, made.runs, strategy=["depth", "evidence"], budget=["5%", "20%"], jobs=1)
    few = [row for row in result.strategies() if round(row.share, 2) == 0.05]
    assert [row.strategy for row in few] == ["depth", "evidence"]
    assert [round(row.recall or 0, 2) for row in few] == [0.43, 0.57]
    assert [round(row.tau_b or 0, 2) for row in few] == [0.97, 0.97]


def test_the_estimate_of_the_short_walk_has_the_order_right(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    runs = [run for run in made.runs if run.stem.endswith("-fused") or run.stem.startswith("later-")]
    likely = uj.score(made.qrels, runs, "nDCG@10", holes="auto")
    true = uj.score(made.truth, runs, "nDCG@10").means[0, 0]
    assert likely.holes == ("nonrelevant", "joint", "discounted")
    wrong, _, estimate = likely.means[:, 0]
    assert estimate.argsort().tolist() == true.argsort().tolist() != wrong.argsort().tolist()
    assert [round(float(abs(one - true).mean()), 2) for one in (estimate, wrong)] == [0.04, 0.10]
    low, high = likely.mean_low[2, 0], likely.mean_high[2, 0]
    assert ((low <= true) & (true <= high)).all()


def test_what_the_readme_says_of_the_demo_is_true(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    scores = uj.score(made.qrels, made.runs, "nDCG@10", holes="auto")
    wrong, _, likely = scores.means[:, 0]
    true = uj.score(made.truth, made.runs, "nDCG@10").means[0, 0]
    new = [scores.runs.index(f"later-neural-{size}") for size in ("large", "base")]
    assert [int((wrong > wrong[run]).sum()) + 1 for run in new] == [3, 8]
    assert [int((true > true[run]).sum()) + 1 for run in new] == [1, 2]
    assert [[round(float(one[run]), 2) for run in new] for one in (true, likely)] == [[0.86, 0.76], [0.85, 0.80]]


def test_only_new_judgments_see_that_the_ranker_is_better(tmp_path: Path) -> None:
    made = write_collection(tmp_path / "demo")
    for qrels, run in ((made.qrels, "cedar-fused"), (made.truth, "later-neural-base")):
        history = uj.add_release(qrels, made.directory / "runs" / f"{run}.run", tmp_path / "h.jsonl", "nDCG@10")
    row = next(row for row in history.changes() if row.holes == "nonrelevant")
    assert (round(row.change or 0, 2), round(row.ranker_new_qrels or 0, 2)) == (0.0, 0.05)
    assert (row.ranker_earlier_qrels or 0) < -0.1
