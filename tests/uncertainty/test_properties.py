"""Properties of measures against loops in plain Python."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from functools import cache
from itertools import combinations, product

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
    differences_on_images,
    rank_variation,
    score_deviations,
)
from unjudged.uncertainty.corpus import BLOCK_IMAGES
from unjudged.uncertainty.properties import PredictionInterval
from unjudged.uncertainty.shallow_pools import ShallowPools, shallow_pools

MEASURES = ["AP", "P@5", "RR", "Accuracy"]  # Accuracy is undefined on some images
NAMES = ("a", "b", "c", "d")


def collection() -> tuple[dict[str, RunDict], QrelsDict]:
    qrels = random_collection(0)[1]
    runs = {name: random_collection(seed)[0] for seed, name in enumerate(NAMES)}
    runs["d"] = runs["a"]  # a duplicate: no difference, the same rank
    return runs, qrels


@cache
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
@pytest.mark.parametrize(("level", "images"), [(0.9, 20), (0.5, 11), (0.5, 4), (0.9, 3)])
def test_each_image_is_predicted_by_all_others(interval: PredictionInterval, level: float, images: int) -> None:
    scores_on_images = drawn(images)
    differences = differences_on_images(scores_on_images, level=level)
    outside = 0
    for measure in MEASURES:
        below, above = [0] * images, [0] * images
        every = triples(scores_on_images, measure)
        for values_ in every:
            for image, value in enumerate(values_):
                others = values_[:image] + values_[image + 1 :]
                if interval == "percentile":
                    low, high = np.percentile(others, [50 - 50 * level, 50 + 50 * level])
                else:
                    times = t.ppf(0.5 + level / 2, len(others) - 1) * math.sqrt(1 + 1 / len(others))
                    half = times * statistics.stdev(others)
                    low, high = statistics.fmean(others) - half, statistics.fmean(others) + half
                below[image] += value < low - 1e-12
                above[image] += value > high + 1e-12
        got, number = differences[measure].predictions[interval], len(every)
        shares = [1 - (low + high) / number for low, high in zip(below, above, strict=True)]
        assert got == pytest.approx(
            (
                sum(below) / number / images,
                statistics.fmean(shares),
                sum(above) / number / images,
                min(shares),
                max(shares),
            )
        )
        outside += sum(below) + sum(above)
    assert outside


def test_a_measure_that_is_undefined_everywhere_predicts_nothing() -> None:
    images = drawn(5)
    scores = images.every_score().copy()
    scores[MEASURES.index("RR"), ..., 2] = np.nan
    got = differences_on_images(replace(images, scores=scores))
    assert all(map(math.isnan, got["RR"].predictions["t"]))
    assert all(map(math.isnan, [*got["RR"].deviation, *got["RR"].of_topics]))
    assert sum(got["AP"].predictions["t"][:3]) == pytest.approx(1)


def test_deviations_of_differences() -> None:
    images = drawn()
    for m, (measure, got) in enumerate(differences_on_images(images).items()):
        every = [statistics.stdev(one) for one in triples(images, measure)]
        assert got.deviation == pytest.approx((statistics.fmean(every), statistics.stdev(every)), rel=1e-9)
        root = images.root[m]
        sizes = [abs(x - y) for first, second in combinations(root, 2) for x, y in zip(first, second, strict=True)]
        assert got.size == pytest.approx(statistics.fmean(size for size in sizes if not math.isnan(size)))
        for topic, deviation in enumerate(got.of_topics):
            some = replace(images, topics=images.topics[topic : topic + 1], scores=images.every_score()[:, :, [topic]])
            expected = [statistics.stdev(one) for one in triples(some, measure)]
            assert deviation == pytest.approx(statistics.fmean(expected) if expected else math.nan, nan_ok=True)


@pytest.mark.parametrize("cells", [1, 90])
def test_neither_threads_nor_blocks_change_them(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    images = drawn()
    plain = differences_on_images(images, jobs=1)
    monkeypatch.setattr("unjudged.uncertainty.properties._CELLS", cells)
    for measure, got in differences_on_images(images, jobs=3).items():
        for name in ("size", "deviation", "of_topics", "predictions"):
            np.testing.assert_equal(getattr(got, name), getattr(plain[measure], name))


def test_deviations_of_scores() -> None:
    images = drawn()
    got = score_deviations(images)
    assert set(got) == {(run, measure) for run in NAMES for measure in MEASURES}
    for (run, measure), spread in got.items():
        topics = [values(images, measure, run, topic) for topic in range(len(images.topics))]
        known = [[value for value in one if not math.isnan(value)] for one in topics]
        every = [statistics.stdev(one) for one in known if len(one) > 1]
        assert spread == pytest.approx((statistics.fmean(every), statistics.stdev(every)), rel=1e-9)


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


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match=r"this needs the score on every image: resample\(\.\.\., keep=True\)"):
        differences_on_images(drawn(5, keep=False))
    with pytest.raises(InputError, match="this needs at least 3 images, not 2"):
        differences_on_images(drawn(2))
    with pytest.raises(InputError, match="level must be a number above 0 and below 1, not 95"):
        differences_on_images(drawn(5), level=95)
    with pytest.raises(InputError, match="pools of two runs need two runs, not 1"):
        pools(1)
    with pytest.raises(InputError, match=r"the depth of a pool must be a whole number of at least 1, not 0"):
        pools(2, depths=(0,))


# ---- shallow pools

SHALLOW = ("AP", "RBP(p=0.8)", "nDCG@5", "P@4", "Bpref", "Unjudged@4")  # the last two look at more than gains
PAIRS = list(combinations("abc", 2))


def three() -> tuple[list[Run], QrelsDict]:
    runs, qrels = collection()
    return [make_run(runs[name]).renamed(name) for name in "abc"], qrels


@cache
def pools(
    number: int = 3, *, jobs: int = 1, depths: tuple[int | None, ...] = (2, 4, None), names: tuple[str, ...] = SHALLOW
) -> ShallowPools:
    runs, qrels = three()
    how = CorpusBootstrap(images=70, corpus_size=400)
    chosen = list(map(measures.parse, names))
    return shallow_pools(runs[:number], make_qrels(qrels), chosen, how, depths=depths, jobs=jobs)


def written(image: int | None, depth: int | None, pair: tuple[str, str]) -> tuple[dict[str, RunDict], QrelsDict]:
    """One image as a real collection, judged as far as one of the two runs returns a document among its first."""
    runs, qrels = three()
    corpus = Corpus.of(runs, make_qrels(qrels), 400)
    count = dict.fromkeys(corpus.documents, 1)
    if image is not None:
        copies = corpus.draw(42, image - image % BLOCK_IMAGES).copies[:, image % BLOCK_IMAGES]
        count = dict(zip(corpus.documents, copies.tolist(), strict=True))
    rankings: dict[str, RunDict] = {}
    pool: dict[str, set[str]] = {topic: set() for topic in qrels}
    for run in runs:
        if run.name not in pair:
            continue
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
    assert list(shallow.pairs) == PAIRS
    for (d, depth), (i, pair) in product(enumerate(shallow.depths), enumerate(PAIRS)):
        rankings, qrels = written(image, depth, pair)
        measures = [m if m != "RBP(p=0.8)" else "RBP(p=0.8,max_grade=3)" for m in SHALLOW]
        scores = uj.score(qrels, rankings, measures, negative="pooled")
        order = [scores.topics.index(topic) for topic in shallow.topics]
        for m, measure in enumerate(SHALLOW):
            first, second = scores.values[0, m, 0, order], scores.values[0, m, 1, order]
            got = shallow.root[i, m, d] if image is None else shallow.differences[i, m, d, image]
            np.testing.assert_allclose(got, first - second, atol=1e-12, err_msg=f"{measure} {depth}")
            p = shallow.root_p[i, m, d] if image is None else shallow.p[i, m, d, image]
            expected = ttest_rel(first, second).pvalue if np.ptp(first - second) > 1e-12 else 1.0
            assert p == pytest.approx(expected, rel=1e-6), (measure, depth)


def test_threads_do_not_change_shallow_pools() -> None:
    one, several = pools(jobs=1), pools(jobs=3)
    for name in ("root", "root_p", "differences", "p"):
        np.testing.assert_array_equal(getattr(one, name), getattr(several, name))


def test_topics_for_which_a_measure_is_undefined_are_left_out_of_the_test() -> None:
    """Accuracy compares relevant with other judged documents; a pool of two has few of both."""
    shallow = pools(2, depths=(2,), names=("Accuracy",))
    some = 0
    for differences, p in zip(shallow.differences[0, 0, 0], shallow.p[0, 0, 0], strict=True):
        known = differences[~np.isnan(differences)]
        some += 0 < len(known) < len(differences)
        if not len(known):
            assert math.isnan(p)
        elif np.ptp(known) > 1e-12:
            assert p == pytest.approx(ttest_rel(known, np.zeros(len(known))).pvalue, rel=1e-6)
    assert some


def test_a_pool_as_deep_as_the_runs_judges_what_they_return() -> None:
    """Documents that neither run returns lose their judgments, so measures with R or an ideal ranking may change."""
    shallow = pools(depths=(10_000, None))
    rbp, ap = SHALLOW.index("RBP(p=0.8)"), SHALLOW.index("AP")
    np.testing.assert_allclose(shallow.differences[:, rbp, 0], shallow.differences[:, rbp, 1], atol=1e-12)
    assert not np.allclose(shallow.differences[:, ap, 0], shallow.differences[:, ap, 1])


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
    one, other = differences_on_images(there)["M"], differences_on_images(back)["M"]
    first, second = one.predictions[interval], other.predictions[interval]
    assert (first.below, first.inside, first.above) == pytest.approx((second.above, second.inside, second.below))
    assert one.deviation == pytest.approx(other.deviation)
    for run, name in enumerate(there.runs):
        mirrored = back.runs[len(back.runs) - 1 - run]
        assert rank_variation(there)[name, "M"] == rank_variation(back)[mirrored, "M"]


@given(SCORES, st.lists(st.sampled_from([-0.5, 0.0, 2.0]), min_size=18, max_size=18))
def test_what_moves_all_runs_alike_moves_no_difference(scores: NDArray[np.float64], moves: list[float]) -> None:
    """Images with many or few relevant documents: scores rise and fall together, and only score_deviations sees it."""
    moved = made_up(scores + np.array(moves).reshape(3, 6))
    before, after = (differences_on_images(one)["M"].deviation for one in (made_up(scores), moved))
    assert after == pytest.approx(before, abs=1e-12)
    assert rank_variation(moved) == rank_variation(made_up(scores))
