"""Questions about judging, which a collection can be asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

from unjudged.api.reading import MeasureLike, StrategyLike, read_measure
from unjudged.collection import BaseCollection, Reading
from unjudged.errors import InputError, warn_of

if TYPE_CHECKING:
    from unjudged.results.next_judgments import NextJudgments
    from unjudged.strategies import Strategy
    from unjudged.studies.next_judgments import Judging

__all__ = ["QuestionsAboutJudging", "next_judgments", "start_judging"]


class QuestionsAboutJudging(BaseCollection):
    """The methods; :class:`unjudged.Collection` has them."""

    def next_judgments(
        self,
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
    ) -> NextJudgments:
        """Which documents should be judged next, and can judging stop?

        The *strategy* chooses *budget* documents, best first: ``"decide"`` those that say most about which run is
        better, ``"decide(A, B)"`` about these two; others are listed in the docs. *batch*: for so many assessors, each
        with a part of them. *measure*: what runs are compared by, a weighted sum of gains; nDCG@10 unless given.

        *goal*: what is to be known, ``"order"`` (which of any two runs is better), ``"A>B"``, ``"recall=0.9"`` or
        ``"width=0.02"`` (of the 95% intervals of mean scores); one or several. It is the order unless given. Once all
        goals are reached, there is nothing to judge, and ``result.answered`` says so. A difference is decided where no
        grades can turn it around, or where it has one sign with probability 1 - *risk* (0.025 unless given). One may
        look after every judgment.

        *labels*: of other judges, in any form that :meth:`judges` takes; they are part of the model of grades. *new*:
        judgments may be empty, and topics of the runs that have none are judged, too. *max_grade*: the highest grade
        that assessors may give; the highest that they gave unless you say. *topics*: what topics ask for, as in
        :meth:`report`; import forms for tools have it, and the texts of documents where the collection has *texts*.

        To feed judgments back, add them to the judgments, and ask again: nothing is kept anywhere else.
        """
        from unjudged.studies import next_judgments as study

        asked = self._question(measure, goal, labels)
        result = study.next_judgments(
            *(self, _strategy(strategy)),
            **asked,
            budget=budget,
            batch=batch,
            risk=risk,
            new=new,
            max_grade=max_grade,
            topics=topics,
        )
        warn_of(result.warnings)
        return result

    def start_judging(
        self,
        strategy: StrategyLike = "decide",
        *,
        measure: MeasureLike | None = None,
        goal: str | Iterable[str] = (),
        risk: float | None = None,
        labels: Any = None,
        new: bool = False,
        max_grade: int | None = None,
        topics: Any = None,
    ) -> Judging:
        """Judging that goes on in this process: runs are read once, and each judgment counts at once.

        Parameters are those of :meth:`next_judgments`, and so are the answers of what is returned: :class:`Judging`.
        """
        from unjudged.studies import next_judgments as study

        asked = self._question(measure, goal, labels)
        return study.start_judging(
            *(self, _strategy(strategy)), **asked, risk=risk, new=new, max_grade=max_grade, topics=topics
        )

    def _question(self, measure: MeasureLike | None, goal: str | Iterable[str], labels: Any) -> dict[str, Any]:
        """What is asked, read."""
        from unjudged.io.label_files import expand_labels

        if not self.runs:
            raise InputError("there is nothing to choose from: give the runs whose documents are to be judged")
        return {
            "measure": None if measure is None else read_measure(measure),
            "goals": [goal] if isinstance(goal, str) else list(goal),
            "labels": [] if labels is None else expand_labels(labels),
        }


def _strategy(strategy: StrategyLike) -> Strategy:
    """A strategy by its name."""
    from unjudged.strategies import strategies

    return strategies.choose(strategy)


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
    from unjudged.api.collection import Collection

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
    from unjudged.api.collection import Collection

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
