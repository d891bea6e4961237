"""What holds for every measure and every hole model, for the tests of packages that add some; ours use it, too.

>>> from unjudged.testing import check_hole_model, check_measure
>>> check_measure("nDCG@10")
>>> check_hole_model("condensed")

What does not hold raises ``AssertionError`` with a message. Whether the numbers are right is for tests of your own.
"""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.api import read_holes, read_measure, read_qrels, read_run
from unjudged.api.reading import HoleLike, MeasureLike
from unjudged.data.counting import TermCounter
from unjudged.data.view import View, join
from unjudged.data.words import Tokeniser
from unjudged.holes import Estimate, HoleModel, Settings, hole_models
from unjudged.measures import Measure, measures
from unjudged.spec import Spec

__all__ = [
    "HOLE_MODEL_CHECKS",
    "MEASURE_CHECKS",
    "check_hole_model",
    "check_measure",
    "random_collection",
    "view_for",
]

RunDict = dict[str, dict[str, float]]
QrelsDict = dict[str, dict[str, int]]

_SEEDS = range(3)
_WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu")
_SUBTOPICS = 3


def check_measure(measure: MeasureLike) -> None:
    """Check what holds for every measure, on small collections with holes, ties, gaps and empty topics."""
    one = read_measure(measure)
    for check in MEASURE_CHECKS:
        check(one)


def check_hole_model(model: HoleLike, *measures: MeasureLike) -> None:
    """Check what holds for every hole model, with nDCG@10, AP and P@5 unless other *measures* are given."""
    chosen = [read_measure(one) for one in measures or ("nDCG@10", "AP", "P@5")]
    for one in read_holes(model):
        for check in HOLE_MODEL_CHECKS:
            check(one, chosen)


# ---- collections


