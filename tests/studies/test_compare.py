"""compare: verdicts hold against every labelling, bounds are exact, shared holes cancel."""

from __future__ import annotations

import itertools
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unjudged as uj
from unjudged.api import Collection, read_measure
from unjudged.demo.collection import write_collection
from unjudged.results.comparison import Comparison
from unjudged.studies.compare import compare as compare_study

# Two topics are too few for any test to be significant, and compare says so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:no p-value can be below"),
    pytest.mark.filterwarnings("ignore:.*drawn scores of .* are above its limit"),
    pytest.mark.filterwarnings("ignore:only .* of the documents that .* looks at are judged"),
]

Qrels = dict[str, dict[str, int]]
Ranking = dict[str, list[str]]

LINEAR = ["nDCG@3", "DCG@3", "P@3", "RBP(p=0.5)@3", "R@3", "nDCG(dcg=exp-log2)@2", "SDCG@3", "P(rel=2)@3", "Rprec"]
OTHERS = [
    "AP",
    "AP@2",
    "RR",
    "ERR@3",
    "Success@2",
    "nERR@3",
    "Q",
    "Bpref",
    "SetF",
    "Compat(p=0.9)",
    "SetAP",
    "AvgIPrec",
    "G",
    "BinG",
    "RnDCG",
    "nDCGrel",
    "SetP",
    "nDCG",
    "INST(T=2)",
    "BPM@3",
    "NERR8@3",
    "NERR9@3",
    "NERR10",
    "NERR11",
    "IPrec@0.5",
]


def as_runs(rankings: dict[str, Ranking]) -> dict[str, Any]:
    return {
        name: {topic: {doc: float(-rank) for rank, doc in enumerate(docs)} for topic, docs in ranking.items()}
        for name, ranking in rankings.items()
    }


def collection(seed: int, *, topics: int = 2, top: int = 2) -> tuple[Qrels, dict[str, Ranking]]:
    """A tiny collection whose runs return few documents that nobody judged."""
    rng = random.Random(seed)
    qrels: Qrels = {}
    runs: dict[str, Ranking] = {"a": {}, "b": {}}
    for topic in map(str, range(topics)):
        qrels[topic] = {f"j{i}": rng.randint(0, top) for i in range(4)}
        docs = [*qrels[topic], *(f"h{i}" for i in range(rng.randint(0, 2)))]
        for run in runs.values():
            run[topic] = rng.sample(docs, rng.randint(1, 4))
    qrels["0"]["j0"] = top
    return qrels, runs


def holes_of(qrels: Qrels, runs: dict[str, Ranking], depth: int | None) -> list[tuple[str, str]]:
    seen = {(t, d) for run in runs.values() for t, docs in run.items() for d in docs[:depth]}
    return sorted((t, d) for t, d in seen if d not in qrels[t])


def labellings(qrels: Qrels, holes: list[tuple[str, str]], top: int) -> list[Qrels]:
    out = []
    for grades in itertools.product(range(top + 1), repeat=len(holes)):
        more = {topic: dict(judged) for topic, judged in qrels.items()}
        for (topic, doc), grade in zip(holes, grades, strict=True):
            more[topic][doc] = grade
        out.append(more)
    return out


def difference(qrels: Qrels, runs: dict[str, Any], measure: str) -> float:
    scores = uj.score(qrels, {"a": runs["a"], "b": runs["b"]}, [measure])
    return float(np.nan_to_num(scores.values[0, 0, 0]).mean() - np.nan_to_num(scores.values[0, 0, 1]).mean())


