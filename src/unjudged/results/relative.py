"""What ``relative`` returns: what each run adds to others, topic by topic, document by document, and pair by pair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.registry import name_among
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = ["AddedDocument", "AddedGroup", "AddedPair", "AddedRun", "AddedTopic", "Chosen", "FusedRuns", "Relative"]


class AddedRun(NamedTuple):
    """One run under one hole model: means over topics.

    ``absolute``, ``unique``, ``rareness`` and ``tasc`` take unjudged documents as not relevant. ``low`` and ``high``
    are what the hole model says about ``nrg``. ``priors`` is the number of runs in the prior set, ``type`` what kind of
    run it is, where that was given.
    """

    run: str
    group: str | None
    priors: int
    holes: str
    absolute: float
    nrg: float
    low: float | None
    high: float | None
    judged: float | None
    unique: float
    rareness: float
    tasc: float
    type: str | None = None


class AddedTopic(NamedTuple):
    """The same for one topic; ``unique`` is the number of relevant documents that no prior run has."""

    run: str
    topic: str
    holes: str
    absolute: float
    nrg: float
    low: float | None
    high: float | None
    judged: float | None
    unique: int
    rareness: float
    tasc: float


class AddedDocument(NamedTuple):
    """A document behind a score: of the gain it has, ``left`` is the share that prior runs leave.

    ``added`` is what it adds to the NRG of the topic. ``found_by`` is the number of prior runs that have it within the
    pool depth. ``grade`` is None for an unjudged document; ``added`` is then what it would add with the highest grade,
    if it alone got a label.
    """

    run: str
    topic: str
    doc: str
    rank: int
    grade: int | None
    left: float
    found_by: int
    added: float


class AddedPair(NamedTuple):
    """What a run adds to one other run alone."""

    run: str
    prior_run: str
    nrg: float


class Chosen(NamedTuple):
    """A step of choosing runs greedily: the run that adds most to those before it, and what it adds.

    ``relevant`` is the share of the relevant documents that the runs have so far within the pool depth. ``judgments``
    is the number of judged documents that only this one has there: what it costs to have it in a pool, if its
    ``unjudged`` ones there, which count neither as gain nor as cost, are left out.
    """

    step: int
    run: str
    nrg: float
    relevant: float
    judgments: int
    unjudged: int = 0


class FusedRuns(NamedTuple):
    """The first chosen runs, with all prior ones, fused: the absolute score, beside that of the best run alone.

    ``runs`` is how many are fused, ``last`` the one that was chosen last. ``low`` and ``high`` are what the hole model
    says about ``score``, and ``judged`` is the share of judged documents: a fused run has holes as any other.
    """

    runs: int
    last: str
    holes: str
    score: float
    low: float | None
    high: float | None
    judged: float | None
    best: str
    best_score: float
    best_low: float | None
    best_high: float | None
    best_judged: float | None


class AddedGroup(NamedTuple):
    """A group: its ``best`` run, and how many relevant documents only its runs have within the pool depth.

    ``unique`` is over all topics together: what TREC calls unique contributions to the relevant set. ``absolute`` and
    ``nrg`` are means over its runs, the latter under the first hole model. ``grouping`` says what the group is: of
    runs of one ``group``, or of one ``type``.
    """

    group: str
    runs: int
    best: str
    unique: int
    absolute: float
    nrg: float | None
    grouping: Literal["group", "type"] = "group"


@dataclass(frozen=True, eq=False, repr=False)
class Relative(Tabular):
    """What runs add to others. Runs are listed by absolute score, best first; see the rows for what columns are."""

    row_types: ClassVar = {
        "rows": AddedRun,
        "topics": AddedTopic,
        "documents": AddedDocument,
        "pairs": AddedPair,
        "choice": Chosen,
        "fusion": FusedRuns,
        "groups": AddedGroup,
    }

    measure: str
    absolute: str
    priors: str
    """Who is in the prior sets, in words."""
    depth: int | None
    """Ranks of a run that the measure reads; None for all."""
    prior_depth: int | None
    """Ranks of prior runs that are read; None for all: no cut-off was applied to them."""
    pool_depth: int | None
    """Ranks within which unique documents and rareness are counted."""
    rel: float
    settings: dict[str, str | float]
    topics_count: int
    run_rows: tuple[AddedRun, ...]
    topic_rows: tuple[AddedTopic, ...]
    document_rows: tuple[AddedDocument, ...] = ()
    pair_rows: tuple[AddedPair, ...] = ()
    choice_rows: tuple[Chosen, ...] = ()
    fused_rows: tuple[FusedRuns, ...] = ()
    group_rows: tuple[AddedGroup, ...] = ()
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def rows(self) -> tuple[AddedRun, ...]:
        """One row per run and hole model."""
        return self.run_rows

    def topics(self) -> tuple[AddedTopic, ...]:
        """One row per run, hole model and topic."""
        return self.topic_rows

    def documents(self) -> tuple[AddedDocument, ...]:
        """One row per document behind the scores of the runs that were to be explained."""
        return self.document_rows

    def pairs(self) -> tuple[AddedPair, ...]:
        """One row per run and other run: what the first adds to the second alone."""
        return self.pair_rows

    def choice(self) -> tuple[Chosen, ...]:
        """One row per run that was chosen, in order."""
        return self.choice_rows

    def fusion(self) -> tuple[FusedRuns, ...]:
        """One row per number of chosen runs that are fused, and hole model."""
        return self.fused_rows

    def groups(self) -> tuple[AddedGroup, ...]:
        """One row per group, where groups were given, and one per type of run, where types were."""
        return self.group_rows

    def run(self, name: str, holes: str | None = None) -> AddedRun:
        """The row of one run, under one hole model where there are several."""
        model = None if holes is None else name_among({row.holes for row in self.run_rows}, holes)
        for row in self.run_rows:
            if row.run == name and model in (None, row.holes):
                return row
        raise InputError(f"no run {name!r}" + (f" with holes {holes!r}" if holes else "") + " in this result")

    def summary(self) -> str:
        """Who adds most, and who could add more than that, in words."""
        first = [row for row in self.run_rows if row.holes == self.run_rows[0].holes]
        most = max(first, key=lambda row: row.nrg)
        place = first.index(most) + 1
        text = f"{most.run} adds most, {most.nrg:.4f}; by {self.absolute} it is number {place} of {len(first)}."
        hidden = [row for row in first if row is not most and (row.high or 0.0) > most.nrg > row.nrg]
        if hidden:
            best = max(hidden, key=lambda row: row.high or 0.0)
            text += f" {best.run} could add up to {best.high:.4f}, were its unjudged documents relevant."
            if len(hidden) > 1:
                text += f" In all, {len(hidden)} other runs could add more."
        return text

    def reading(self) -> str:
        """How far runs and priors were read, in words: results depend on it."""
        own = "no cut-off" if self.depth is None else f"a cut-off of {self.depth}"
        others = "read to their end" if self.prior_depth is None else f"read to rank {self.prior_depth}"
        return f"{self.measure}: {own}; prior runs {others}."

    def to_json(self, *, per_topic: bool = False) -> str:
        """The JSON document described in the docs; ``topics`` is there with *per_topic* or explained runs."""
        named = ("measure", "absolute", "priors", "depth", "prior_depth", "pool_depth", "rel")
        settings = {**{name: getattr(self, name) for name in named}, "topics": self.topics_count, **self.settings}
        topics = per_topic or bool(self.document_rows)
        content = {"relative": settings, **self.tables_as_dicts(without=() if topics else ("topics",))}
        return self.provenance.document(content, self.warnings)

    def __repr__(self) -> str:
        over = f"{counted(len(self.run_rows), 'row')} over {counted(self.topics_count, 'topic')}"
        lines = [f"Relative: {over}; priors: {self.priors}"]
        lines += [f"{row.run}: {self.absolute} {row.absolute:.4f}, NRG {row.nrg:.4f}" for row in self.run_rows[:20]]
        return "\n".join(map(visible, lines))
