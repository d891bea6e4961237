"""Truth and estimate are about the same topics and documents: against plain Python and pytrec_eval.

Nobody judged what only runs of group ``d`` return, and what is below rank 12 of all others, so that whole runs have
documents whose grade nobody knows.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from scipy.stats import kendalltau, rankdata
from small_collection import GROUPS, TOPICS, collection

import unjudged as uj
from unjudged.data.groups import fingerprint
from unjudged.data.joined import join_run, join_runs, together
from unjudged.data.pool_depth import judged_depths
from unjudged.data.run_info import RunInfo
from unjudged.engine.preparation.document_occurrences import occurrences_of_joined
from unjudged.simulate import KeepFraction

EVERYTHING, RUNS = collection()
NAMES = list(RUNS)
Ranked = Mapping[str, list[str]]
Judged = Mapping[str, Mapping[str, int]]
Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
RANKED = {
    name: {topic: sorted(docs, key=lambda doc: -docs[doc]) for topic, docs in run.items()} for name, run in RUNS.items()
}
POOL_DEPTH = 12


def first(names: Iterable[str], depth: int) -> set[tuple[str, str]]:
    return {(topic, doc) for name in names for topic, docs in RANKED[name].items() for doc in docs[:depth]}


def of(chosen: set[tuple[str, str]]) -> Judged:
    return {
        topic: {doc: grade for doc, grade in docs.items() if (topic, doc) in chosen}
        for topic, docs in EVERYTHING.items()
    }


POOL = first([name for name in NAMES if GROUPS[name] != "d"], POOL_DEPTH)
QRELS = of(POOL)
MEASURES = {"nDCG@5": "ndcg_cut_5", "AP": "map", "P@10": "P_10"}
DEGRADE = ["LeaveOutGroup(5)", "DepthCut(3)", "KeepFraction(20%)"]


def scores(judged: Judged, ranked: Ranked, measure: str) -> list[float]:
    """By pytrec_eval, which leaves out topics without judgments."""
    run = {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in ranked.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {topic: dict(docs) for topic, docs in judged.items() if docs}, {measure.replace("_cut_", "_cut.")}
    )
    theirs = evaluator.evaluate(run)
    return [theirs.get(topic, {}).get(measure, 0.0) for topic in TOPICS]


def kept(ranked: Ranked, judged: Judged) -> Ranked:
    return {topic: [doc for doc in docs if doc in judged[topic]] for topic, docs in ranked.items()}


def means(judged: Judged, protocol: str, holes: str, measure: str) -> Floats:
    """Of each run; all documents that were never judged are taken out of it by one protocol, and by the other none."""
    runs = [kept(RANKED[name], QRELS) if protocol == "removed" else RANKED[name] for name in NAMES]
    if holes == "condensed":
        runs = [kept(run, judged) for run in runs]
    return np.array([np.mean(scores(judged, run, MEASURES[measure])) for run in runs])


def ranks(values: Floats) -> Floats:
    """Ties have their middle rank; the order of sums is no difference."""
    return rankdata(-np.round(values, 12))


@pytest.fixture(scope="module")
def results() -> dict[str, uj.Reuse]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return {
            protocol: uj.reuse(
                QRELS,
                RUNS,
                list(MEASURES),
                degrade=DEGRADE,
                holes=["nonrelevant", "condensed"],
                groups=GROUPS,
                never_judged=protocol,
                repeat=2,
                jobs=1,
            )
            for protocol in ("removed", "nonrelevant")
        }


EVERY = list(itertools.product(["removed", "nonrelevant"], ["nonrelevant", "condensed"], MEASURES))


@pytest.mark.parametrize(("protocol", "holes", "measure"), EVERY)
def test_shallower_pools_and_samples(results: dict[str, uj.Reuse], protocol: str, holes: str, measure: str) -> None:
    truth = means(QRELS, protocol, "nonrelevant", measure)
    joined = join_runs(uj.read_qrels(QRELS))
    samples = [KeepFraction(p="20%").leave(joined, seed=42, repetition=i).of(joined.qrels) for i in range(2)]
    left = {
        "DepthCut(3)": [of(POOL & first(NAMES, 3))],
        "KeepFraction(0.2)": [{topic: one.judgments(topic) for topic in TOPICS} for one in samples],
    }
    for degradation, every in left.items():
        estimates = [means(judged, protocol, holes, measure) for judged in every]
        row = results[protocol].correlation(degradation, measure, holes)
        assert row.tau_b == pytest.approx(np.mean([kendalltau(one, truth).statistic for one in estimates]))
        assert row.rmse == pytest.approx(np.mean([np.sqrt(np.mean((one - truth) ** 2)) for one in estimates]))
        assert row.bias == pytest.approx(np.mean([np.mean(one - truth) for one in estimates]))


@pytest.mark.parametrize(("protocol", "holes", "measure"), EVERY)
def test_left_out_groups(results: dict[str, uj.Reuse], protocol: str, holes: str, measure: str) -> None:
    """What a group alone has in its first 5 is looked for in whole runs, whatever is taken out of them."""
    truth = means(QRELS, protocol, "nonrelevant", measure)
    rows = {row.run: row for row in results[protocol].leaveout() if (row.measure, row.holes) == (measure, holes)}
    assert list(rows) == NAMES
    for group in sorted(set(GROUPS.values())):
        mine = [name for name in NAMES if GROUPS[name] == group]
        gone = first(mine, 5) - first(set(NAMES) - set(mine), 5)
        estimates = means(of(POOL - gone), protocol, holes, measure)
        for name in mine:
            r, row, top = NAMES.index(name), rows[name], first([name], 5)
            assert (row.true_score, row.estimate) == pytest.approx((truth[r], estimates[r]))
            assert (row.true_rank, row.rank) == (ranks(truth)[r], ranks(estimates)[r])
            assert row.lost == pytest.approx(len(top & gone & POOL) / len(top))
            assert row.never_judged == pytest.approx(len(top - POOL) / len(top))
    assert rows["d1"].never_judged > 0


def test_evidence_is_about_ranks_in_whole_runs() -> None:
    """What is taken out of the runs does not move others up where a model learns who has which document."""
    qrels = uj.read_qrels(QRELS)
    runs = [uj.read_run(run, name=name) for name, run in RUNS.items()]
    parts = [join_run(run, qrels, judged_only=True) for run in runs]
    prints = [fingerprint(run) for run in runs]
    joined = together(qrels, parts, [RunInfo.of(run, qrels) for run in runs])
    occurrences = occurrences_of_joined(joined, prints, depth=5)
    names = [(topic, doc) for topic, docs in QRELS.items() for doc in docs]
    for one, name in zip(
        occurrences.run_occurrences, sorted(NAMES, key=lambda name: prints[NAMES.index(name)].digest), strict=True
    ):
        there = {(*names[pair], rank) for pair, rank in zip(one.pairs.tolist(), one.ranks.tolist(), strict=True)}
        places = {(topic, doc, rank) for topic in TOPICS for rank, doc in enumerate(RANKED[name][topic], 1)}
        assert there == {place for place in places if place[:2] in POOL}
    whole = occurrences_of_joined(join_runs(qrels, runs), prints, depth=5)
    depths = judged_depths(qrels, occurrences)
    assert depths.tolist() == judged_depths(qrels, whole).tolist()
    assert min(depths) < POOL_DEPTH <= max(depths)


def test_the_protocols_differ(results: dict[str, uj.Reuse]) -> None:
    """Else these tests would not tell them apart."""
    for measure in MEASURES:
        values = [results[one].correlation("DepthCut(3)", measure, "condensed").rmse for one in results]
        assert abs(values[0] - values[1]) > 0.002


def test_what_was_never_judged_is_said() -> None:
    read = [(t, doc) for name in NAMES for t, docs in RANKED[name].items() for doc in docs[:5]]
    unjudged = sum(one not in POOL for one in read)
    for protocol, then in {
        "removed": "they are taken out of the runs, and what is below moves up",
        "nonrelevant": "the truth takes them for not relevant, which favours methods that do so, too",
    }.items():
        with pytest.warns(uj.UnjudgedWarning) as warned:
            uj.reuse(QRELS, RUNS, "nDCG@5", degrade="DepthCut(3)", holes="condensed", never_judged=protocol, jobs=1)
        message = f"nDCG@5: {unjudged} of the 240 documents that are read were never judged; {then}"
        assert [str(one.message) for one in warned] == [message]


def test_another_protocol_is_refused() -> None:
    with pytest.raises(uj.UnjudgedError, match=r"^never_judged must be one of 'removed', 'nonrelevant', not 'gone'$"):
        uj.reuse(QRELS, RUNS, never_judged="gone")  # type: ignore[arg-type]


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "taus"), [("removed", [0.655, 0.507]), ("nonrelevant", [0.641, 0.521])])
def test_the_comparison_of_methods_on_dl19(shared_data: Path, protocol: str, taus: list[float]) -> None:
    """What pytrec_eval gives (experiments/reuse_protocol.py); .552 and .794 came of mixing truth and estimates."""
    folder = shared_data / "dl19"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        result = uj.reuse(
            folder / "2019qrels-pass.txt",
            folder / "runs",
            "nDCG@20",
            degrade="KeepFraction(10%)",
            holes=["nonrelevant", "condensed"],
            never_judged=protocol,  # type: ignore[arg-type]
            repeat=5,
            jobs=1,
        )
    assert [round(row.tau_b, 3) for row in result.correlations()] == taus
