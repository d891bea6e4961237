"""What holds for every measure, and for every hole model: a function for each of it."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.data.view import View
from unjudged.holes import Estimate, HoleModel, Settings, hole_models
from unjudged.measures import Measure, measures
from unjudged.spec import Spec
from unjudged.testing.collections import SEEDS, QrelsDict, RunDict, documents_of, random_collection, view_for

__all__ = ["HOLE_MODEL_CHECKS", "MEASURE_CHECKS"]


def _require(holds: object, message: str) -> None:
    """Raise an error unless something holds."""
    if not holds:
        raise AssertionError(message)


def _reads_back(spec: Spec, parse: Callable[[str], Spec]) -> None:
    """What a specification prints is what users type."""
    _require(parse(str(spec)) == spec, f"{spec} does not read back as itself: {parse(str(spec))}")


def _explains(cls: type[Spec], **texts: str) -> None:
    """There are words for users: these, each in one line, and a docstring of its own."""
    for what, text in texts.items():
        _require(text.strip(), f"{cls.name} has no {what}")
        _require(text.strip() == text and "\n" not in text, f"{cls.name}: {what} is not one line of text")
    doc = inspect.getdoc(cls)
    _require(doc and doc not in {inspect.getdoc(Measure), inspect.getdoc(HoleModel)}, f"{cls.name} has no docstring")


@contextmanager
def _unchanged(view: View, who: Spec) -> Iterator[None]:
    """A view is afterwards as it was before."""

    def columns() -> list[NDArray[np.generic]]:
        return [column.copy() for column in (view.grades, view.states, view.offsets, view.qrels.grades)]

    before = columns()
    yield
    for old, now in zip(before, columns(), strict=True):
        np.testing.assert_array_equal(old, now, err_msg=f"{who} changes the view that it looks at")


# ---- measures


def _scores(measure: Measure, run: RunDict, qrels: QrelsDict) -> dict[str, float]:
    view = view_for(measure, run, qrels)
    return dict(zip(view.qrels.topics, measure.score(view).tolist(), strict=True))


def _same(first: dict[str, float], second: dict[str, float], message: str) -> None:
    _require(first.keys() == second.keys(), message)
    before, after = (np.array([scores[topic] for topic in first]) for scores in (first, second))
    np.testing.assert_array_equal(before, after, err_msg=message)


def name_reads_back(measure: Measure) -> None:
    """What it prints is what users type."""
    _reads_back(measure, measures.parse)


def explains_itself(measure: Measure) -> None:
    """There are words for ``unjudged measures NAME``."""
    cls = type(measure)
    _explains(cls, title=cls.title, formula=cls.formula, unjudged=cls.unjudged)


def gives_one_number_in_range(measure: Measure) -> None:
    """One number for each topic, NaN where it is undefined, and all others within its limits."""
    low, high = measure.limits()
    for seed in SEEDS:
        view = view_for(measure, *random_collection(seed))
        values = measure.score(view)
        _require(values.shape == (len(view),), f"{measure} gives {values.shape} values for {len(view)} topics")
        defined = values[~np.isnan(values)]
        _require(len(defined), f"{measure} is undefined for all topics")
        _require(np.isfinite(defined).all(), f"{measure} is infinite for some topic")
        within = (defined >= low - 1e-12).all() and (defined <= high + 1e-12).all()
        _require(
            within, f"{measure} has values from {defined.min():g} to {defined.max():g}, out of {low:g} to {high:g}"
        )
        _require(
            not measure.is_count or (defined == np.round(defined)).all(), f"{measure} counts, but not in whole numbers"
        )


def works_without_documents(measure: Measure) -> None:
    """Topics for which nothing is retrieved have a value, or NaN."""
    empty = measure.score(view_for(measure, {"2": {"a": 1.0}}, {"1": {"a": 1}}))
    _require(len(empty) == 1, f"{measure} has {len(empty)} values for a topic without documents")


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
    with _unchanged(view, measure):
        first = measure.score(view)
        np.testing.assert_array_equal(measure.score(view), first, err_msg=f"{measure} differs when computed again")


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
        _require(
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


# ---- hole models


def _estimate(model: HoleModel, measure: Measure, view: View) -> Estimate:
    model.check(measure)
    return model.prepare(view.qrels).estimate(measure, view, Settings())


def model_reads_back(model: HoleModel, chosen: list[Measure]) -> None:
    """What it prints is what users type, and it has words for ``unjudged measures NAME``."""
    _reads_back(model, hole_models.parse)
    _explains(type(model), title=type(model).title)


def estimates_have_one_value_per_topic(model: HoleModel, chosen: list[Measure]) -> None:
    """A value for each topic, and an upper end that is not below the lower one."""
    for seed, measure in itertools.product(SEEDS, chosen):
        view = view_for(measure, *random_collection(seed))
        estimate = _estimate(model, measure, view)
        for part in (estimate.value, estimate.low, estimate.high):
            _require(part is None or part.shape == (len(view),), f"{model} gives no value for each topic ({measure})")
        _require(
            (estimate.low is None) == (estimate.high is None), f"{model} has only one end of an interval ({measure})"
        )
        if estimate.low is not None and estimate.high is not None:
            _require(not (estimate.low > estimate.high + 1e-12).any(), f"{model}: low is above high ({measure})")


def without_holes_it_is_the_score(model: HoleModel, chosen: list[Measure]) -> None:
    """Where everything is judged, there is nothing to believe."""
    for seed, measure in itertools.product(SEEDS, chosen):
        run, qrels = random_collection(seed, negative=False)
        judged = {topic: {**dict.fromkeys(run.get(topic, {}), 0), **docs} for topic, docs in qrels.items()}
        view = view_for(measure, run, judged)
        estimate = _estimate(model, measure, view)
        message = f"{model} is not the plain score where all is judged ({measure})"
        np.testing.assert_allclose(estimate.value, measure.score(view), rtol=0, atol=1e-9, err_msg=message)


def estimates_ignore_blocks(model: HoleModel, chosen: list[Measure]) -> None:
    """Topics may come in any number of blocks; the same again gives the same, and the view stays as it was."""
    for measure in chosen:
        view = view_for(measure, *random_collection(1))
        with _unchanged(view, model):
            whole = _estimate(model, measure, view)
        parts = [_estimate(model, measure, block) for block in view.blocks(30)]
        for name in ("value", "low", "high"):
            if getattr(whole, name) is not None:
                joined = np.concatenate([getattr(part, name) for part in parts])
                message = f"{model}: {name} depends on other topics ({measure})"
                np.testing.assert_allclose(joined, getattr(whole, name), rtol=0, atol=1e-12, err_msg=message)


HOLE_MODEL_CHECKS: tuple[Callable[[HoleModel, list[Measure]], None], ...] = (
    model_reads_back,
    estimates_have_one_value_per_topic,
    without_holes_it_is_the_score,
    estimates_ignore_blocks,
)
