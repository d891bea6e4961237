"""Properties of measures against loops in plain Python."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from measure_views import QrelsDict, RunDict, make_qrels, make_run, random_collection
from numpy.typing import NDArray
from scipy.stats import t, ttest_rel

import unjudged as uj
from unjudged.data.run import Run
from unjudged.errors import InputError
from unjudged.measures import measures
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.uncertainty import (
    Corpus,
    CorpusBootstrap,
    bootstrap_corpus,
    difference_deviations,
    predictive_check,
    rank_variation,
    score_deviations,
)
from unjudged.uncertainty.corpus import BLOCK_IMAGES
from unjudged.uncertainty.properties import PredictionInterval
from unjudged.uncertainty.shallow_pools import ShallowPools, pooled_only, shallow_pools

MEASURES = ["AP", "P@5", "RR", "Accuracy"]  # Accuracy is undefined on some images
NAMES = ("a", "b", "c", "d")


def collection() -> tuple[dict[str, RunDict], QrelsDict]:
    qrels = random_collection(0)[1]
    runs = {name: random_collection(seed)[0] for seed, name in enumerate(NAMES)}
    runs["d"] = runs["a"]  # a duplicate: no difference, the same rank
    return runs, qrels


def drawn(images: int = 40, *, keep: bool = True) -> ImageScores:
    runs, qrels = collection()
    given = [make_run(run).renamed(name) for name, run in runs.items()]
    how = CorpusBootstrap(images=images, corpus_size=400)
    return bootstrap_corpus(given, make_qrels(qrels), list(map(measures.parse, MEASURES)), how, keep=keep)


def values(images: ImageScores, measure: str, run: str, topic: int) -> list[float]:
    return images.every_score()[images.measures.index(measure), images.runs.index(run), topic].tolist()  # type: ignore[no-any-return]


def triples(images: ImageScores, measure: str) -> list[list[float]]:
    """The differences over images of every two runs and topic."""
    out = []
    for first, second in combinations(images.runs, 2):
        for topic in range(len(images.topics)):
            both = zip(values(images, measure, first, topic), values(images, measure, second, topic), strict=True)
            out.append([x - y for x, y in both])
    return [one for one in out if not any(map(math.isnan, one))]


@pytest.mark.parametrize("interval", ["percentile", "t"])
@pytest.mark.parametrize(("level", "images"), [(0.95, 45), (0.5, 45), (0.5, 4)])
def test_predictive_check(interval: PredictionInterval, level: float, images: int) -> None:
    scores_on_images = drawn(images)
    got = predictive_check(scores_on_images, level=level, interval=interval)
    outside = 0
    for measure in MEASURES:
        below = above = 0
        every = triples(scores_on_images, measure)
        for *seen, last in every:
            if interval == "percentile":
                low, high = np.percentile(seen, [50 - 50 * level, 50 + 50 * level])
            else:
                half = t.ppf(0.5 + level / 2, len(seen) - 1) * statistics.stdev(seen) * math.sqrt(1 + 1 / len(seen))
                low, high = statistics.fmean(seen) - half, statistics.fmean(seen) + half
            below += last < low - 1e-12
            above += last > high + 1e-12
        assert got[measure].below == pytest.approx(below / len(every))
        assert got[measure].above == pytest.approx(above / len(every))
        assert sum(got[measure]) == pytest.approx(1)
        outside += below + above
    assert outside


def test_a_measure_that_is_undefined_everywhere_predicts_nothing() -> None:
    images = drawn(5)
    scores = images.every_score().copy()
    scores[MEASURES.index("RR"), ..., 2] = np.nan
    got = predictive_check(replace(images, scores=scores))
    assert all(map(math.isnan, got["RR"]))
    assert sum(got["AP"]) == pytest.approx(1)


@pytest.mark.parametrize("ddof", [0, 1])
def test_deviations_of_differences(ddof: int) -> None:
    images = drawn()
    deviation = statistics.stdev if ddof else statistics.pstdev
    for measure, got in difference_deviations(images, ddof=ddof).items():
        every = [deviation(one) for one in triples(images, measure)]
        assert got == pytest.approx((statistics.fmean(every), deviation(every)), rel=1e-9)


@pytest.mark.parametrize("ddof", [0, 1])
def test_deviations_of_scores(ddof: int) -> None:
    images = drawn()
    deviation = statistics.stdev if ddof else statistics.pstdev
    got = score_deviations(images, ddof=ddof)
    assert set(got) == {(run, measure) for run in NAMES for measure in MEASURES}
    for (run, measure), spread in got.items():
        topics = [values(images, measure, run, topic) for topic in range(len(images.topics))]
        every = [deviation(one) for one in topics if not any(map(math.isnan, one))]
        assert spread == pytest.approx((statistics.fmean(every), deviation(every)), rel=1e-9)


def test_rank_variation() -> None:
    images = drawn(keep=False)
    got = rank_variation(images)
    for m, measure in enumerate(MEASURES[:3]):
        ranks: dict[str, list[int]] = {name: [] for name in NAMES}
        for image in range(images.images):
            means = dict(zip(NAMES, images.means[m, :, image].tolist(), strict=True))
            for name in NAMES:
                ranks[name].append(1 + sum(other > means[name] + 1e-12 for other in means.values()))
        for name in NAMES:
            quartiles = statistics.quantiles(ranks[name], n=4, method="inclusive")
            assert got[name, measure] == (min(ranks[name]), *quartiles, max(ranks[name]))
        assert ranks["a"] == ranks["d"]


def test_a_part_is_what_fewer_images_give() -> None:
    """Images 0 to 20 of 40 are the first 20; the second half has its own statistics."""
    whole, first = drawn(40), drawn(20)
    part = whole.part(0, 20)
    for name in ("mean", "sd", "means", "scores"):
        np.testing.assert_allclose(getattr(part, name), getattr(first, name), atol=1e-12)
    assert part.images == 20
    second = whole.part(20, 40)
    np.testing.assert_array_equal(second.every_score(), whole.every_score()[..., 20:])
    np.testing.assert_array_equal(second.means, whole.means[..., 20:])


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match=r"this needs the score on every image: resample\(\.\.\., keep=True\)"):
        difference_deviations(drawn(5, keep=False))
    with pytest.raises(InputError, match="this needs at least 3 images, not 2"):
        predictive_check(drawn(2))
    with pytest.raises(InputError, match="interval must be one of 'percentile', 't', not 'bca'"):
        predictive_check(drawn(5), interval="bca")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="level must be a number above 0 and below 1, not 95"):
        predictive_check(drawn(5), level=95)
    with pytest.raises(InputError, match="there are images 0 to 5, not 3 to 6"):
        drawn(5).part(3, 6)
    with pytest.raises(InputError, match="a pool of two runs needs two runs, not 1"):
        pools(1)
    with pytest.raises(InputError, match=r"the depth of a pool must be a whole number of at least 1, not 0"):
        pools(2, depths=(0,))


# ---- shallow pools

SHALLOW = ["AP", "RBP(p=0.8)", "nDCG@5", "Bpref"]


def two() -> tuple[list[Run], QrelsDict]:
    runs, qrels = collection()
    return [make_run(runs[name]).renamed(name) for name in ("a", "b")], qrels


def pools(number: int = 2, *, jobs: int = 1, depths: tuple[int | None, ...] = (2, 4, None)) -> ShallowPools:
    runs, qrels = two()
    how = CorpusBootstrap(images=70, corpus_size=400)
    chosen = list(map(measures.parse, SHALLOW))
    return shallow_pools(runs[:number], make_qrels(qrels), chosen, how, depths=depths, jobs=jobs)


def written(image: int | None, depth: int | None) -> tuple[dict[str, RunDict], QrelsDict]:
    """One image as a real collection, judged as far as one of the two runs returns a document among its first."""
    runs, qrels = two()
    corpus = Corpus.of(runs, make_qrels(qrels), 400)
    count = dict.fromkeys(corpus.documents, 1)
    if image is not None:
        copies = corpus.draw(42, image - image % BLOCK_IMAGES).copies[:, image % BLOCK_IMAGES]
        count = dict(zip(corpus.documents, copies.tolist(), strict=True))
    rankings: dict[str, RunDict] = {}
    pool: dict[str, set[str]] = {topic: set() for topic in qrels}
    for run in runs:
        rankings[run.name] = {}
        for topic in run.topics:
            names = [f"{doc}/{i}" for doc, _ in run.ranking(topic) for i in range(count[doc])]
            rankings[run.name][topic] = {name: -float(rank) for rank, name in enumerate(names)}
            if topic in pool:
                pool[topic] |= set(names[:depth])
    judged = {
        topic: {f"{doc}/{i}": grade for doc, grade in docs.items() for i in range(count[doc])}
        for topic, docs in qrels.items()
    }
    if depth is not None:
        judged = {topic: {d: g for d, g in docs.items() if d in pool[topic]} for topic, docs in judged.items()}
    # A topic that has lost all its judgments still counts: with one that nobody returns, every score is 0.
    return rankings, {topic: docs or {"nobody/0": 0} for topic, docs in judged.items()}


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("image", [None, 0, 5, 69])
def test_shallow_pools_of_an_image_written_out(image: int | None) -> None:
    shallow = pools()
    for d, depth in enumerate(shallow.depths):
        rankings, qrels = written(image, depth)
        measures = [m if m != "RBP(p=0.8)" else "RBP(p=0.8,max_grade=3)" for m in SHALLOW]
        scores = uj.score(qrels, rankings, measures, negative="pooled")
        order = [scores.topics.index(topic) for topic in shallow.topics]
        for m, measure in enumerate(SHALLOW):
            first, second = scores.values[0, m, 0, order], scores.values[0, m, 1, order]
            got = shallow.root[m, d] if image is None else shallow.differences[m, d, image]
            np.testing.assert_allclose(got, first - second, atol=1e-12, err_msg=f"{measure} {depth}")
            p = shallow.root_p[m, d] if image is None else shallow.p[m, d, image]
            expected = ttest_rel(first, second).pvalue if np.ptp(first - second) > 1e-12 else 1.0
            assert p == pytest.approx(expected, rel=1e-6), (measure, depth)


def test_threads_do_not_change_shallow_pools() -> None:
    one, several = pools(jobs=1), pools(jobs=3)
    for name in ("root", "root_p", "differences", "p"):
        np.testing.assert_array_equal(getattr(one, name), getattr(several, name))


def test_a_pool_as_deep_as_the_runs_judges_what_they_return() -> None:
    """Documents that neither run returns lose their judgments, so measures with R or an ideal ranking may change."""
    shallow = pools(depths=(10_000, None))
    rbp, ap = SHALLOW.index("RBP(p=0.8)"), SHALLOW.index("AP")
    np.testing.assert_allclose(shallow.differences[rbp, 0], shallow.differences[rbp, 1], atol=1e-12)
    assert not np.allclose(shallow.differences[ap, 0], shallow.differences[ap, 1])
    with pytest.raises(TypeError, match="does not say which documents"):
        view = Corpus.of(two()[0], make_qrels(two()[1]), 400).views[0]
        pooled_only(type(view)(view.qrels, view.topics, view.offsets, view.grades, view.states), 3)


# ---- invariants


def made_up(scores: NDArray[np.float64]) -> ImageScores:
    """Scores (runs, topics, images) of one measure, as if they had been drawn."""
    runs, topics, images = scores.shape
    every = scores[None]
    return ImageScores(
        runs=tuple(f"r{i}" for i in range(runs)),
        topics=tuple(map(str, range(topics))),
        measures=("M",),
        corpus_size=100,
        images=images,
        seed=42,
        root=every[..., 0],
        mean=every.mean(axis=-1),
        sd=every.std(axis=-1, ddof=1),
        root_means=every[..., 0].mean(axis=-1),
        means=every.mean(axis=2),
        scores=every,
    )


SCORES = st.integers(2, 4).flatmap(
    lambda runs: arrays(np.float64, (runs, 3, 6), elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
)


@given(SCORES, st.sampled_from(["percentile", "t"]))
def test_turning_the_order_of_runs_around_mirrors_differences(
    scores: NDArray[np.float64], interval: PredictionInterval
) -> None:
    there, back = made_up(scores), made_up(scores[::-1])
    first = predictive_check(there, interval=interval)["M"]
    second = predictive_check(back, interval=interval)["M"]
    assert (first.below, first.inside, first.above) == pytest.approx((second.above, second.inside, second.below))
    assert difference_deviations(there)["M"] == pytest.approx(difference_deviations(back)["M"])
    for run, name in enumerate(there.runs):
        mirrored = back.runs[len(back.runs) - 1 - run]
        assert rank_variation(there)[name, "M"] == rank_variation(back)[mirrored, "M"]


@given(SCORES, st.lists(st.sampled_from([-0.5, 0.0, 2.0]), min_size=18, max_size=18))
def test_what_moves_all_runs_alike_moves_no_difference(scores: NDArray[np.float64], moves: list[float]) -> None:
    """Images with many or few relevant documents: scores rise and fall together, and only score_deviations sees it."""
    moved = made_up(scores + np.array(moves).reshape(3, 6))
    assert difference_deviations(moved)["M"] == pytest.approx(difference_deviations(made_up(scores))["M"], abs=1e-12)
    assert rank_variation(moved) == rank_variation(made_up(scores))
