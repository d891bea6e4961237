"""A question about judgments in one call; `asking` has all other questions."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from unjudged.api.collection import Collection
from unjudged.api.reading import DegradationLike, HoleLike, MeasureLike, StrategyLike
from unjudged.collection import Reading
from unjudged.limits import NeverJudged

if TYPE_CHECKING:
    from unjudged.engine.execution.execute import Engine
    from unjudged.results.audit import Audit
    from unjudged.results.judges import Judges
    from unjudged.results.next_judgments import NextJudgments
    from unjudged.results.reuse import Reuse
    from unjudged.studies.next_judgments import Judging
    from unjudged.uncertainty.base import Correction, SignificanceTest

__all__ = ["audit", "judges", "next_judgments", "reuse", "start_judging"]


def reuse(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = "nDCG@10",
    *,
    degrade: DegradationLike | Iterable[DegradationLike] = (),
    holes: HoleLike | Iterable[HoleLike] | None = None,
    truth: MeasureLike | Iterable[MeasureLike] | None = None,
    truth_qrels: Any = None,
    bands: Iterable[float | str] = (),
    never_judged: NeverJudged | None = None,
    top_share: str | float | None = None,
    without: str | Iterable[str] = (),
    repeat: int = 10,
    target: str | Iterable[str] = (),
    strategy: StrategyLike | Iterable[StrategyLike] = (),
    budget: str | float | Iterable[str | float] = (),
    labels: Any = None,
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    interval: tuple[float, float] = (0.05, 0.95),
    engine: str | Engine = "local",
    address: str | None = None,
    store: str | PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> Reuse:
    """:meth:`Collection.reuse` in one call.

    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}}
    >>> runs = {name: {"1": {name: 2.0, "c": 1.0}, "2": {"c": 2.0, name: 1.0}} for name in "ab"}
    >>> result = reuse(qrels, runs, "P@2", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)
    >>> [(row.run, row.true_score, row.estimate) for row in result.leaveout()]
    [('a', 0.75, 0.5), ('b', 0.75, 0.75)]
    """
    return Collection(qrels, runs, **reading).reuse(
        measures,
        degrade=degrade,
        holes=holes,
        truth=truth,
        truth_qrels=truth_qrels,
        bands=bands,
        never_judged=never_judged,
        top_share=top_share,
        without=without,
        repeat=repeat,
        target=target,
        strategy=strategy,
        budget=budget,
        labels=labels,
        test=test,
        correction=correction,
        interval=interval,
        engine=engine,
        address=address,
        store=store,
    )


def judges(
    qrels: Any,
    runs: Any,
    labels: Any,
    measure: MeasureLike = "nDCG@10",
    *,
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    target: str | Iterable[str] = (),
    **reading: Unpack[Reading],
) -> Judges:
    """:meth:`Collection.judges` in one call; *runs* may be ``None``.

    >>> qrels = {topic: {"a": 1, "b": 0, "c": 0} for topic in "12345678"}
    >>> good = {topic: {"a": 1, "b": 0, "c": 0, "d": 1} for topic in qrels}
    >>> turned = {topic: {"a": 0, "b": 1, "c": 1, "d": 0} for topic in qrels}
    >>> print(judges(qrels, None, {"one": good, "another": turned}).summary())
    one: good with correction; another: not to be used.
    """
    return Collection(qrels, runs, **reading).judges(labels, measure, test=test, correction=correction, target=target)


def audit(
    qrels: Any,
    runs: Any,
    measure: MeasureLike = "nDCG@10",
    *,
    labels: Any = None,
    assessors: Any = None,
    error_rate: float | None = None,
    top: int = 100,
    **reading: Unpack[Reading],
) -> Audit:
    """:meth:`Collection.audit` in one call; *runs* may be ``None`` where there are labels or texts.

    >>> qrels = {topic: {f"d{i}": int(i < 5) for i in range(20)} for topic in "123456"}
    >>> runs = {name: {topic: {f"d{i}": -i for i in range(20)} for topic in qrels} for name in "ab"}
    >>> qrels["4"]["d1"] = 0
    >>> worst = audit(qrels, runs).suspects()[0]
    >>> worst.topic, worst.doc, worst.grade, worst.likely
    ('4', 'd1', 0, 1)
    """
    return Collection(qrels, runs, **reading).audit(
        measure, labels=labels, assessors=assessors, error_rate=error_rate, top=top
    )


def next_judgments(
    qrels: Any,
    runs: Any,
    strategy: StrategyLike = "decide",
    *,
    measure: MeasureLike | None = None,
    budget: int = 100,
    batch: int = 1,
    goal: str | Iterable[str] = (),
    risk: float | None = None,
    labels: Any = None,
    new: bool = False,
    max_grade: int | None = None,
    topics: Any = None,
    **reading: Unpack[Reading],
) -> NextJudgments:
    """:meth:`Collection.next_judgments` in one call.

    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> result = next_judgments({}, runs, new=True, measure="P@1", budget=2)
    >>> [(row.topic, row.doc, row.runs) for row in result.judgments()]
    [('1', 'b', (('y', 1), ('x', 2))), ('1', 'a', (('x', 1),))]
    """
    return Collection(qrels, runs, **reading).next_judgments(
        strategy,
        measure=measure,
        budget=budget,
        batch=batch,
        goal=goal,
        risk=risk,
        labels=labels,
        new=new,
        max_grade=max_grade,
        topics=topics,
    )


def start_judging(
    qrels: Any,
    runs: Any,
    strategy: StrategyLike = "decide",
    *,
    measure: MeasureLike | None = None,
    goal: str | Iterable[str] = (),
    risk: float | None = None,
    labels: Any = None,
    new: bool = False,
    max_grade: int | None = None,
    topics: Any = None,
    **reading: Unpack[Reading],
) -> Judging:
    """:meth:`Collection.start_judging` in one call.

    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> judging = start_judging({}, runs, new=True, measure="P@1")
    >>> judging.record([("1", "b", 1)])
    >>> judging.ask(2), judging.judged, judging.left
    ([('1', 'a')], 1, 1)
    """
    return Collection(qrels, runs, **reading).start_judging(
        strategy,
        measure=measure,
        goal=goal,
        risk=risk,
        labels=labels,
        new=new,
        max_grade=max_grade,
        topics=topics,
    )
