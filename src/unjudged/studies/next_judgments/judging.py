"""Judging that goes on: what is next, and what is decided, with each judgment as it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from unjudged.arrays import Ints, SmallInts
from unjudged.collection import BaseCollection
from unjudged.data.ids import Ids, PairIndex, concatenate_ids
from unjudged.data.qrels import Qrels, State
from unjudged.data.spans import offsets_of
from unjudged.data.texts import Texts
from unjudged.engine.numerics.joint_imputations import ScoredRun, as_scored
from unjudged.errors import InputError, Notice, some_of
from unjudged.limits import Whole
from unjudged.results.next_judgments import NextJudgments
from unjudged.results.provenance import Provenance
from unjudged.strategies import Batch, Order, Strategy
from unjudged.strategies.decide import Decide, DecideOrder
from unjudged.studies.next_judgments.findings import Findings, pair_rows
from unjudged.studies.next_judgments.goals import Goal, goal_row
from unjudged.studies.next_judgments.judgment_rows import judgment_rows
from unjudged.studies.next_judgments.reading import Read

__all__ = ["Asked", "Judging", "Judgments"]

Judgments = Iterable[tuple[str, str, int | None]] | Mapping[str, Mapping[str, int | None]]
"""Triples of topic, document and grade, or a dict of dicts. No grade: a judgment is withdrawn."""
_LOOK_FORWARD = 100
"""Documents that the strategy chooses at least, to say how many more judgments are needed."""
_LONGEST_TEXT = 100_000
"""Characters of a document that an assessor gets."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked, and of what."""

    collection: BaseCollection
    read: Read
    strategy: Strategy
    decide: Decide
    goals: Sequence[Goal]
    provenance: Provenance
    queries: Mapping[str, str] = field(default_factory=dict)