def seeds(measure: str) -> range:
    # Collections in which the ideal ranking, or R, turns a difference around that no grades alone turn.
    return range(100, 190) if measure in {"nDCG@3", "R@3", "AP", "IPrec@0.5", "nERR@3"} else range(30)


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("measure", [*LINEAR, *OTHERS])
def test_no_labelling_contradicts_certain(measure: str) -> None:
    """Brute force, with R and the ideal ranking following the labels, over random tiny collections."""
    certain = 0
    for seed in seeds(measure):
        qrels, rankings = collection(seed)
        runs = as_runs(rankings)
        comparison = uj.compare(qrels, runs, measure, test="sign", correction="none", draws=20)
        pair = comparison.pair("a", "b")
        if pair.verdict != "certain":
            continue
        certain += 1
        sign = 1 if pair.run == "a" else -1
        for labelled in labellings(qrels, holes_of(qrels, rankings, read_measure(measure).depth()), 2):
            now = sign * difference(labelled, runs, measure)
            if abs(pair.difference) < 1e-12:
                assert abs(now) < 1e-9, (seed, labelled)
            else:
                assert now * pair.difference > 0, (seed, labelled)
    assert certain


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("measure", ["nDCG@3", "DCG@3", "P@3", "R@3", "nDCG(dcg=exp-log2)@2", "P(rel=2)@3"])
def test_worst_and_best_are_exact_with_a_fixed_ideal(measure: str) -> None:
    """The oracle scores labels with plain sums: the weight of each rank is what the measure gives for one document."""
    for seed in range(20):
        qrels, rankings = collection(seed)
        comparison = uj.compare(qrels, as_runs(rankings), measure, test="sign", correction="none", draws=10)
        pair = comparison.pair("a", "b")
        first, second = rankings[pair.run], rankings[pair.other]
        spec = read_measure(measure)
        holes = holes_of(qrels, rankings, spec.depth())
        values = [
            fixed_score(measure, qrels, labelled, first) - fixed_score(measure, qrels, labelled, second)
            for labelled in labellings(qrels, holes, 2)
        ]
        assert pair.bounds == "exact"
        assert pair.worst == pytest.approx(min(values), abs=1e-12)
        assert pair.best == pytest.approx(max(values), abs=1e-12)


def fixed_score(measure: str, qrels: Qrels, labelled: Qrels, ranking: Ranking) -> float:
    """Mean of a measure in plain Python; R and the ideal ranking are those of *qrels*."""
    spec = read_measure(measure)
    cutoff, rel, name = spec.depth() or 10, spec.rel or 1, spec.name
    exponential = getattr(spec, "dcg", "log2") == "exp-log2"

    def dcg(grades: list[int]) -> float:
        gains = [2**g - 1 if exponential else g for g in grades[:cutoff]]
        return float(sum(g / np.log2(i + 2) for i, g in enumerate(gains)))

    total = 0.0
    for topic, docs in ranking.items():
        grades = [labelled[topic].get(doc, 0) for doc in docs[:cutoff]]
        hits, relevant = sum(g >= rel for g in grades), sum(g >= rel for g in qrels[topic].values())
        ideal = dcg(sorted(qrels[topic].values(), reverse=True)) if name == "nDCG" else 1.0
        if name in {"nDCG", "DCG"}:
            total += dcg(grades) / ideal if ideal else 0.0
        elif name == "P":
            total += hits / cutoff
        else:
            total += hits / relevant if relevant else 0.0
    return total / len(qrels)


@pytest.mark.parametrize("measure", ["P@4", "nDCG@4", "AP"])
def test_runs_that_share_their_holes_never_differ_by_them(measure: str) -> None:
    qrels = {"1": {"j1": 2, "j2": 0, "j3": 1}, "2": {"j1": 1, "j2": 0, "j3": 0}}
    first = {"1": ["h1", "j1", "h2", "j2"], "2": ["j1", "h1", "h2"]}
    second = {"1": ["h1", "j3", "h2", "j2"], "2": ["j3", "h1", "h2"]}
    pair = uj.compare(qrels, as_runs({"a": first, "b": second}), measure, test="sign", correction="none").pair("a", "b")
    assert pair.difference > 0
    assert pair.p_greater == 1.0
    if measure != "AP":
        assert pair.worst == pytest.approx(pair.difference, abs=1e-15)
        assert pair.best == pytest.approx(pair.difference, abs=1e-15)
        assert pair.verdict == "certain"


