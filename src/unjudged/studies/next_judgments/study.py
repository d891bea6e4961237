"""Which document should be judged next, and when can judging stop?

The documents come from a strategy. What is decided follows from one posterior (`strategies/score_posterior.py`),
whatever the strategy; only *certain* does not: it holds for all grades of the unjudged documents, as in ``compare``.
A verdict *likely* may be looked for after every judgment. A posterior probability does not become wrong by being
looked at; how often verdicts were wrong is measured in `experiments/results/deciding.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unjudged.collection import BaseCollection
from unjudged.errors import InputError
from unjudged.io.label_files import LabelFile
from unjudged.io.sources import as_path
from unjudged.io.topics import read_titles
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.gain import nDCG
from unjudged.results.next_judgments import NextJudgments
from unjudged.spec import Real
from unjudged.strategies import Strategy
from unjudged.strategies.decide import Decide
from unjudged.studies.next_judgments.goals import Goal, read_goal
from unjudged.studies.next_judgments.judging import Asked, Judging
from unjudged.studies.next_judgments.reading import read_all, with_new_topics

__all__ = ["next_judgments", "start_judging"]


def next_judgments(
    collection: BaseCollection, strategy: Strategy, *, budget: int = 100, batch: int = 1, **question: Any
) -> NextJudgments:
    """Choose the next *budget* documents to judge, for *batch* assessors; *question* as in :func:`start_judging`."""
    budget, batch = Whole(0).checked("the budget", budget), Whole(1).checked("the number of assessors", batch)
    return start_judging(collection, strategy, goes_on=False, **question).result(budget, batch)


def start_judging(
    collection: BaseCollection,
    strategy: Strategy,
    *,
    measure: Measure | None = None,
    goals: Sequence[str] = (),
    risk: float | None = None,
    labels: Sequence[LabelFile] = (),
    new: bool = False,
    max_grade: int | None = None,
    topics: Any = None,
    goes_on: bool = True,
) -> Judging:
    """Read what there is, so that it can be asked what to judge next until all *goals* are reached.

    Where it *goes_on*, runs stay in memory as deep as the measure looks, so that they can be scored again.
    """
    paths = [path for one in labels if (path := as_path(one.source)) is not None]
    provenance = collection.provenance(labels=paths, topics=topics)
    decide = _decide(strategy, measure, risk)
    strategy = decide if isinstance(strategy, Decide) else strategy
    queries = {} if topics is None else read_titles(topics)
    collection = with_new_topics(collection, new=new, max_grade=max_grade)
    read = read_all(collection, decide.measure, labels, goes_on=goes_on)
    strategy.check(read.candidates)
    asked = _goals(goals, decide, read.candidates.runs)
    focus = asked[0].runs if len(asked) == 1 and decide.runs is None else None
    if focus is not None:
        decide = decide.replace(runs=tuple(read.candidates.runs[run] for run in focus))
        strategy = decide if isinstance(strategy, Decide) else strategy
    return Judging(Asked(collection, read, strategy, decide, asked, provenance, queries))


def _decide(strategy: Strategy, measure: Measure | None, risk: float | None) -> Decide:
    """How differences are decided: as the strategy ``decide`` says, or the *measure* and the *risk* that are given."""
    given = strategy if isinstance(strategy, Decide) else Decide(measure=measure or nDCG @ 10)
    usual = Decide()
    if measure is not None and measure != given.measure:
        if given.measure != usual.measure:
            raise InputError(f"both {given} and --measure {measure} say what runs are compared by; give one of them")
        given = given.replace(measure=measure)
    if risk is not None:
        risk = Real(0, 0.5, "neither").checked("the risk", risk)
        if given.risk not in (risk, usual.risk):
            raise InputError(f"both {given} and --risk {risk:g} say how sure a verdict must be; give one of them")
        given = given.replace(risk=risk)
    return given


def _goals(texts: Sequence[str], decide: Decide, names: Sequence[str]) -> list[Goal]:
    """The questions; unless given, the one that the strategy asks."""
    if texts:
        return [read_goal(text, names) for text in dict.fromkeys(texts)]
    if decide.runs is not None:
        return [read_goal(">".join(decide.runs), names)]
    return [Goal("order", "order")]
