"""Which document should be judged next, and when can judging stop?

The documents come from a strategy. What is decided follows from one posterior (`strategies/score_outlook.py`), whatever
the strategy; only *certain* does not: it holds for all grades of the unjudged documents, as in ``compare``. A verdict
*likely* may be looked for after every judgment. A posterior probability does not become wrong by being looked at; how
often verdicts were wrong is measured in `experiments/results/deciding.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from unjudged.arrays import Flags, Floats, Ints
from unjudged.collection import BaseCollection
from unjudged.data.texts import Texts
from unjudged.engine.numerics.difference_bounds import pair_bounds
from unjudged.errors import InputError, Notice
from unjudged.io.label_files import LabelFile
from unjudged.io.sources import as_path
from unjudged.io.topics import read_titles
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.measures.gain import nDCG
from unjudged.results.next_judgments import (
    Decided,
    JudgmentRow,
    NextJudgments,
    OutlookRow,
    PairOutlookRow,
    RecallRow,
)
from unjudged.spec import Real
from unjudged.strategies import Batch, Candidates, Order, Strategy
from unjudged.strategies.decide import SETTLED, Decide, DecideOrder, open_directions
from unjudged.strategies.grade_posterior import GradePosterior
from unjudged.strategies.score_outlook import Outlook
from unjudged.studies.next_judgments.forecast import Forecast, look_forward
from unjudged.studies.next_judgments.goals import INTERVAL, Goal, goal_row, read_goal
from unjudged.studies.next_judgments.reading import Read, read_all, with_new_topics
from unjudged.uncertainty.ranks import SAME_MEAN

__all__ = ["next_judgments"]

_LOOK_FORWARD = 200
"""Documents that the strategy chooses at least, to say how many more judgments are needed."""
_LONGEST_TEXT = 100_000
"""Characters of a document that an assessor gets."""


def next_judgments(
    collection: BaseCollection,
    strategy: Strategy,
    *,
    measure: Measure | None = None,
    budget: int = 100,
    batch: int = 1,
    goals: Sequence[str] = (),
    risk: float | None = None,
    labels: Sequence[LabelFile] = (),
    new: bool = False,
    max_grade: int | None = None,
    topics: Any = None,
) -> NextJudgments:
    """Choose the next *budget* documents to judge, for *batch* assessors, unless all *goals* are reached."""
    budget, batch = Whole(0).checked("the budget", budget), Whole(1).checked("the number of assessors", batch)
    paths = [path for one in labels if (path := as_path(one.source)) is not None]
    provenance = collection.provenance(labels=paths, topics=topics)
    decide = _decide(strategy, measure, risk)
    strategy = decide if isinstance(strategy, Decide) else strategy
    queries = {} if topics is None else read_titles(topics)
    collection = with_new_topics(collection, new=new, max_grade=max_grade)
    read = read_all(collection, decide.measure, labels)
    strategy.check(read.candidates)
    asked = _goals(goals, decide, read.candidates.runs)
    focus = asked[0].runs if len(asked) == 1 and decide.runs is None else None
    if focus is not None:
        decide = decide.replace(runs=tuple(read.candidates.runs[run] for run in focus))
        strategy = decide if isinstance(strategy, Decide) else strategy
    told = read.candidates.judgments(read.qrels)
    order = _started(strategy, read.candidates, told, collection.seed)
    model = order if isinstance(order, DecideOrder) else _started(decide, read.candidates, told, collection.seed)
    if not isinstance(model, DecideOrder):
        raise TypeError("decide has an order of its own")
    findings = _Findings.of(read, model, decide.risk)
    pairs = _pair_rows(findings, asked)
    relevant = findings.relevant(decide.measure.first_relevant())
    asked_for = order.ask(max(budget, _LOOK_FORWARD))
    forecast = findings.forecast(asked_for.pairs)
    goal_rows = tuple(
        goal_row(one, forecast, pairs, read.candidates.runs, relevant, risk=decide.risk, seed=collection.seed)
        for one in asked
    )
    chosen = order.ask(0) if all(row.answered for row in goal_rows) else asked_for.first(budget)
    judgments = _judgment_rows(findings, order, chosen, batch)
    return NextJudgments(
        strategy=str(strategy),
        priority=strategy.priority,
        measure=str(decide.measure),
        risk=decide.risk,
        depth=read.candidates.depth,
        judged=int((read.candidates.askable & order.judged).sum()),
        left=int(order.open.sum()),
        assessors=batch,
        scale=tuple(read.candidates.scale.tolist()),
        tables={
            "judgments": judgments,
            "pairs": pairs,
            "runs": findings.run_rows(),
            "goals": goal_rows,
            "recall": (relevant,),
        },
        queries=queries,
        texts=_texts(collection, [row.doc for row in judgments]),
        warnings=(*read.notices, *_notices(order, chosen, budget)),
        provenance=provenance,
    )


# ---- what is asked


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


def _started(strategy: Strategy, candidates: Candidates, told: tuple[Ints, Any], seed: int) -> Order:
    order = strategy.start(candidates, seed=seed)
    order.tell(*told)
    return order


# ---- what is known


class _Findings(NamedTuple):
    """What is known of runs and of documents."""

    read: Read
    order: DecideOrder
    posterior: GradePosterior
    outlook: Outlook
    covariance: Floats
    risk: float

    @classmethod
    def of(cls, read: Read, order: DecideOrder, risk: float) -> _Findings:
        posterior, outlook = order.state
        return cls(read, order, posterior, outlook, outlook.covariance(), risk)

    def run_rows(self) -> tuple[OutlookRow, ...]:
        """Runs, best first."""
        names, spread = self.read.candidates.runs, np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        expected = self.outlook.expected
        observed = [float(np.nanmean(one.scores)) for one in self.read.scored_runs]
        return tuple(
            OutlookRow(
                names[run],
                observed[run],
                float(expected[run]),
                float(expected[run] - INTERVAL * spread[run]),
                float(expected[run] + INTERVAL * spread[run]),
            )
            for run in self.best_first()
        )

    def best_first(self) -> list[int]:
        """Positions of the runs."""
        order: list[int] = np.argsort(-np.round(self.outlook.expected, 12), kind="stable").tolist()
        return order

    def _values(self, rel: int) -> Floats:
        return self.posterior.descriptions.of_levels((self.read.candidates.scale >= rel).astype(np.float64))

    def relevant(self, rel: int) -> RecallRow:
        """How many relevant documents there are, and how many of them are found."""
        judged = self.order.judged & self.read.candidates.askable
        found = int((judged & (self.order.grades >= rel)).sum())
        pairs = np.flatnonzero(self.order.open)
        predicted = self.posterior.predict(self.posterior.probabilities(pairs), self._values(rel))
        missing = float(predicted.expected.sum())
        spread = INTERVAL * float(np.sqrt(self.posterior.variance_of_sum(pairs, predicted)))
        low, high = max(missing - spread, 0.0), min(missing + spread, float(len(pairs)))
        total = found + missing
        shares = (None, None, None) if total == 0 else (found / total, found / (found + high), _share(found, low))
        return RecallRow(rel, found, total, found + low, found + high, *shares)

    def forecast(self, asked: Ints) -> Forecast:
        """What further judgments will show: first those that the strategy asks for, then by what they say now."""
        pairs = np.flatnonzero(self.order.open)
        probabilities = self.posterior.probabilities(pairs)
        descriptions = self.posterior.descriptions
        gains = self.posterior.predict(probabilities, descriptions.of_levels(self.order.weights.gains))
        relevant = self.posterior.predict(probabilities, self._values(self.order.strategy.measure.first_relevant()))
        directions = open_directions(self.outlook, self.order.wanted, self.risk, relative=True)
        worth = self.outlook.narrowing(directions, pairs, gains)
        place = np.full(len(self.read.candidates), len(asked))
        place[asked] = np.arange(len(asked))
        by_worth = np.lexsort((self.read.candidates.ties[pairs], -np.round(worth, 9), place[pairs]))
        return look_forward(self.outlook, pairs[by_worth], gains.take(by_worth), relevant.take(by_worth))


def _share(found: int, others: float) -> float:
    return found / (found + others) if found else 0.0


def _pair_rows(findings: _Findings, goals: Sequence[Goal]) -> tuple[PairOutlookRow, ...]:
    """Differences of pairs of runs: those that are asked about, or all."""
    best_first = findings.best_first()
    place = {run: i for i, run in enumerate(best_first)}
    if goals and all(goal.runs is not None for goal in goals):
        wanted = [tuple(sorted(goal.runs, key=place.__getitem__)) for goal in goals if goal.runs is not None]
        pairs = np.array(list(dict.fromkeys(wanted)), dtype=np.int64)
    else:
        first, second = np.triu_indices(len(best_first), 1)
        runs = np.array(best_first, dtype=np.int64)
        pairs = np.stack([runs[first], runs[second]], axis=1)
    if not len(pairs):
        return ()
    own, names = np.diag(findings.covariance), findings.read.candidates.runs
    expected = findings.outlook.expected[pairs[:, 0]] - findings.outlook.expected[pairs[:, 1]]
    variance = own[pairs[:, 0]] + own[pairs[:, 1]] - 2 * findings.covariance[pairs[:, 0], pairs[:, 1]]
    deviation = np.sqrt(np.where(variance > SETTLED, variance, 0.0))
    certain = _certain(findings, pairs, deviation)
    rows = []
    for (a, b), difference, spread, sure in zip(
        pairs.tolist(), expected.tolist(), deviation.tolist(), certain.tolist(), strict=True
    ):
        greater = NormalDist().cdf(difference / spread) if spread > 0 else 0.5 + 0.5 * float(np.sign(difference))
        likely = max(greater, 1 - greater) >= 1 - findings.risk
        verdict: Decided = "certain" if sure else "likely" if likely else "undecided"
        ends = difference - INTERVAL * spread, difference + INTERVAL * spread
        rows.append(PairOutlookRow(names[a], names[b], difference, *ends, greater, verdict))
    return tuple(rows)


def _certain(findings: _Findings, pairs: Ints, deviation: Floats) -> Flags:
    """Which differences no grades of unjudged documents can turn around, or make."""
    scored = findings.read.scored_runs
    defined = ~np.any([np.isnan(one.scores) for one in scored], axis=0)
    kept = np.flatnonzero(defined)
    nothing_left: Flags = deviation == 0
    if not len(kept) or not findings.order.judged.any():
        return nothing_left
    bounds = pair_bounds(findings.order.strategy.measure, scored, pairs, kept)
    low, high = np.minimum(bounds.worst, bounds.sure_low), np.maximum(bounds.best, bounds.sure_high)
    known = (low > SAME_MEAN) | (high < -SAME_MEAN) | ((low >= -SAME_MEAN) & (high <= SAME_MEAN))
    return known | nothing_left


# ---- what to judge


def _judgment_rows(findings: _Findings, order: Order, chosen: Batch, assessors: int) -> tuple[JudgmentRow, ...]:
    candidates, pairs = findings.read.candidates, chosen.pairs
    descriptions = findings.posterior.descriptions
    by_level = findings.posterior.probabilities(pairs)
    gains = findings.posterior.predict(by_level, descriptions.of_levels(findings.order.weights.gains))
    probabilities = order.grade_probabilities(pairs)
    if probabilities is None:
        probabilities = findings.posterior.of_grades(by_level)
    directions = open_directions(findings.outlook, findings.order.wanted, findings.risk, relative=False)
    in_order = np.argsort(pairs)
    effects = np.zeros(len(pairs))
    effects[in_order] = np.sqrt(findings.outlook.narrowing(directions, pairs[in_order], gains.take(in_order)))
    parts = _parts(candidates.topic_of[pairs], assessors) if chosen.parts is None else chosen.parts
    return tuple(
        JudgmentRow(
            place + 1,
            int(parts[place]) + 1,
            candidates.topics[candidates.topic_of[pair]],
            doc,
            float(probabilities[place] @ candidates.scale),
            tuple(probabilities[place].tolist()),
            float(effects[place]),
            float(chosen.priorities[place]),
            None if chosen.inclusion is None else float(chosen.inclusion[place]),
            None if chosen.strata is None else int(chosen.strata[place]),
            tuple(candidates.found_by(pair)),
        )
        for place, (pair, doc) in enumerate(zip(pairs.tolist(), candidates.docs.take(pairs), strict=True))
    )


def _parts(topics: Ints, assessors: int) -> Ints:
    """Which assessor gets each document: equally many each, and the documents of a topic together as far as can be."""
    parts = np.empty(len(topics), dtype=np.int64)
    parts[np.argsort(topics, kind="stable")] = np.arange(len(topics)) * assessors // max(len(topics), 1)
    return parts


def _texts(collection: BaseCollection, docs: Sequence[str]) -> Mapping[str, str]:
    if collection.texts is None or isinstance(collection.texts, Texts) or not docs:
        return {}
    return collection.texts.excerpts(set(docs), _LONGEST_TEXT)


def _notices(order: Order, chosen: Batch, budget: int) -> list[Notice]:
    left = int(order.open.sum())
    notices = []
    if not left:
        notices.append(
            Notice("no-holes", 0, "all documents that may be asked for are judged: there is nothing left to judge")
        )
    elif budget == 0:
        notices.append(
            Notice("no-budget", left, f"the budget is 0, so nothing is to be judged; {left:,} documents are not")
        )
    elif len(chosen) and len(chosen) < budget:
        text = f"only {len(chosen):,} documents are left to judge, fewer than the budget of {budget:,}"
        notices.append(Notice("budget-too-large", budget - len(chosen), text))
    return notices