def test_shared_holes_at_other_ranks_do_not_matter_where_ranks_do_not() -> None:
    qrels = {"1": {"j1": 1, "j2": 0}, "2": {"j1": 1}}
    first = {"1": ["h1", "j1", "h2"], "2": ["j1", "h1", "h2"]}
    second = {"1": ["h2", "j2", "h1"], "2": ["h2", "j1", "h1"]}
    pair = uj.compare(qrels, as_runs({"a": first, "b": second}), "P@3", test="sign", correction="none").pair("a", "b")
    assert (pair.worst, pair.best, pair.p_greater, pair.verdict) == (
        pytest.approx(1 / 6),
        pytest.approx(1 / 6),
        1.0,
        "certain",
    )


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "Q", "Bpref", "Rprec"])
@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_duplicates_are_certainly_the_same(measure: str, demo: Path) -> None:
    run = demo / "runs" / "later-neural-base.run"
    runs = {"one": str(run), "two": str(run)}
    comparison = uj.compare(str(demo / "qrels.txt"), runs, measure, draws=50)
    pair = comparison.pair("one", "two")
    assert (pair.difference, pair.worst, pair.best, pair.p, pair.corrected_p) == (0.0, 0.0, 0.0, 1.0, 1.0)
    assert (pair.p_greater, pair.verdict, pair.low, pair.high) == (0.5, "certain", 0.0, 0.0)
    assert [(row.rank_low, row.rank_high) for row in comparison.rows()] == [(1, 1), (1, 1)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("compare") / "demo").directory


def study(demo: Path, measure: str = "nDCG@10", **options: Any) -> Comparison:
    reading = {name: options.pop(name) for name in ("jobs", "progress", "seed") if name in options}
    return compare_study(Collection(demo / "qrels.txt", demo / "runs", **reading), read_measure(measure), **options)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP@20"])
def test_the_same_numbers_for_any_number_of_threads_and_size_of_batches(
    demo: Path, measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = study(demo, measure, jobs=1, draws=100).to_json()
    assert study(demo, measure, jobs=4, draws=100).to_json() == plain
    monkeypatch.setattr("unjudged.engine.numerics.joint_imputations.CELLS", 1)
    assert study(demo, measure, jobs=1, draws=100).to_json() == plain
    monkeypatch.setattr("unjudged.engine.numerics.joint_imputations.CELLS", 1000)
    assert study(demo, measure, jobs=3, draws=100).to_json() == plain


def test_other_seeds_give_other_worlds(demo: Path) -> None:
    assert study(demo, draws=100, seed=1).budget() != study(demo, draws=100, seed=2).budget()


def test_the_demo_run_that_looks_worse_is_not_certainly_worse(demo: Path) -> None:
    """Judged completely it is better, though the p-value is small; see the demo's truth."""
    pair = uj.compare(demo / "qrels.txt", demo / "runs").pair("cedar-fused", "later-neural-base")
    assert pair.run == "cedar-fused"
    assert pair.difference > 0
    assert pair.corrected_p < 0.05
    assert pair.verdict != "certain"
    assert pair.worst is not None
    assert pair.worst < 0
    truth = uj.score(demo / "truth.qrels", demo / "runs", ["nDCG@10"]).mean()
    assert truth["cedar-fused", "nDCG@10"] < truth["later-neural-base", "nDCG@10"]


@pytest.mark.filterwarnings("ignore:RBP@20 reads deeper than the pool")
def test_no_verdict_certain_is_wrong_by_the_truth_of_the_demo(demo: Path) -> None:
    for measure in ("P@10", "RBP@20", "SDCG@10"):
        comparison = uj.compare(demo / "qrels.txt", demo / "runs", measure, draws=50)
        truth = uj.score(demo / "truth.qrels", demo / "runs", [measure]).mean()
        for pair in comparison.pairs():
            # The truth also judges documents that these runs do not return, so only measures without R are held to it.
            if pair.verdict == "certain":
                real = truth[pair.run, measure] - truth[pair.other, measure]
                assert real * pair.difference > 0


def test_ranks_and_budget_add_up(demo: Path) -> None:
    comparison = study(demo, draws=200, prior="pool+run")
    for row in comparison.rows():
        shares = {rank.rank: rank.share for rank in comparison.ranks() if rank.run == row.run}
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares) <= row.rank_low <= row.rank_high <= max(shares)
    for row in comparison.budget():
        judged = next(one.judged for one in comparison.rows() if one.run == row.run)
        assert (row.holes == 0) == (judged == 1)
        assert row.corpus is None
        assert row.together == pytest.approx((row.holes**2 + row.topics**2) ** 0.5, rel=0.2)