class Judging:
    """Judgments as they are made, and what follows from them; runs are not read again.

    `ask` says what to judge next, `record` takes judgments in, `result` says what they have decided so far. All that is
    said follows from the runs, the judgments and the seed, not from when they were recorded: it is what
    :func:`unjudged.next_judgments` says of all of them. Two threads must not use one at once: `copied` gives another.

    >>> import unjudged as uj
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> judging = uj.start_judging({}, runs, new=True, measure="P@1", goal="x>y")
    >>> judging.ask(1)
    [('1', 'b')]
    >>> judging.record([("1", "b", 1)])
    >>> judging.ask(5, without=[("1", "a")])
    []
    >>> judging.record({"1": {"a": 0}})
    >>> judging.result().goals()[0].answer
    'y is better than x (certain)'
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        pairs, grades = asked.read.candidates.judgments(asked.read.qrels)
        self._grades = dict(zip(pairs.tolist(), grades.tolist(), strict=True))
        self._changed = False
        self._orders: tuple[Order, DecideOrder] | None = None
        self._scored: Sequence[ScoredRun] | None = asked.read.scored_runs

    def copied(self) -> Judging:
        """Another one with the same judgments, so that a thread can look at these while the other goes on."""
        other = Judging(self._asked)
        other._grades, other._changed = dict(self._grades), self._changed
        other._scored = self._scored
        return other

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are judged."""
        return self._asked.read.candidates.topics

    @property
    def scale(self) -> tuple[int, ...]:
        """The grades that a judgment may have."""
        return tuple(self._asked.read.candidates.scale.tolist())

    @property
    def judged(self) -> int:
        """How many of the documents that may be asked for are judged."""
        return int(self._asked.read.candidates.askable[list(self._grades)].sum())

    @property
    def left(self) -> int:
        """How many are not."""
        return int(self._asked.read.candidates.askable.sum()) - self.judged

    def ask(self, number: int = 1, *, without: Iterable[tuple[str, str]] = ()) -> list[tuple[str, str]]:
        """The next pairs of topic and document, best first; *without* those that somebody has got already.

        There may be fewer. Goals play no part in it: `result` says when they are reached.
        """
        number = Whole(0).checked("the number of documents", number)
        out = np.array([pair for pair in self._places(without).tolist() if pair >= 0], dtype=np.int64)
        order = self._started[0]
        pairs = order.ask(number + len(out)).pairs
        pairs = pairs[~np.isin(pairs, out)][:number]
        candidates = order.candidates
        topics = [candidates.topics[topic] for topic in candidates.topic_of[pairs].tolist()]
        return list(zip(topics, candidates.docs.take(pairs), strict=True))

    def record(self, judgments: Judgments) -> None:
        """Take judgments in, all or, where one of them is no good, none.

        Of a pair that was judged before, the new grade counts; None withdraws its judgment.
        """
        given = {(topic, doc): grade for topic, doc, grade in _triples(judgments)}
        places = self._places(given)
        for (topic, doc), place, grade in zip(given, places.tolist(), given.values(), strict=True):
            self._check(topic, doc, place, grade)
        grades = dict(zip(places.tolist(), given.values(), strict=True))
        news = {pair: grade for pair, grade in grades.items() if grade != self._grades.get(pair)}
        if not news:
            return
        added = {pair: grade for pair, grade in news.items() if grade is not None and pair not in self._grades}
        for pair, grade in news.items():
            if grade is None:
                del self._grades[pair]
            else:
                self._grades[pair] = grade
        self._changed, self._scored = True, None
        if len(added) < len(news):  # orders take no judgment back
            self._orders = None
        elif self._orders is not None:
            _tell(dict.fromkeys(self._orders), added)

    def result(self, budget: int = 100, batch: int = 1) -> NextJudgments:
        """What to judge next and why, for *batch* assessors, and what is decided, as `next_judgments` says it."""
        asked, (order, model) = self._asked, self._started
        budget, batch = Whole(0).checked("the budget", budget), Whole(1).checked("the number of assessors", batch)
        findings = Findings.of(self._scored_runs, model)
        names, decide = order.candidates.runs, asked.decide
        pairs = pair_rows(findings, asked.goals)
        relevant = findings.relevant(findings.first_relevant(), sought=asked.strategy.seeks_relevant)
        asked_for = order.ask(max(budget, _LOOK_FORWARD))
        forecast = findings.forecast(asked_for.pairs, all_documents=any(one.kind == "recall" for one in asked.goals))
        goals = tuple(
            goal_row(one, forecast, pairs, names, relevant, risk=decide.risk, seed=asked.collection.seed)
            for one in asked.goals
        )
        chosen = order.ask(0) if all(row.answered for row in goals) else asked_for.first(budget)
        rows = judgment_rows(findings, order, chosen, batch)
        return NextJudgments(
            strategy=str(asked.strategy),
            priority=asked.strategy.priority,
            measure=str(decide.measure),
            risk=decide.risk,
            depth=order.candidates.depth,
            judged=self.judged,
            left=self.left,
            assessors=batch,
            scale=self.scale,
            tables={
                "judgments": rows,
                "pairs": pairs,
                "runs": findings.run_rows(),
                "goals": goals,
                "recall": (relevant,),
            },
            queries=asked.queries,
            texts=_texts(asked.collection, [row.doc for row in rows]),
            warnings=(*asked.read.notices, *_notices(order, chosen, budget)),
            provenance=asked.provenance,
        )

    def qrels(self) -> Qrels:
        """All judgments: those of the beginning, and what was recorded."""
        first, candidates = self._asked.read.qrels, self._asked.read.candidates
        if not self._changed:
            return first
        pairs = np.array(sorted(self._grades), dtype=np.int64)
        grades = np.array([self._grades[pair] for pair in pairs.tolist()], dtype=np.int32)
        rows = candidates.qrels_rows[pairs]
        added = pairs[rows < 0]
        listed = rows >= 0
        states = np.where(first.judged, State.POOLED, first.states).astype(np.uint8)
        states[rows[listed]] = State.JUDGED
        own = np.zeros(len(first), dtype=np.int32)
        own[rows[listed]] = grades[listed]
        topics = np.concatenate([first.topic_of_row, candidates.topic_of[added]])
        order = np.argsort(topics, kind="stable")
        docs = concatenate_ids([first.docs, candidates.docs.take(added)])
        return replace(
            first,
            offsets=offsets_of(np.bincount(topics, minlength=len(first.topics))),
            docs=docs.take(order),
            grades=np.concatenate([own, grades[~listed]])[order],
            states=np.concatenate([states, np.full(len(added), State.JUDGED, dtype=np.uint8)])[order],
            strata=None,
            given_scale=first.scale,
        )

    # ---- behind it

    @property
    def _started(self) -> tuple[Order, DecideOrder]:
        """The order of the strategy, and what is believed of grades, which may be the same."""
        if self._orders is None:
            asked = self._asked
            candidates, seed = asked.read.candidates, asked.collection.seed
            order = asked.strategy.start(candidates, seed=seed)
            model = order if isinstance(order, DecideOrder) else asked.decide.start(candidates, seed=seed)
            _tell(dict.fromkeys((order, model)), self._grades)
            self._orders = order, model
        return self._orders

    @property
    def _scored_runs(self) -> Sequence[ScoredRun]:
        if self._scored is None:
            asked, qrels = self._asked, self.qrels()
            seed, measure = asked.collection.seed, asked.decide.measure
            self._scored = [as_scored(run, qrels, measure, seed) for run in asked.read.runs]
        return self._scored

    @cached_property
    def _index(self) -> PairIndex:
        candidates = self._asked.read.candidates
        return PairIndex(candidates.topic_of, candidates.docs)

    def _places(self, pairs: Iterable[tuple[str, str]]) -> Ints:
        """The number of each pair, -1 where there is none."""
        names = list(pairs)
        if not names:
            return np.zeros(0, dtype=np.int64)
        rows = self._asked.read.qrels.topic_rows
        topics = np.array([rows.get(topic, -1) for topic, _ in names], dtype=np.int64)
        return self._index.find(topics, Ids.of([doc for _, doc in names])).astype(np.int64)

    def _check(self, topic: str, doc: str, place: int, grade: int | None) -> None:
        if topic not in self._asked.read.qrels.topic_rows:
            raise InputError(f"there is no topic {topic!r}; there is {some_of(self.topics)}")
        if place < 0:
            depth = self._asked.read.candidates.depth
            raise InputError(f"no run has document {doc!r} for topic {topic!r} among its first {depth:,} documents")
        if grade is not None and grade not in self.scale:
            raise InputError(
                f"grade {grade!r} of document {doc!r} (topic {topic!r}) is not on the scale {self.scale[0]} to"
                f" {self.scale[-1]}; say the highest with max_grade"
            )


def _triples(judgments: Judgments) -> Iterable[tuple[str, str, int | None]]:
    if isinstance(judgments, Mapping):
        return ((topic, doc, grade) for topic, grades in judgments.items() for doc, grade in grades.items())
    return judgments


def _tell(orders: Iterable[Order], grades: Mapping[int, int]) -> None:
    pairs = np.array(sorted(grades), dtype=np.int64)
    told: SmallInts = np.array([grades[pair] for pair in pairs.tolist()], dtype=np.int32)
    for order in orders:
        order.tell(pairs, told)


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
