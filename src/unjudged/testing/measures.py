"""What holds for every measure."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from unjudged.holes import Settings, hole_models
from unjudged.measures import Measure, measures
from unjudged.testing.collections import SEEDS, QrelsDict, RunDict, documents_of, random_collection, view_for
from unjudged.testing.requirements import columns_of, explains, reads_back, require, untouched

__all__ = ["MEASURE_CHECKS"]


def _scores(measure: Measure, run: RunDict, qrels: QrelsDict) -> dict[str, float]:
    view = view_for(measure, run, qrels)
    return dict(zip(view.qrels.topics, measure.score(view).tolist(), strict=True))


def _same(first: dict[str, float], second: dict[str, float], message: str) -> None:
    require(first.keys() == second.keys(), message)
    before, after = (np.array([scores[topic] for topic in first]) for scores in (first, second))
    np.testing.assert_array_equal(before, after, err_msg=message)


def name_reads_back(measure: Measure) -> None:
    """What it prints is what users type."""
    reads_back(measure, measures.parse)


def explains_itself(measure: Measure) -> None:
    """There are words for ``unjudged measures NAME``."""
    cls = type(measure)
    explains(cls, title=cls.title, formula=cls.formula, unjudged=cls.unjudged)


def gives_one_number_in_range(measure: Measure) -> None:
    """One number for each topic, NaN where it is undefined, and all others within its limits."""
    low, high = measure.limits()
    for seed in SEEDS:
        view = view_for(measure, *random_collection(seed))
        values = measure.score(view)
        require(values.shape == (len(view),), f"{measure} gives {values.shape} values for {len(view)} topics")
        defined = values[~np.isnan(values)]
        require(len(defined), f"{measure} is undefined for all topics")
        require(np.isfinite(defined).all(), f"{measure} is infinite for some topic")
        within = (defined >= low - 1e-12).all() and (defined <= high + 1e-12).all()
        require(within, f"{measure} has values from {defined.min():g} to {defined.max():g}, out of {low:g} to {high:g}")
        require(
            not measure.is_count or (defined == np.round(defined)).all(), f"{measure} counts, but not in whole numbers"
        )


def works_without_documents(measure: Measure) -> None:
    """Topics for which nothing is retrieved have a value, or NaN."""
    empty = measure.score(view_for(measure, {"2": {"a": 1.0}}, {"1": {"a": 1}}))
    require(len(empty) == 1, f"{measure} has {len(empty)} values for a topic without documents")


def ignores_names_of_documents(measure: Measure) -> None:
    """Other names in the same order, which breaks ties, change nothing."""
    for seed in SEEDS:
        run, qrels = random_collection(seed)
        new = {doc: f"ï{i:05d}-{'x' * (i % 7)}" for i, doc in enumerate(documents_of(run, qrels))}
        renamed = _scores(
            measure,
            {topic: {new[doc]: score for doc, score in docs.items()} for topic, docs in run.items()},
            {topic: {new[doc]: grade for doc, grade in docs.items()} for topic, docs in qrels.items()},
        )
        _same(_scores(measure, run, qrels), renamed, f"{measure} depends on names of documents")


def ignores_order_of_lines(measure: Measure) -> None:
    """Lines and topics in another order change nothing."""
    for seed in SEEDS:
        run, qrels = random_collection(seed)
        other = _scores(measure, _shuffled(run, seed), _shuffled(qrels, seed))
        _same(_scores(measure, run, qrels), other, f"{measure} depends on the order of lines")


_Number = TypeVar("_Number", int, float)


def _shuffled(items: dict[str, dict[str, _Number]], seed: int) -> dict[str, dict[str, _Number]]:
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    topics = rng.sample(list(items), len(items))
    return {topic: dict(rng.sample(list(items[topic].items()), len(items[topic]))) for topic in topics}


def ignores_blocks(measure: Measure) -> None:
    """Topics may come in any number of blocks, and no other topic plays a part."""
    for seed in SEEDS:
        view = view_for(measure, *random_collection(seed))
        for rows in (1, 30, 100):
            parts = np.concatenate([measure.score(block) for block in view.blocks(rows)])
            np.testing.assert_array_equal(parts, measure.score(view), err_msg=f"{measure} depends on other topics")


def leaves_the_view_alone(measure: Measure) -> None:
    """Scoring twice gives the same, and changes nothing."""
    view = view_for(measure, *random_collection(0))
    before = columns_of(view)
    first = measure.score(view)
    np.testing.assert_array_equal(measure.score(view), first, err_msg=f"{measure} differs when computed again")
    untouched(view, before, measure)


def is_the_weighted_sum_it_says(measure: Measure) -> None:
    """Where it gives weights (``static``, ``linear``), their sum is what ``compute`` gives; also with a high grade."""
    for seed, top in itertools.product(SEEDS, (3, 300)):
        run, qrels = random_collection(seed)
        qrels = {topic: {doc: top if grade == 3 else grade for doc, grade in of.items()} for topic, of in qrels.items()}
        view = measure.seen(view_for(measure, run, qrels))
        form = None if "subtopics" in measure.needs else measure.linear(view)
        if form is not None:
            rows = np.flatnonzero(view.judged)
            sums = view.total(rows, form.weights[rows] * form.gains[view.levels[rows]])
            message = f"{measure} is not the weighted sum that it says"
            np.testing.assert_allclose(sums, measure.compute(view), rtol=1e-12, atol=1e-9, err_msg=message)


def bounds_hold(measure: Measure) -> None:
    """No labels of the holes give a score outside the bounds of ``joint``.

    These follow from what a measure says about itself (``monotone``, ``normaliser``, ``gains_only``, ...); here all
    labels of up to three holes are tried.
    """
    if measure.needs or not measure.has_holes:
        return
    top, joint, rng = 2, hole_models.parse("joint(max_grade=2)"), random.Random(7)  # noqa: S311  # nothing secret
    on_scale = measure.on_scale(top)
    for _ in range(12):
        judged = {f"d{i}": rng.randint(0, top) for i in rng.sample(range(8), 5)}
        run = {"1": {f"d{i}": float(9 - i) for i in range(5)}}
        holes = [doc for doc in run["1"] if doc not in judged]
        bounds = joint.estimate(measure, view_for(measure, run, {"1": judged}), Settings())
        ways = list(itertools.product(range(top + 1), repeat=len(holes)))
        labelled = {f"{i}": {**judged, **dict(zip(holes, way, strict=True))} for i, way in enumerate(ways)}
        values = on_scale.score(view_for(measure, dict.fromkeys(labelled, run["1"]), labelled))
        values = values[~np.isnan(values)]
        if bounds.low is None or bounds.high is None or np.isnan([*bounds.low, *bounds.high]).any() or not len(values):
            continue
        low, high = float(bounds.low[0]), float(bounds.high[0])
        require(
            low - 1e-9 <= values.min() and values.max() <= high + 1e-9,
            f"{measure} is from {values.min():g} to {values.max():g} for some labels of holes, out of {low:g} to"
            f" {high:g}; does it say the truth about itself (monotone, normaliser, ...)?",
        )


MEASURE_CHECKS: tuple[Callable[[Measure], None], ...] = (
    name_reads_back,
    explains_itself,
    gives_one_number_in_range,
    works_without_documents,
    ignores_names_of_documents,
    ignores_order_of_lines,
    ignores_blocks,
    leaves_the_view_alone,
    is_the_weighted_sum_it_says,
    bounds_hold,
)