def test_without_holes_everything_is_certain(demo: Path) -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = as_runs({"x": {"1": ["a", "b"], "2": ["a"]}, "y": {"1": ["b", "a"], "2": ["a"]}})
    pair = uj.compare(qrels, runs, "nDCG@5", test="sign", correction="none").pair("x", "y")
    assert pair.worst == pair.best == pytest.approx(pair.difference)
    assert pair.verdict == "certain"


def test_baseline_and_top(demo: Path) -> None:
    comparison = study(demo, top=3, baseline="elm-weak", draws=50)
    assert [row.run for row in comparison.rows()] == ["dogwood-fused", "cedar-fused", "later-neural-large", "elm-weak"]
    assert {row.other for row in comparison.pairs()} == {"elm-weak"}
    assert len(comparison.pairs()) == 3
    assert len(study(demo, top=3, draws=50).pairs()) == 3


def test_leaving_runs_out_with_top_changes_no_draw(demo: Path) -> None:
    every, few = study(demo, draws=50), study(demo, top=3, draws=50)
    for pair in few.pairs():
        same = every.pair(pair.run, pair.other)
        assert (pair.p_greater, pair.worst, pair.best, pair.verdict, pair.p) == (
            *(same.p_greater, same.worst, same.best, same.verdict, same.p),
        )


def test_the_summary_says_how_many_pairs_stand_in_the_wrong_order(demo: Path) -> None:
    assert study(demo).summary() == (
        "47 of 66 pairs are certain, 11 likely, 8 undetermined: judging the holes could change them,"
        " and 8 of the likely pairs probably stand in the wrong order."
    )


def test_json_is_a_contract(demo: Path) -> None:
    document = json.loads(study(demo, top=2, draws=50).to_json())
    assert list(document) == ["unjudged", "inputs", "comparison", "rows", "pairs", "ranks", "budget", "warnings"]
    assert list(document["comparison"]) == [
        *("measure", "test", "correction", "interval_method", "draws", "prior", "images", "corpus_size"),
        *("topics", "baseline"),
    ]
    assert list(document["rows"][0]) == [
        *("run", "rank", "mean", "low", "high", "judged", "expected", "rank_low", "rank_high"),
    ]
    assert list(document["pairs"][0]) == [
        *("run", "other", "difference", "low", "high", "p", "corrected_p", "worst", "best", "bounds"),
        *("p_greater", "verdict", "cohens_d", "common_language", "p_greater_corpus"),
        *("p_holes", "corrected_p_holes"),
    ]
    assert list(document["ranks"][0]) == ["run", "rank", "share"]
    assert list(document["budget"][0]) == ["run", "holes", "topics", "corpus", "together"]


def test_where_most_documents_are_unjudged_the_user_is_told_what_verdicts_rest_on(demo: Path) -> None:
    notices = {notice.code: notice.message for notice in study(demo, "AP", draws=10).warnings}
    share = uj.score(demo / "qrels.txt", demo / "runs", "AP").judged.mean()
    assert share < 0.5
    assert notices["mostly-holes"] == (
        f"only {share:.1%} of the documents that AP looks at are judged: P(A>B) and the verdict 'likely' rest mostly on"
        " a belief about the others; use a lower cut-off"
    )
    assert "mostly-holes" not in [notice.code for notice in study(demo, draws=10).warnings]
    condensed = study(demo, "AP(judged_only=True)", draws=10)  # takes no grades, so there is nothing to believe
    assert "mostly-holes" not in [notice.code for notice in condensed.warnings]


