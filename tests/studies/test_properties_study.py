"""properties: its tables against the scores on images that they are made of, in plain Python."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from scipy.stats import ttest_rel

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.errors import InputError
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.uncertainty.ranks import ranks_of_means

T = TypeVar("T")

MEASURES = ["nDCG@10", "AP", "P@10"]
HOW = uj.CorpusBootstrap(images=40, corpus_size=1500)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("properties") / "demo").directory


@pytest.fixture(scope="module")
def result(demo: Path) -> uj.Properties:
    return uj.properties(demo / "qrels.txt", demo / "runs", MEASURES, corpus=HOW, shallow=[3, 6], shallow_runs=3)


@pytest.fixture(scope="module")
def images(demo: Path) -> ImageScores:
    return uj.resample(demo / "qrels.txt", demo / "runs", MEASURES, HOW, keep=True)


def values(images: ImageScores, measure: str, run: str) -> list[list[float]]:
    """Scores by topic and image."""
    return images.every_score()[images.measures.index(measure), images.runs.index(run)].tolist()  # type: ignore[no-any-return]


def percentiles(numbers: list[float], *levels: float) -> tuple[float, ...]:
    return tuple(float(one) for one in np.percentile(numbers, levels))


def test_runs_are_listed_best_first_by_the_first_measure(result: uj.Properties, demo: Path) -> None:
    means = uj.score(demo / "qrels.txt", demo / "runs", MEASURES).mean()
    listed = [row.run for row in result.runs() if row.measure == "AP"]
    assert listed == sorted(listed, key=lambda run: -means[run, "nDCG@10"])
    for row in result.runs():
        assert row.mean == pytest.approx(means[row.run, row.measure])
    assert (result.by, result.top, result.images, result.corpus_size) == ("nDCG@10", None, 40, 1500)


def test_what_becomes_of_a_run(result: uj.Properties, images: ImageScores) -> None:
    for row in result.runs():
        on_images = images.of(row.run, row.measure).tolist()
        assert (row.images_mean, row.sd) == pytest.approx((statistics.fmean(on_images), statistics.stdev(on_images)))
        assert (row.low, row.high) == pytest.approx(percentiles(on_images, 2.5, 97.5))
        deviations = [statistics.stdev(topic) for topic in values(images, row.measure, row.run)]
        assert row.score_sd == pytest.approx(statistics.fmean(deviations))
        assert row.score_spread == pytest.approx(statistics.stdev(deviations))
        ranks = ranks_of_means(images.means[images.measures.index(row.measure)])[images.runs.index(row.run)].tolist()
        assert (row.best, row.worst) == (min(ranks), max(ranks))
        assert (row.lower, row.median, row.upper) == pytest.approx(percentiles(ranks, 25, 50, 75))
        better = [other for other in result.runs() if other.measure == row.measure and other.mean > row.mean + 1e-12]  # type: ignore[operator]
        assert row.rank == 1 + len(better)


def test_how_precise_a_measure_is(result: uj.Properties, images: ImageScores) -> None:
    for m, row in enumerate(result.precision()):
        assert row.measure == MEASURES[m]
        scores = {run: values(images, row.measure, run) for run in images.runs}
        moved = [
            statistics.stdev(x - y for x, y in zip(first, second, strict=True))
            for one, other in combinations(images.runs, 2)
            for first, second in zip(scores[one], scores[other], strict=True)
        ]
        assert (row.difference_sd, row.difference_spread) == pytest.approx(
            (statistics.fmean(moved), statistics.stdev(moved))
        )
        pairs = combinations(images.root[m].tolist(), 2)
        sizes = [abs(x - y) for one, other in pairs for x, y in zip(one, other, strict=True)]
        assert row.difference == pytest.approx(statistics.fmean(sizes))
        alone = [statistics.stdev(topic) for of_run in scores.values() for topic in of_run]
        assert (row.score_sd, row.score_spread) == pytest.approx((statistics.fmean(alone), statistics.stdev(alone)))
        runs = [one for one in result.runs() if one.measure == row.measure]
        assert row.mean_sd == pytest.approx(statistics.fmean(one.sd for one in runs))  # type: ignore[misc]
        assert row.mean_width == pytest.approx(statistics.fmean(one.high - one.low for one in runs))  # type: ignore[operator]
        assert row.mean_shift == pytest.approx(statistics.fmean(one.images_mean - one.mean for one in runs))  # type: ignore[operator]
        assert row.quartiles_apart == pytest.approx(statistics.fmean(one.upper - one.lower for one in runs))
        assert row.ranks_apart == pytest.approx(statistics.fmean(one.worst - one.best for one in runs))
        assert result.measure(row.measure) == row


def test_topics(result: uj.Properties, images: ImageScores, demo: Path) -> None:
    relevant: dict[str, int] = {}
    for line in (demo / "qrels.txt").read_text().splitlines():
        topic, _, _, grade = line.split()
        relevant[topic] = relevant.get(topic, 0) + (int(grade) > 0)
    for row in result.topics():
        t = images.topics.index(row.topic)
        scores = [values(images, row.measure, run)[t] for run in images.runs]
        deviations = [statistics.stdev(one) for one in scores]
        assert row.relevant == relevant[row.topic]
        assert row.score_sd == pytest.approx(statistics.fmean(deviations))
        assert row.score_sd_high == pytest.approx(*percentiles(deviations, 95))
        moved = [
            statistics.stdev(x - y for x, y in zip(first, second, strict=True))
            for first, second in combinations(scores, 2)
        ]
        assert row.difference_sd == pytest.approx(statistics.fmean(moved))


def test_every_run_on_every_topic(result: uj.Properties, images: ImageScores) -> None:
    rows = result.scores()
    assert len(rows) == 3 * 12 * 25
    for row in rows[::7]:
        m, r, t = images.measures.index(row.measure), images.runs.index(row.run), images.topics.index(row.topic)
        drawn = values(images, row.measure, row.run)[t]
        assert row.score == images.root[m, r, t]
        assert (row.mean, row.sd) == pytest.approx((statistics.fmean(drawn), statistics.stdev(drawn)))
        assert row[6:] == pytest.approx(percentiles(drawn, 2.5, 25, 50, 75, 97.5))


def test_pairs(result: uj.Properties, images: ImageScores) -> None:
    pairs = [row for row in result.pairs() if row.measure == "AP"]
    assert len(pairs) == 66
    p_values = []
    for row in pairs:
        first, second = (images.root[1, images.runs.index(run)] for run in (row.run, row.other))
        assert row.difference == pytest.approx(float((first - second).mean()))
        assert row.p == pytest.approx(float(ttest_rel(first, second).pvalue))
        p_values.append(row.p)
        one, other = images.of(row.run, "AP"), images.of(row.other, "AP")
        gaps = (one - other).tolist()
        assert row.sd == pytest.approx(statistics.stdev(gaps))
        assert (row.low, row.high) == pytest.approx(percentiles(gaps, 2.5, 97.5))
        assert row.p_greater == pytest.approx(statistics.fmean(gap > 0 for gap in gaps))
        ends = [percentiles(of.tolist(), 2.5, 97.5) for of in (one, other)]
        outside = not ends[1][0] <= one.mean() <= ends[1][1] and not ends[0][0] <= other.mean() <= ends[0][1]
        assert (row.gap > 1) == outside  # type: ignore[operator]
        assert row.disjoint == (max(low for low, _ in ends) > min(high for _, high in ends))
    smallest = min(pairs, key=lambda row: row.p)
    assert smallest.corrected_p == pytest.approx(66 * min(p_values))


def test_rules_count_pairs(result: uj.Properties) -> None:
    for row in result.tests():
        pairs = [one for one in result.pairs() if one.measure == row.measure]
        apart = {
            "outside": [one for one in pairs if one.gap is None or one.gap > 1],
            "disjoint": [one for one in pairs if one.disjoint],
            "difference": [one for one in pairs if one.low > 0 or one.high < 0],  # type: ignore[operator]
            "scaled": [one for one in pairs if one.gap is None or one.gap > (row.factor or 0)],
        }[row.rule]
        assert (row.pairs, row.apart) == (66, len(apart))
        assert row.significant == sum(one.p < 0.05 for one in pairs)
        assert row.both == sum(one.p < 0.05 for one in apart)
        assert row.corrected == sum(one.corrected_p < 0.05 for one in pairs)
        assert row.both_corrected == sum(one.corrected_p < 0.05 for one in apart)
        if row.rule == "scaled":
            assert row.both >= 0.95 * row.apart


def test_predictions_are_of_both_kinds(result: uj.Properties) -> None:
    kinds = [(row.measure, row.interval) for row in result.prediction()]
    assert kinds == [(measure, kind) for measure in MEASURES for kind in ("t", "percentile")]
    for row in result.prediction():
        assert row.below + row.inside + row.above == pytest.approx(1)  # type: ignore[operator]
        assert 0 < row.lowest < row.inside < row.highest <= 1  # type: ignore[operator]


# ---- shallow pools


def test_shallow_pools_of_the_best_runs(result: uj.Properties) -> None:
    best = [row.run for row in result.runs()[:3]]
    rows = result.shallow_pairs()
    assert [(row.run, row.other) for row in rows[::3]] == list(combinations(best, 2)) * 3
    assert [row.depth for row in rows[:3]] == [3, 6, None]
    every = result.shallow_images()
    assert len(every) == 40 * len(rows)
    for i, row in enumerate(rows):
        images = every[40 * i : 40 * i + 40]
        assert {one[:4] for one in images} == {row[:4]}
        assert [one.image for one in images] == list(range(40))
        differences, p = [one.difference for one in images], [one.p for one in images]
        assert (row.images_mean, row.images_sd) == pytest.approx(
            (statistics.fmean(differences), statistics.stdev(differences))  # type: ignore[type-var]
        )
        assert (row.p_low, row.p_median, row.p_high) == pytest.approx(percentiles(p, 2.5, 50, 97.5))  # type: ignore[arg-type]


def test_with_all_judgments_shallow_pools_are_what_all_else_is(result: uj.Properties) -> None:
    for row in result.shallow_pairs():
        if row.depth is None:
            pair = next(one for one in result.pairs() if one[:3] == row[:3])
            assert (row.difference, row.p) == pytest.approx((pair.difference, pair.p))


def test_in_how_many_pairs_shallow_pools_exaggerate(result: uj.Properties) -> None:
    rows = result.shallow_pairs()
    for row in result.shallow():
        both = [
            (one, next(other for other in rows if other[:3] == one[:3] and other.depth is None))
            for one in rows
            if (one.measure, one.depth) == (row.measure, row.depth)
        ]
        assert row.pairs == 3
        assert row.wider == sum(shallow.spread > whole.spread for shallow, whole in both)  # type: ignore[operator]
        assert row.smaller_p == sum(shallow.p_median < whole.p_median for shallow, whole in both)  # type: ignore[operator]
        assert row.only_shallow == sum(shallow.p_median < 0.05 <= whole.p_median for shallow, whole in both)  # type: ignore[operator]
        assert row.only_all == sum(whole.p_median < 0.05 <= shallow.p_median for shallow, whole in both)  # type: ignore[operator]
        sizes = [
            [
                statistics.fmean(
                    abs(image.difference or 0) for image in result.shallow_images() if image[:4] == one[:4]
                )
                for one in pair
            ]
            for pair in both
        ]
        assert row.larger == sum(shallow > whole for shallow, whole in sizes)


def test_without_depths_there_are_none(demo: Path) -> None:
    plain = uj.properties(demo / "qrels.txt", demo / "runs", "P@5", corpus=HOW.replace(images=3))
    assert plain.shallow() == plain.shallow_pairs() == plain.shallow_images() == ()


# ---- what is asked


def test_only_the_best_runs_by_a_measure(demo: Path) -> None:
    means = uj.score(demo / "qrels.txt", demo / "runs", "RBP").mean()
    best = sorted((row.run for row in means), key=lambda run: -means[run, "RBP"])[:4]
    some = uj.properties(demo / "qrels.txt", demo / "runs", "AP", corpus=HOW, top=4, by="RBP")
    assert [row.run for row in some.runs()] == best
    assert (some.by, some.top) == ("RBP", 4)
    files = [demo / "runs" / f"{run}.run" for run in best]
    alone = uj.properties(demo / "qrels.txt", files, "AP", corpus=HOW, by="RBP")
    assert alone.tables == some.tables, "images do not depend on runs that are not looked at"
    assert uj.properties(demo / "qrels.txt", files, "AP", corpus=HOW, by="RBP", top=99).tables == some.tables


def test_the_best_of_runs_that_can_be_read_only_once(demo: Path) -> None:
    def rows(name: str) -> Iterable[tuple[str, str, float]]:
        for line in (demo / "runs" / f"{name}.run").read_text().splitlines():
            topic, _, doc, _, score, _ = line.split()
            yield topic, doc, float(score)

    names = ["elm-weak", "cedar-fused", "birch-expanded"]
    once = uj.properties(demo / "qrels.txt", {name: rows(name) for name in names}, "AP", corpus=HOW, top=2)
    files = {name: demo / "runs" / f"{name}.run" for name in names}
    assert once.tables == uj.properties(demo / "qrels.txt", files, "AP", corpus=HOW, top=2).tables
    assert [row.run for row in once.runs()] == ["cedar-fused", "birch-expanded"]


def test_threads_change_nothing(demo: Path, result: uj.Properties) -> None:
    options: dict[str, Any] = {"corpus": HOW, "shallow": [3, 6], "shallow_runs": 3}
    for jobs in (1, 3):
        again = uj.properties(demo / "qrels.txt", demo / "runs", MEASURES, jobs=jobs, **options)
        assert again.to_json(per_topic=True) == result.to_json(per_topic=True)


def test_a_pool_and_topics_are_taken_as_in_score(demo: Path) -> None:
    options: dict[str, Any] = {"pool_depth": 20, "only_topics": ["101", "105", "110"]}
    result = uj.properties(demo / "qrels.txt", demo / "runs", "infAP", corpus=HOW.replace(images=4), **options)
    expected = uj.score(demo / "qrels.txt", demo / "runs", "infAP", **options).mean()
    for row in result.runs():
        assert row.mean == pytest.approx(expected[row.run, "infAP"])
    assert [row.topic for row in result.topics()] == ["101", "105", "110"]


def test_another_test_and_correction(demo: Path) -> None:
    how: dict[str, Any] = {"test": "sign", "correction": "none"}
    result = uj.properties(demo / "qrels.txt", demo / "runs", "P@10", corpus=HOW.replace(images=5), **how)
    compared = uj.compare(demo / "qrels.txt", demo / "runs", "P@10", draws=2, **how)
    assert (result.test, result.correction) == ("sign", "none")
    for row in result.pairs():
        assert row.p == row.corrected_p == compared.pair(row.run, row.other).p


# ---- what comes out


def test_json_is_a_contract(demo: Path, result: uj.Properties) -> None:
    document = json.loads(result.to_json())
    tables = ["precision", "prediction", "tests", "runs", "topics", "pairs", "shallow", "shallow_pairs"]
    assert list(document) == ["unjudged", "inputs", "properties", *tables, "warnings"]
    assert document["properties"] == {
        "measures": MEASURES,
        "corpus_size": 1500,
        "images": 40,
        "by": "nDCG@10",
        "top": None,
        "test": "t",
        "correction": "holm",
        "topics": 25,
    }
    whole = json.loads(result.to_json(per_topic=True))
    assert set(whole) - set(document) == {"scores", "shallow_images"}
    columns = {name: list(whole[name][0]) for name in uj.Properties.row_types}
    assert columns["precision"] == [
        *("measure", "difference", "difference_sd", "difference_spread", "score_sd", "score_spread", "mean_sd"),
        *("mean_width", "mean_shift", "quartiles_apart", "ranks_apart"),
    ]
    assert columns["prediction"] == ["measure", "interval", "below", "inside", "above", "lowest", "highest"]
    assert columns["tests"] == [
        *("measure", "rule", "factor", "pairs", "apart", "significant", "both", "corrected", "both_corrected"),
    ]
    assert columns["runs"] == [
        *("measure", "run", "mean", "images_mean", "sd", "low", "high", "score_sd", "score_spread", "rank", "best"),
        *("lower", "median", "upper", "worst"),
    ]
    assert columns["topics"] == ["measure", "topic", "relevant", "score_sd", "score_sd_high", "difference_sd"]
    assert columns["pairs"] == [
        *("measure", "run", "other", "difference", "sd", "low", "high", "p_greater", "gap", "disjoint", "p"),
        "corrected_p",
    ]
    assert columns["scores"] == [
        *("measure", "run", "topic", "score", "mean", "sd", "low", "lower", "median", "upper", "high"),
    ]
    assert columns["shallow"] == [
        *("measure", "depth", "pairs", "larger", "wider", "smaller_p", "only_shallow", "only_all"),
    ]
    assert columns["shallow_pairs"] == [
        *("measure", "run", "other", "depth", "difference", "p", "images_mean", "images_sd", "p_median", "p_low"),
        *("p_high", "spread", "low", "lower", "median", "upper", "high"),
    ]
    assert columns["shallow_images"] == ["measure", "run", "other", "depth", "image", "difference", "p"]


def test_tables_are_columns_and_frames_too(result: uj.Properties) -> None:
    for name, rows in uj.Properties.row_types.items():
        columns = result.to_dict(name)
        assert list(columns) == list(rows._fields)
        assert {len(column) for column in columns.values()} == {len(result.table(name))}
    assert list(result.to_frame("pandas")["measure"]) == MEASURES
    with pytest.raises(
        InputError, match="table must be one of precision, prediction, tests, runs, topics, pairs, scores"
    ):
        result.table("rows")
    with pytest.raises(InputError, match=r"^no row for RR; there is nDCG@10, AP, P@10$"):
        result.measure("RR")
    with pytest.raises(InputError, match=r"^no row for nobody with AP$"):
        result.run("nobody", "AP")


def test_the_answer_in_words(result: uj.Properties) -> None:
    rows = {row.measure: row for row in result.precision()}
    outside = {row.measure: row.both / row.apart for row in result.tests() if row.rule == "outside"}
    low, high = (pick(outside, key=lambda measure: outside[measure]) for pick in (min, max))
    assert result.summary() == (
        "On other corpora from the same source, the difference of two runs on a topic moves by"
        f" {rows['AP'].difference_sd:.3f} (AP) to {rows['P@10'].difference_sd:.3f} (P@10) (one standard deviation), a"
        f" run's mean over 25 topics by {rows['AP'].mean_sd:.3f} (AP) to {rows['P@10'].mean_sd:.3f} (P@10). Of the"
        f" pairs whose means are outside of each other's 95% interval, {outside[low]:.0%} ({low}) to"
        f" {outside[high]:.0%} ({high}) are significant (t)."
    )
    assert repr(result) == f"Properties of 3 measures on 40 images of the corpus, 12 runs: {result.summary()}"
    assert not math.isnan(outside[low])


def test_numbers_that_look_the_same_are_said_once(demo: Path) -> None:
    same = uj.properties(demo / "qrels.txt", demo / "runs", ["P@10", "P(rel=1)@10"], corpus=HOW)
    assert len(same.measures) == 1
    twice = uj.properties(demo / "qrels.txt", demo / "runs", ["SetR", "R@1000"], corpus=HOW)
    assert " (R@1000)" not in twice.summary()
    alone = uj.properties(demo / "qrels.txt", demo / "runs", "P@10", corpus=HOW).summary()
    assert alone.count("(P@10)") == 3


def test_every_step_that_may_take_long_is_shown(demo: Path) -> None:
    steps: dict[str, tuple[int, int]] = {}

    def progress(items: Iterable[T], total: int, words: str = "", /) -> Iterable[T]:
        seen = list(items)
        steps[words] = (len(seen), total)
        return seen

    uj.properties(demo / "qrels.txt", demo / "runs", "P@10", corpus=HOW, top=3, shallow=5, progress=progress)
    assert steps == {
        "reading runs": (12, 12),
        "reading the best runs again": (3, 3),
        "scoring images": (1, 1),
        "comparing runs on images": (25, 25),
        "testing pairs": (1, 1),
        "trying shallow pools": (3, 3),
    }
