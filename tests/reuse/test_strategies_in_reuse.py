"""Judging a collection again: what `reuse --strategy` shows is what the prefix of each order gives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.strategies import candidates_of, replay, strategies

TOPICS, DOCS = 6, 30


def _collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(5)
    docs = [f"d{i:02}" for i in range(DOCS)]
    quality = {f"t{t}": rng.gamma(1.0, 1.0, DOCS) for t in range(TOPICS)}
    qrels = {
        t: {doc: int(q > 1.2) + int(q > 2.2) for doc, q in zip(docs, of, strict=True)} for t, of in quality.items()
    }
    runs = {}
    for r, noise in enumerate((0.3, 0.6, 1.0, 1.5, 2.5)):
        runs[f"r{r}"] = {
            t: {docs[i]: float(score) for i, score in enumerate(of + rng.normal(0, noise, DOCS)) if score > 0.6}
            for t, of in quality.items()
        }
    return qrels, runs


QRELS, RUNS = _collection()


@pytest.fixture(scope="module")
def result() -> uj.Reuse:
    return uj.reuse(
        QRELS,
        RUNS,
        ["AP", "AP(rel=2)"],
        strategy=["depth", "mtf", "mm_ns", "sample(30%,strata=none)"],
        budget=["20%", 60],
        repeat=3,
        pool_depth=10,
        correction="none",
        jobs=1,
    )


def _after(text: str, judgments: int, repetition: int = 0) -> dict[str, dict[str, int]]:
    """The judgments that there are then."""
    qrels = uj.read_qrels(QRELS)
    joined = join_runs(qrels, [uj.read_run(table).renamed(name) for name, table in RUNS.items()])
    candidates = candidates_of(joined, depth=10)
    seed = 42 + (repetition << 32)
    rows = replay(strategies.choose(text), candidates, qrels, seed=seed, batch=TOPICS, most=judgments).rows
    out: dict[str, dict[str, int]] = {topic: {} for topic in QRELS}
    for row in rows.tolist():
        out[qrels.topics[qrels.topic_of_row[row]]][qrels.docs[row]] = int(qrels.grades[row])
    return out


def _means(judged: dict[str, dict[str, int]], measure: str) -> np.ndarray:
    # What is not judged counts as not relevant, also where nothing is judged.
    full = {t: {doc: judged[t].get(doc, 0) for doc in grades} for t, grades in QRELS.items()}
    return uj.score(full, RUNS, measure).means[0, 0]


@pytest.mark.parametrize("text", ["depth", "mtf"])
@pytest.mark.parametrize(("measure", "rel"), [("AP", 1), ("AP(rel=2)", 2)])
def test_a_row_is_about_the_first_judgments_of_the_order(result: uj.Reuse, text: str, measure: str, rel: int) -> None:
    for row in result.strategies():
        if (row.strategy, row.measure) != (text, measure):
            continue
        judged = _after(text, round(row.judgments))
        relevant = [(t, doc) for t, grades in QRELS.items() for doc, grade in grades.items() if grade >= rel]
        assert row.recall == pytest.approx(np.mean([doc in judged[t] for t, doc in relevant]))
        tau = kendalltau(_means(judged, measure), _means(QRELS, measure)).statistic
        assert row.tau_b == pytest.approx(tau)
        assert row.per_topic == row.judgments / TOPICS
    assert {round(row.judgments) for row in result.strategies() if row.strategy == text} == {
        36,  # 20% of 180
        60,
    }


def test_what_is_drawn_at_random_is_drawn_again(result: uj.Reuse) -> None:
    (row,) = [one for one in result.strategies() if (one.strategy, one.judgments, one.measure) == ("mm_ns", 60, "AP")]
    taus = [kendalltau(_means(_after("mm_ns", 60, r), "AP"), _means(QRELS, "AP")).statistic for r in range(3)]
    assert row.tau_b == pytest.approx(np.mean(taus))


def test_a_sample_ends_and_is_not_compared(result: uj.Reuse) -> None:
    rows = [row for row in result.strategies() if row.sample]
    assert {row.strategy for row in rows} == {"sample(0.3,strata='none')"}
    pool = sum(
        len({doc for run in RUNS.values() for doc in sorted(run[t], key=lambda d: (-run[t][d], d))[:10]}) for t in QRELS
    )
    assert max(row.judgments for row in rows) <= 0.3 * pool + TOPICS
    assert not any(row.recommended for row in rows)


def test_the_recommended_strategy_has_the_highest_tau(result: uj.Reuse) -> None:
    for measure in ("AP", "AP(rel=2)"):
        rows = [row for row in result.strategies() if row.measure == measure and not row.sample]
        names = {row.strategy for row in rows}
        means = {
            name: tuple(np.mean([(row.tau_b, row.recall) for row in rows if row.strategy == name], axis=0))
            for name in names
        }
        assert {row.strategy for row in rows if row.recommended} == {max(means, key=lambda name: means[name])}


def test_differences_that_are_found_are_counted(result: uj.Reuse) -> None:
    truth = uj.compare(QRELS, RUNS, "AP", test="t", correction="none")
    then = {(p.run, p.other): (p.p < 0.05) * np.sign(p.difference) for p in truth.pairs()}
    for row in result.strategies():
        if row.strategy != "depth" or row.measure != "AP":
            continue
        judged = _after("depth", round(row.judgments))
        full = {t: {doc: judged[t].get(doc, 0) for doc in grades} for t, grades in QRELS.items()}
        pairs = uj.compare(full, RUNS, "AP", test="t", correction="none").pairs()
        now = {(p.run, p.other): (p.p < 0.05) * np.sign(p.difference) for p in pairs}
        significant = [pair for pair, sign in then.items() if sign]
        assert row.significant_kept == pytest.approx(np.mean([now[pair] == then[pair] for pair in significant]))
        found = [pair for pair, sign in now.items() if sign]
        assert row.significant_false == pytest.approx(np.mean([now[pair] != then[pair] for pair in found]))


def test_curves_and_targets_have_what_is_found(result: uj.Reuse) -> None:
    points = [one for one in result.curves() if one.family == "mtf" and one.measure == "AP"]
    rows = [one for one in result.strategies() if one.strategy == "mtf" and one.measure == "AP"]
    assert [one.value for one in points if one.statistic == "recall"] == [one.recall for one in rows]
    chart = uj.plots.curves(result, statistic="recall")
    assert set(chart.columns["family"]) == {"depth", "mtf", "mm_ns", "sample(0.3,strata='none')"}


def test_measures_of_samples_know_the_strata() -> None:
    result = uj.reuse(
        QRELS,
        RUNS,
        "xinfAP",
        strategy="sample(50%,depth=3)",
        budget="100%",
        truth="AP",
        repeat=4,
        pool_depth=10,
        jobs=1,
    )
    (row,) = result.strategies()
    assert row.tau_b is not None
    assert abs(row.bias or 0) < 0.03  # with half of what is below rank 3


def test_processes_judge_in_the_same_order() -> None:
    one, two = (
        uj.reuse(QRELS, RUNS, "AP", strategy=["mm_ns", "decide(measure=P@5)"], budget="20%", repeat=2, jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.strategies() == two.strategies()


def test_a_store_has_the_orders(tmp_path: Path) -> None:
    def once() -> uj.Reuse:
        return uj.reuse(QRELS, RUNS, "AP", strategy="mtf", budget="20%", jobs=1, store=tmp_path / "store")

    first = once()
    assert json.loads(first.to_json())["strategies"] == json.loads(once().to_json())["strategies"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": "20%"}, "budgets are for strategies; give one with --strategy, such as mtf or evidence"),
        ({"labels": QRELS}, "labels are for strategies; give one with --strategy, such as mtf or evidence"),
        ({"strategy": "mtf", "budget": 0}, "a budget must be a whole number of at least 1, not 0"),
        (
            {"strategy": "mtf", "truth_qrels": QRELS},
            "strategies judge the collection again: give its later judgments as QRELS",
        ),
        (
            {"strategy": "sample(strata=labels)"},
            "sample(strata='labels') needs labels; give some with --labels, or take strata='depth'",
        ),
    ],
)
def test_mistakes_are_one_line(given: dict[str, object], message: str) -> None:
    with pytest.raises(uj.UnjudgedError) as error:
        uj.reuse(QRELS, RUNS, "AP", jobs=1, **given)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_runs_that_have_nothing_that_is_judged_are_one_line() -> None:
    runs = {name: {"t0": {f"other{i}": 1.0 / i for i in range(1, 5)}} for name in "ab"}
    with pytest.raises(uj.InputError, match=r"^no strategy can be followed: no document of the pool is judged$"):
        uj.reuse(QRELS, runs, "AP", strategy="mtf", never_judged="nonrelevant", jobs=1)


@pytest.mark.filterwarnings("ignore:AP")
def test_a_pool_depth_that_is_given_is_that_of_all_runs() -> None:
    def judged(**pool: int) -> float:
        given = {"strategy": "depth", "budget": "100%", "never_judged": "nonrelevant", "jobs": 1, **pool}
        return uj.reuse(less, RUNS, "AP", **given).strategies()[0].judgments  # type: ignore[arg-type]

    # What only r4 has in its first 12 is not judged, so that it does not seem to have been in the pool.
    first = {
        name: {t: sorted(docs, key=lambda d: (-docs[d], d))[:12] for t, docs in RUNS[name].items()} for name in RUNS
    }
    others = {t: {doc for name in RUNS if name != "r4" for doc in first[name][t]} for t in QRELS}
    less = {t: {doc: grade for doc, grade in grades.items() if doc in others[t]} for t, grades in QRELS.items()}
    deep = {t: {doc for name in RUNS for doc in first[name][t]} & less[t].keys() for t in QRELS}
    assert judged(pool_depth=12) == sum(len(docs) for docs in deep.values())


def test_the_paragraph_names_strategies(result: uj.Reuse) -> None:
    words = str(uj.methods(result))
    assert "those are taken away that would not have been made yet at some budgets, judging in the order of" in words
    assert "Efficient construction of large test collections. SIGIR 1998." in words


def test_labels_are_files_of_the_result(tmp_path: Path) -> None:
    path = tmp_path / "labels.qrels"
    path.write_text("".join(f"{t} 0 {doc} {grade}\n" for t, docs in QRELS.items() for doc, grade in docs.items()))
    result = uj.reuse(QRELS, RUNS, "AP", strategy="evidence", budget="20%", labels=str(path), jobs=1)
    assert str(path) in result.provenance.files


def test_labels_help_evidence() -> None:
    found = []
    for labels in (None, QRELS):
        result = uj.reuse(QRELS, RUNS, "AP", strategy="evidence", budget="20%", labels=labels, jobs=1)
        found.append(result.strategies()[0].recall or 0.0)
    assert found[1] > found[0]