class _Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class _OfSubtopic(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic: str


class _InStratum(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    stratum: int


def random_collection(seed: int, *, ties: bool = True, negative: bool = True) -> tuple[RunDict, QrelsDict]:
    """Topics with holes, missing rankings and unretrieved relevant documents; every topic has a judgment."""
    rng = random.Random(seed)  # noqa: S311  # nothing secret
    docs = [f"doc{i:03d}" for i in range(60)]
    run: RunDict = {}
    qrels: QrelsDict = {}
    for t in range(12):
        topic = f"{t + 1}"
        judged = rng.sample(docs, rng.randint(1, 40))
        grades = [-1, 0, 0, 0, 1, 1, 2, 3] if negative else [0, 0, 0, 1, 1, 2, 3]
        qrels[topic] = {doc: rng.choice(grades) for doc in judged}
        qrels[topic][judged[0]] = rng.choice([0, 1, 3])
        if t == 5:
            qrels[topic] = dict.fromkeys(judged, 0)
        if t == 7:
            continue
        retrieved = rng.sample(docs, rng.randint(1, 50))
        scores = range(1, 12) if ties else range(1, 1000)
        values = rng.choices(scores, k=len(retrieved)) if ties else rng.sample(scores, len(retrieved))
        run[topic] = {doc: value / 8 for doc, value in zip(retrieved, values, strict=True)}
    run["99"] = {"doc000": 1.0}
    return run, qrels


def view_for(measure: Measure, run: RunDict, qrels: QrelsDict) -> View:
    """A run joined with judgments that have what a measure needs: strata, subtopics, texts.

    They follow from the places of documents among those of their topic, and not from their names.
    """
    rows = [(t, i, doc, grade) for t, docs in qrels.items() for i, (doc, grade) in enumerate(sorted(docs.items()))]
    made: list[NamedTuple] = [_Judgment(t, doc, grade) for t, _, doc, grade in rows]
    if "strata" in measure.needs:
        made = [_InStratum(t, doc, grade, i % 2) for t, i, doc, grade in rows]
    elif "subtopics" in measure.needs:
        made = [
            _OfSubtopic(t, doc, grade if grade < 0 or (i % 2**_SUBTOPICS + 1) >> s & 1 else 0, f"{s + 1}")
            for t, i, doc, grade in rows
            for s in range(_SUBTOPICS)
        ]
    judgments = read_qrels(made)
    if "texts" in measure.needs:
        counter = TermCounter(Tokeniser())
        for i, doc in enumerate(_documents(run, qrels)):
            text = f"every {'even' if i % 2 == 0 else 'odd'} {_WORDS[i % 7]} {_WORDS[i % 3]}"
            counter.add(doc, text, "texts", 0)
        judgments = judgments.with_texts(counter.texts())
    return join(read_run(run), judgments)


def _documents(run: RunDict, qrels: QrelsDict) -> list[str]:
    return sorted({*itertools.chain(*run.values()), *itertools.chain(*qrels.values())})


def _scores(measure: Measure, run: RunDict, qrels: QrelsDict) -> dict[str, float]:
    view = view_for(measure, run, qrels)
    return dict(zip(view.qrels.topics, measure.score(view).tolist(), strict=True))


def _require(holds: object, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _same(first: dict[str, float], second: dict[str, float], message: str) -> None:
    _require(first.keys() == second.keys(), message)
    before, after = (np.array([scores[topic] for topic in first]) for scores in (first, second))
    np.testing.assert_array_equal(before, after, err_msg=message)


# ---- what holds for both


def _reads_back(spec: Spec, parse: Callable[[str], Spec]) -> None:
    _require(parse(str(spec)) == spec, f"{spec} does not read back as itself: {parse(str(spec))}")


def _explains(cls: type[Spec], **texts: str) -> None:
    for what, text in texts.items():
        _require(text.strip(), f"{cls.name} has no {what}")
        _require(text.strip() == text and "\n" not in text, f"{cls.name}: {what} is not one line of text")
    doc = inspect.getdoc(cls)
    _require(doc and doc not in {inspect.getdoc(Measure), inspect.getdoc(HoleModel)}, f"{cls.name} has no docstring")


def _columns(view: View) -> list[NDArray[np.generic]]:
    return [column.copy() for column in (view.grades, view.states, view.bounds, view.qrels.grades)]


def _untouched(view: View, before: list[NDArray[np.generic]], who: Spec) -> None:
    for old, now in zip(before, _columns(view), strict=True):
        np.testing.assert_array_equal(old, now, err_msg=f"{who} changes the view that it looks at")


# ---- measures


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
    for seed in _SEEDS:
        view = view_for(measure, *random_collection(seed))
        values = measure.score(view)
        _require(values.shape == (len(view),), f"{measure} gives {values.shape} values for {len(view)} topics")
        known = values[~np.isnan(values)]
        _require(len(known), f"{measure} is undefined for all topics")
        _require(np.isfinite(known).all(), f"{measure} is infinite for some topic")
        within = (known >= low - 1e-12).all() and (known <= high + 1e-12).all()
        _require(within, f"{measure} has values from {known.min():g} to {known.max():g}, out of {low:g} to {high:g}")
        _require(
            not measure.is_count or (known == np.round(known)).all(), f"{measure} counts, but not in whole numbers"
        )


def works_without_documents(measure: Measure) -> None:
    """Topics for which nothing is retrieved have a value, or NaN."""
    empty = measure.score(view_for(measure, {"2": {"a": 1.0}}, {"1": {"a": 1}}))
    _require(len(empty) == 1, f"{measure} has {len(empty)} values for a topic without documents")


def ignores_names_of_documents(measure: Measure) -> None:
    """Other names in the same order, which breaks ties, change nothing."""
    for seed in _SEEDS:
        run, qrels = random_collection(seed)
        new = {doc: f"ï{i:05d}-{'x' * (i % 7)}" for i, doc in enumerate(_documents(run, qrels))}
        renamed = _scores(
            measure,
            {topic: {new[doc]: score for doc, score in docs.items()} for topic, docs in run.items()},
            {topic: {new[doc]: grade for doc, grade in docs.items()} for topic, docs in qrels.items()},
        )
        _same(_scores(measure, run, qrels), renamed, f"{measure} depends on names of documents")


def ignores_order_of_lines(measure: Measure) -> None:
    """Lines and topics in another order change nothing."""
    for seed in _SEEDS:
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
    for seed in _SEEDS:
        view = view_for(measure, *random_collection(seed))
        for rows in (1, 30, 100):
            parts = np.concatenate([measure.score(block) for block in view.blocks(rows)])
            np.testing.assert_array_equal(parts, measure.score(view), err_msg=f"{measure} depends on other topics")


def leaves_the_view_alone(measure: Measure) -> None:
    """Scoring twice gives the same, and changes nothing."""
    view = view_for(measure, *random_collection(0))
    before = _columns(view)
    first = measure.score(view)
    np.testing.assert_array_equal(measure.score(view), first, err_msg=f"{measure} differs when computed again")
    _untouched(view, before, measure)


def is_the_weighted_sum_it_says(measure: Measure) -> None:
    """Where it gives weights (``static``, ``linear``), their sum is what ``compute`` gives."""
    for seed in _SEEDS:
        view = measure.seen(view_for(measure, *random_collection(seed)))
        form = None if "subtopics" in measure.needs else measure.linear(view)
        if form is not None:
            rows = np.flatnonzero(view.judged)
            sums = view.total(rows, form.weights[rows] * form.gains[view.grades[rows]])
            message = f"{measure} is not the weighted sum that it says"
            np.testing.assert_allclose(sums, measure.compute(view), rtol=0, atol=1e-9, err_msg=message)


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
        found = measure.score if on_scale is measure else on_scale.score
        values = found(view_for(measure, dict.fromkeys(labelled, run["1"]), labelled))
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
    for seed, measure in itertools.product(_SEEDS, chosen):
        view = view_for(measure, *random_collection(seed))
        found = _estimate(model, measure, view)
        for part in (found.value, found.low, found.high):
            _require(part is None or part.shape == (len(view),), f"{model} gives no value for each topic ({measure})")
        _require((found.low is None) == (found.high is None), f"{model} has only one end of an interval ({measure})")
        if found.low is not None and found.high is not None:
            _require(not (found.low > found.high + 1e-12).any(), f"{model}: low is above high ({measure})")


def without_holes_it_is_the_score(model: HoleModel, chosen: list[Measure]) -> None:
    """Where everything is judged, there is nothing to believe."""
    for seed, measure in itertools.product(_SEEDS, chosen):
        run, qrels = random_collection(seed, negative=False)
        judged = {topic: {**dict.fromkeys(run.get(topic, {}), 0), **docs} for topic, docs in qrels.items()}
        view = view_for(measure, run, judged)
        found = _estimate(model, measure, view)
        message = f"{model} is not the plain score where all is judged ({measure})"
        np.testing.assert_allclose(found.value, measure.score(view), rtol=0, atol=1e-9, err_msg=message)


def estimates_ignore_blocks(model: HoleModel, chosen: list[Measure]) -> None:
    """Topics may come in any number of blocks; the same again gives the same, and the view stays as it was."""
    for measure in chosen:
        view = view_for(measure, *random_collection(1))
        before = _columns(view)
        whole = _estimate(model, measure, view)
        _untouched(view, before, model)
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