def test_frames(demo: Path) -> None:
    comparison = study(demo, top=3, draws=50)
    assert list(comparison.to_frame("pandas", table="pairs")["verdict"]) == [row.verdict for row in comparison.pairs()]
    with pytest.raises(
        uj.InputError, match="table must be one of rows, pairs, ranks, budget, segments, segment_pairs, not 'pair'"
    ):
        comparison.to_frame(table="pair")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "GMAP"}, "GMAP is not a mean over topics; compare with a measure that is, such as nDCG@10"),
        ({"measure": "official"}, "'official' stands for"),
        ({"top": 1}, "a comparison needs at least two runs, not the top 1"),
        ({"draws": 0}, "draws must be a whole number of at least 1, not 0"),
        ({"baseline": "bm25"}, "no run is named 'bm25', which --baseline asks for; there is a, b"),
        ({"test": "chi2"}, "unknown significance test 'chi2'"),
        ({"correction": "sidak"}, "unknown correction 'sidak'"),
        ({"interval_method": "normal"}, "unknown interval method 'normal' (there are basic, bca, percentile, t)"),
        ({"pool": {"0": ["x"]}, "pool_depth": 5}, "give a pool or a pool depth, not both"),
        ({"corpus": uj.CorpusBootstrap(images=2, corpus_size=3)}, "a corpus of 3 documents cannot hold the"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    qrels, rankings = collection(1)
    with pytest.raises(uj.UnjudgedError) as problem:
        uj.compare(qrels, as_runs(rankings), **options)
    assert str(problem.value).startswith(message)


def test_one_run_is_no_comparison() -> None:
    with pytest.raises(uj.InputError, match="a comparison needs at least two runs, not 1"):
        uj.compare({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}})


# ---- many runs


def files_that_are_not_there(number: int) -> list[str]:
    return [f"nowhere/{i}.run" for i in range(number)]


@pytest.mark.parametrize(("number", "top"), [(1001, None), (5000, 1001), (5000, None)])
def test_too_many_pairs_are_refused_before_any_run_is_read(number: int, top: int | None) -> None:
    compared = top or number
    with pytest.raises(uj.InputError) as caught:
        uj.compare({"1": {"a": 1}}, files_that_are_not_there(number), top=top)
    assert str(caught.value) == (
        f"all pairs of {compared:,} runs are {compared * (compared - 1) // 2:,}, and compare takes up to 1,000 runs"
        " (499,500 pairs): use --top 1000, or --baseline RUN to compare all with one"
    )


@pytest.mark.parametrize("how", [{}, {"top": 1000}, {"top": 2}, {"baseline": "x"}])
def test_as_many_runs_as_can_be_compared_are_read(how: dict[str, Any]) -> None:
    number = 5000 if how else 1000
    with pytest.raises(uj.InputError, match=r"^nowhere/.*run: no such file$"):
        uj.compare({"1": {"a": 1}}, files_that_are_not_there(number), **how)


def test_a_comparison_of_more_runs_than_that_with_one_of_them() -> None:
    runs = {f"r{i}": {"1": {"a": 1.0, f"x{i % 7}": float(i % 3)}} for i in range(1002)}
    comparison = uj.compare({"1": {"a": 1, "b": 0}}, runs, "P@1", baseline="r5", draws=2)
    assert len(comparison.pairs()) == 1001


def test_json_of_many_pairs_is_written_in_little_more_than_its_own_memory() -> None:
    rows = [{"run": f"run {i}", "difference": i / 7, "low": i / 3, "high": i / 11} for i in range(20_000)]
    qrels = {"1": {"a": 1, "b": 0}}
    provenance = uj.compare(qrels, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, "P@1").provenance
    tracemalloc.start()
    text = provenance.document({"pairs": rows}, ())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert json.loads(text)["pairs"] == rows
    assert peak < 4 * len(text)
