"""What is asked about judgments: can they be reused, which are wrong, who else may judge, and what is judged next."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from unjudged.api.reading import (
    DegradationLike,
    HoleLike,
    MeasureLike,
    StrategyLike,
    read_degradations,
    read_holes,
    read_interval,
    read_measure,
    read_measures,
    read_numbers,
    read_strategies,
)
from unjudged.collection import BaseCollection
from unjudged.errors import InputError, warn_of
from unjudged.limits import NeverJudged

if TYPE_CHECKING:
    from unjudged.engine.execution.execute import Engine
    from unjudged.results.audit import Audit
    from unjudged.results.judges import Judges
    from unjudged.results.next_judgments import NextJudgments
    from unjudged.results.reuse import Reuse
    from unjudged.strategies import Strategy
    from unjudged.studies.next_judgments import Judging
    from unjudged.uncertainty.base import Correction, SignificanceTest

__all__ = ["QuestionsAboutJudging"]


class QuestionsAboutJudging(BaseCollection):
    """Judgments and runs, of which the judgments are what is asked about."""

    # Studies that need SciPy, or many modules, are imported when they are asked: scoring must not wait for them.

    def reuse(
        self,
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
    ) -> Reuse:
        """Can this collection judge new systems, and which method should I trust on it?

        Judgments are taken away in the ways that *degrade* says (``"LeaveOutGroup"``, ``"DepthCut(4,8,30)"``,
        ``"KeepFraction(10%) then OneRelevant"``); leaving out each group, or each run where there are no groups, unless
        given. Runs are left out as deep as the pool is: as *pool_depth* says, or 10, or as it seems to be if less.
        Scores estimated from what is left, with every measure and hole model, are compared with the scores under all
        judgments: with the same measure, or with each of *truth*. With *truth_qrels*, later judgments that have all of
        these and more, they are compared with the scores under those; *bands*, such as ``(0.25, 0.5)``, divide topics
        by the share of documents that were unjudged before. Unless given, *holes* are nonrelevant, condensed and
        discounted, and ``evidence`` where there are groups and each run's first documents stay judged;
        bootstrap for both where judgments are taken away at random.
        Documents that were *never judged* are ``"removed"`` from the runs first, so that truth and estimates are about
        the same documents; or the truth takes them for ``"nonrelevant"``, as it does with *truth_qrels* unless you say
        otherwise. Only the *top_share* of the runs, by their true scores, and no runs of the groups *without*, are
        scored; what they brought to the pool stays. Random degradations are done *repeat* times.
        *target*, such as ``"tau=0.9"``, asks for the fewest judgments that reach it. *interval*: as in :meth:`score`;
        how often it covers the truth is counted.

        *strategy*: judge the pool again in the order of ``"mtf"``, ``"evidence"`` or others, as if each document had
        been judged when it is asked for, and look at what is known when so many judgments are made (*budget*: shares
        such as ``"20%"``, or numbers). *labels*, in any form that :meth:`judges` takes, are what strategies may know
        beside. Nothing else is degraded then, unless *degrade* says so, and *holes* are nonrelevant.

        *engine*: ``"local"``, ``"dask"`` or ``"ray"``, the latter two at an *address* or on this machine. With a
        *store*, a folder, a study that was interrupted goes on where it was. The same seed gives the same numbers
        whatever the engine, jobs (processes) or store.
        """
        from unjudged.engine.execution.execute import Engine
        from unjudged.io.label_files import expand_labels
        from unjudged.studies import reuse as reuse_study

        result = reuse_study.reuse(
            self,
            read_measures(measures),
            read_degradations(degrade),
            None if holes is None else read_holes(holes),
            truths=() if truth is None else read_measures(truth),
            protocol=reuse_study.Protocol(
                truth_qrels=truth_qrels,
                bands=read_numbers(bands),
                never_judged=never_judged,
                top_share=top_share,
                without=[without] if isinstance(without, str) else list(without),
                repeat=repeat,
            ),
            replays=reuse_study.Replays(
                read_strategies(strategy),
                [reuse_study.parse_budget(one) for one in read_numbers(budget)],
                () if labels is None else expand_labels(labels),
            ),
            targets=[reuse_study.parse_target(one) for one in ([target] if isinstance(target, str) else target)],
            test=test,
            correction=correction,
            interval=read_interval(interval),
            engine=engine if isinstance(engine, Engine) else Engine(engine, address, self.jobs),  # type: ignore[arg-type]
            store=store,
        )
        warn_of(result.warnings)
        return result

    def judges(
        self,
        labels: Any,
        measure: MeasureLike = "nDCG@10",
        *,
        test: str | SignificanceTest | type[SignificanceTest] = "t",
        correction: str | Correction | type[Correction] | None = None,
        target: str | Iterable[str] = (),
    ) -> Judges:
        """How far can label sources, such as language models, be trusted instead of people?

        *labels*: files of judgments or JSON lines, a folder, a glob, a dict of dicts or a frame; several in a list, or
        in a dict by name. Each judge's labels are compared with the judgments, and with the other judges'. With runs,
        of which there may be none, orders by labels alone are compared with those by the judgments, by this *measure*;
        *test* and *correction* (Holm's unless you say otherwise) decide which pairs are significant, and the correction
        whether a run or a group is favoured. *target*, ``"width=0.02"``: how many topics must people judge, beside
        labels of many more, before the 95% interval of a mean, or of a difference, is that narrow?
        """
        from unjudged.io.label_files import expand_labels
        from unjudged.studies import judges as judges_study
        from unjudged.studies.judges.judgments_needed import parse_width

        result = judges_study.judges(
            *(self, expand_labels(labels), read_measure(measure)),
            test=test,
            correction=correction,
            widths=[parse_width(one) for one in ([target] if isinstance(target, str) else target)],
        )
        warn_of(result.warnings)
        return result

    def audit(
        self,
        measure: MeasureLike = "nDCG@10",
        *,
        labels: Any = None,
        assessors: Any = None,
        error_rate: float | None = None,
        top: int = 100,
    ) -> Audit:
        """Which judgments are probably wrong? Those that all that is known beside them speaks against, the worst first.

        Each judgment is compared with the ranks that runs give the document, with texts where they are given, and with
        *labels* of other judges (as in :meth:`judges`); there may be no runs where there is one of these. *measure*:
        how scores change if a judgment does. *top*: judgments that are listed. *error_rate*: the share of judgments
        that are taken to be made without looking, which chances follow from; the largest that the judgments allow
        unless given. *assessors*: who judged what, lines ``topic assessor`` or ``topic doc assessor``, or a dict by
        topic: does somebody give other grades than others?
        """
        from unjudged.io.label_files import expand_labels
        from unjudged.studies import audit as audit_study

        given = () if labels is None else expand_labels(labels)
        result = audit_study.audit(
            *(self, read_measure(measure)), labels=given, assessors=assessors, error_rate=error_rate, top=top
        )
        warn_of(result.warnings)
        return result

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
