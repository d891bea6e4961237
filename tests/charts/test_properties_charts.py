"""What charts of properties show are the numbers of the result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chart_rows import rows

import unjudged as uj

# ---- properties


def test_deviations_are_those_of_measures_and_topics(properties: uj.Properties) -> None:
    chart = uj.plots.deviations(properties)
    for row in properties.precision():
        for kind, sd in (
            ("difference of two runs", row.difference_sd),
            ("score of a run", row.score_sd),
            ("size of differences", row.difference),
        ):
            (drawn,) = rows(chart, measure=row.measure, kind=kind)
            assert drawn["sd"] == sd
    for row in properties.topics():
        (drawn,) = rows(chart, measure=row.measure, topic=row.topic)
        assert drawn["sd"] == row.score_sd_high


@pytest.mark.parametrize("name", ["ranks_on_images", "means_on_images"])
def test_boxes_of_runs_are_their_ranks_and_means_on_images(properties: uj.Properties, name: str) -> None:
    chart = getattr(uj.plots, name)(properties)
    assert len(rows(chart)) == 2 * 12
    for row in properties.runs():
        (drawn,) = rows(chart, run=row.run, panel=properties.measures.index(row.measure))
        box = [drawn[one] for one in ("observed", "low", "lower", "median", "upper", "high")]
        if name == "ranks_on_images":
            assert box == [row.rank, row.best, row.lower, row.median, row.upper, row.worst]
        else:
            assert [box[0], box[1], box[3], box[5]] == [row.mean, row.low, row.images_mean, row.high]
            assert (box[4] - box[2]) / 2 == pytest.approx(row.sd)  # type: ignore[operator]
    single = getattr(uj.plots, name)(properties, measure="P@10", top=5)
    assert rows(single, run="cedar-fused")[0]["observed"] in [row.rank for row in properties.runs()] + [
        properties.run("cedar-fused", "P@10").mean
    ]
    assert len(rows(single)) == 5
    assert single.remarks[0].startswith("The best 5 of 12 runs; the other 7 have ")
    with pytest.raises(uj.InputError, match="no measure 'RR'; there is AP, P@10"):
        getattr(uj.plots, name)(properties, measure="RR")


def test_boxes_of_topics_are_the_quantiles_of_a_run(properties: uj.Properties) -> None:
    chart = uj.plots.topics_on_images(properties, run="elm-weak")
    assert "Scores of elm-weak on each topic" in chart.title
    for row in properties.scores():
        if row.run == "elm-weak":
            (drawn,) = rows(chart, topic=row.topic, panel=properties.measures.index(row.measure))
            assert [drawn[one] for one in ("observed", "low", "lower", "median", "upper", "high")] == [
                *(row.score, row.low, row.lower, row.median, row.upper, row.high),
            ]
    medians = [row["median"] for row in rows(chart, panel=0)]
    assert medians == sorted(medians, reverse=True)  # type: ignore[type-var]
    few = uj.plots.topics_on_images(properties, top=4)
    assert properties.runs()[0].run in few.title
    assert few.remarks[0].startswith("The easiest 4 of 8 topics; the other 4 have ")
    with pytest.raises(uj.InputError, match="no run 'nobody'; there is "):
        uj.plots.topics_on_images(properties, run="nobody")


def test_more_measures_than_have_room_are_counted() -> None:
    qrels, runs = {"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}
    measures = [f"P@{k}" for k in range(1, 9)]
    result = uj.properties(qrels, runs, measures, corpus=uj.CorpusBootstrap(images=5, corpus_size=9), shallow=1)
    for name in ("ranks_on_images", "means_on_images", "topics_on_images", "shallow_pools"):
        chart = getattr(uj.plots, name)(result)
        assert len({row["panel"] for row in rows(chart)}) == 6
        assert "The first 6 of 8 measures." in chart.remarks


def test_predictions_are_those_of_the_result(properties: uj.Properties) -> None:
    chart = uj.plots.prediction(properties)
    assert [tuple(row.values()) for row in rows(chart)] == [tuple(row) for row in properties.prediction()]


def test_bins_of_pairs_hold_all_of_them(properties: uj.Properties) -> None:
    chart = uj.plots.intervals_against_test(properties)
    for measure in properties.measures:
        bins, pairs = rows(chart, measure=measure), [row for row in properties.pairs() if row.measure == measure]
        assert sum(one["pairs"] for one in bins) == len(pairs) == 66  # type: ignore[misc]
        assert len(bins) == 5
        gaps = [one["gap"] for one in bins]
        assert gaps == sorted(gaps)  # type: ignore[type-var]
        significant = sum(one["pairs"] * one["significant"] for one in bins)  # type: ignore[operator]
        assert significant == pytest.approx(sum(row.p < 0.05 for row in pairs))
        closest = sorted(pairs, key=lambda row: row.gap or 0)[: bins[0]["pairs"]]  # type: ignore[misc]
        assert bins[0]["gap"] == pytest.approx(sum(row.gap for row in closest) / len(closest))  # type: ignore[misc]


def test_pairs_that_no_image_moves_are_as_far_apart_as_any(properties: uj.Properties) -> None:
    far = max(row.gap for row in properties.pairs() if row.measure == "AP" and row.gap is not None)
    pairs = tuple(row._replace(gap=None if row.gap == far else row.gap) for row in properties.pairs())
    other = replace(properties, tables={**properties.tables, "pairs": pairs})
    before, after = uj.plots.intervals_against_test(properties), uj.plots.intervals_against_test(other)
    assert sum(after.columns["pairs"]) == sum(before.columns["pairs"])
    assert after.columns["significant"] == before.columns["significant"]
    assert max(after.columns["gap"]) < max(before.columns["gap"])


def test_points_of_shallow_pools_are_images(properties: uj.Properties) -> None:
    chart = uj.plots.shallow_pools(properties)
    first = properties.shallow_pairs()[0]
    assert chart.title.startswith(f"{first.run} less {first.other}")
    images = [row for row in properties.shallow_images() if (row.run, row.other) == (first.run, first.other)]
    points = [(row["measure"], row["judged"], row["difference"], row["p"]) for row in rows(chart, itself=False)]
    names = {3: "first 3", 6: "first 6", None: "all judgments"}
    assert points == [(row.measure, names[row.depth], row.difference, row.p) for row in images]
    for row in properties.shallow_pairs():
        if (row.run, row.other) == (first.run, first.other):
            (drawn,) = rows(chart, measure=row.measure, judged=names[row.depth], itself=True)
            assert (drawn["difference"], drawn["p"]) == (row.difference, row.p)


def test_boxes_of_shallow_pools_are_quantiles_over_topics(properties: uj.Properties) -> None:
    pair = properties.shallow_pairs()[-1]
    chart = uj.plots.shallow_spread(properties, run=pair.other, other=pair.run)
    assert chart.title.startswith(f"{pair.run} less {pair.other}")
    wanted = [row for row in properties.shallow_pairs() if (row.run, row.other) == (pair.run, pair.other)]
    for drawn, row in zip(rows(chart), wanted, strict=True):
        assert str(drawn["line"]).startswith(f"{row.measure}, ")
        for name in ("low", "lower", "median", "upper", "high", "spread"):
            assert drawn[name] == getattr(row, name)
    with pytest.raises(uj.InputError) as caught:
        uj.plots.shallow_pools(properties, run="x", other="y")
    best = properties.shallow_pairs()[0]
    assert str(caught.value) == f"no shallow pools of 'x' and 'y'; the first pair is {best.run!r} and {best.other!r}"


@pytest.mark.parametrize("name", ["shallow_pools", "shallow_spread"])
def test_without_shallow_pools_there_is_one_clear_line(name: str) -> None:
    qrels, runs = {"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}
    result = uj.properties(qrels, runs, "P@1", corpus=uj.CorpusBootstrap(images=4, corpus_size=9))
    with pytest.raises(uj.InputError) as caught:
        getattr(uj.plots, name)(result)
    assert str(caught.value) == "no shallow pools were tried: use --shallow 10"
