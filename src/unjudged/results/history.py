"""What a history holds: releases with their scores, and where each change comes from, the ranker or the judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from unjudged.errors import InputError, Notice
from unjudged.limits import RangeOfMeans
from unjudged.results.provenance import Input, Provenance
from unjudged.results.tabular import Tabular
from unjudged.wording import counted, visible

__all__ = [
    "ChangeRow",
    "Corners",
    "EarlierRelease",
    "History",
    "JudgmentChanges",
    "Release",
    "ReleaseRow",
    "ScoreOf",
    "change_row",
    "sorted_by_measure",
]

_SAME = 1e-9
"""Differences below this are rounding errors."""


class ScoreOf(NamedTuple):
    """A release's score by one measure under one hole model."""

    measure: str
    holes: str
    value: float | None
    low: float | None
    high: float | None
    range: RangeOfMeans | None
    judged: float | None
    """Share of the documents that the measure looks at."""


class JudgmentChanges(NamedTuple):
    """How the judgments of two releases differ, in (topic, document) pairs."""

    added: int
    changed: int
    removed: int


class Corners(NamedTuple):
    """Scores of two releases' runs under the judgments of both, on the topics that both have judgments of.

    None where a file was not there. ``earlier`` is the earlier release's score on all its topics, computed again.
    """

    measure: str
    holes: str
    topics: int
    earlier_run_earlier_qrels: float | None
    new_run_earlier_qrels: float | None
    earlier_run_new_qrels: float | None
    new_run_new_qrels: float | None
    earlier: float | None


@dataclass(frozen=True)
class EarlierRelease:
    """The release that another one is compared with."""

    release: str
    corners: tuple[Corners, ...] = ()
    judgments: JudgmentChanges | None = None
    """None where the earlier judgments were not there."""
    missing: str = ""
    """What kept the two from being scored under both judgments."""


@dataclass(frozen=True)
class Release:
    """One evaluation: a run that was released, with its scores, and what it was made of."""

    release: str
    date: str | None
    run: str
    """What the run calls itself."""
    topics: int
    judgments: int
    topics_sha256: str
    """Of the sorted names of the judged topics."""
    inputs: tuple[Input, ...]
    """Paths as they were given, those that are not absolute from the folder of the history on."""
    seed: int
    version: str
    command: tuple[str, ...]
    scores: tuple[ScoreOf, ...]
    previous: EarlierRelease | None = None

    def file(self, role: str) -> Input | None:
        """The file with the judgments (``qrels``) or the ``run``; None where it was no file."""
        return next((one for one in self.inputs if one.role == role), None)

    def score(self, measure: str, holes: str) -> float | None:
        """Its score; where nothing is unjudged, all hole models have that of the first. None where it is not known."""
        own = [one for one in self.scores if one.measure == measure]
        known = next((one for one in own if one.holes == holes), None)
        if known is None and own and own[0].judged == 1:
            known = own[0]
        return None if known is None else known.value

    def valued(self) -> list[tuple[str, str]]:
        """The measures and hole models that give scores of their own, not only bounds."""
        return [(one.measure, one.holes) for one in self.scores if one.range != "bounds"]


class ReleaseRow(NamedTuple):
    """A release's score by one measure under one hole model. ``low`` and ``high`` are what ``range`` says they are."""

    release: str
    date: str | None
    run: str
    measure: str
    holes: str
    value: float | None
    low: float | None
    high: float | None
    range: RangeOfMeans | None
    judged: float | None
    topics: int
    judgments: int
    run_sha256: str | None
    qrels_sha256: str | None
    version: str


class ChangeRow(NamedTuple):
    """A change of a score since an earlier release: ``change = ranker + judgments + topics + other``, exactly.

    The first two are about the topics that both have judgments of. ``ranker`` is the mean of what the new run changes
    under the earlier and under the new judgments, ``judgments`` that of what the new judgments change for the earlier
    and for the new run; where one of the four scores is not known, what the others say. ``topics`` is what comes from
    topics that only one of them has, ``other`` what the earlier release would score differently today, computed with
    this version and these options. None where that is not known.
    """

    release: str
    previous: str
    measure: str
    holes: str
    change: float | None
    ranker: float | None
    judgments: float | None
    topics: float | None
    other: float | None
    ranker_earlier_qrels: float | None = None
    ranker_new_qrels: float | None = None
    judgments_earlier_run: float | None = None
    judgments_new_run: float | None = None


def change_row(release: Release, earlier: Release | None, corners: Corners | None, *, of: tuple[str, str]) -> ChangeRow:
    """Where a change comes from. *of*: the measure and the hole model."""
    name = "" if release.previous is None else release.previous.release
    now, before = release.score(*of), None if earlier is None else earlier.score(*of)
    if before is None and corners is not None:
        before = corners.earlier
    change = _less(now, before)
    if corners is None:
        return ChangeRow(release.release, name, *of, change, None, None, None, None)
    old_old, new_old, old_new, new_new = corners[3:7]
    rankers = _less(new_old, old_old), _less(new_new, old_new)
    judgments = _less(old_new, old_old), _less(new_new, new_old)
    ranker, judged = _mean(*rankers), _mean(*judgments)
    told = None if ranker is None or judged is None else ranker + judged
    topics = _rounded(_less(_less(now, corners.earlier), told))
    other = _rounded(_less(corners.earlier, before))
    return ChangeRow(release.release, name, *of, change, ranker, judged, topics, other, *rankers, *judgments)


def sorted_by_measure(of: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each once, those of a measure together."""
    distinct = list(dict.fromkeys(of))
    measures = list(dict.fromkeys(measure for measure, _ in distinct))
    return sorted(distinct, key=lambda one: measures.index(one[0]))


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _mean(one: float | None, other: float | None) -> float | None:
    """The mean of what is known."""
    known = [value for value in (one, other) if value is not None]
    return sum(known) / len(known) if known else None


def _rounded(value: float | None) -> float | None:
    return 0.0 if value is not None and abs(value) < _SAME else value


@dataclass(frozen=True, eq=False, repr=False)
class History(Tabular):
    """Releases in the order of their file. Tables are ``releases`` and ``changes``."""

    row_types: ClassVar[Mapping[str, type[tuple[object, ...]]]] = {"releases": ReleaseRow, "changes": ChangeRow}
    main_table: ClassVar = "releases"

    path: str
    entries: tuple[Release, ...]
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    @cached_property
    def by_name(self) -> dict[str, Release]:
        """Each release."""
        return {one.release: one for one in self.entries}

    def release(self, name: str) -> Release:
        """The release with this name."""
        if name not in self.by_name:
            raise InputError(
                f"{self.path}: no release {name!r}; there is {', '.join(list(self.by_name)[-5:]) or 'none'}"
            )
        return self.by_name[name]

    def releases(self) -> tuple[ReleaseRow, ...]:
        """One row per release, measure and hole model."""
        rows = []
        for one in self.entries:
            run, qrels = one.file("run"), one.file("qrels")
            hashes = (None if run is None else run.sha256), (None if qrels is None else qrels.sha256)
            about = one.topics, one.judgments, *hashes, one.version
            rows += [ReleaseRow(one.release, one.date, one.run, *score, *about) for score in one.scores]
        return tuple(rows)

    def changes(self) -> tuple[ChangeRow, ...]:
        """One row per release that has an earlier one, and per measure and hole model that gives values of its own."""
        rows = []
        for one in self.entries:
            if one.previous is None:
                continue
            earlier = self.by_name.get(one.previous.release)
            corners = {(each.measure, each.holes): each for each in one.previous.corners}
            measures = {score.measure for score in one.scores}
            before = [] if earlier is None else [of for of in earlier.valued() if of[0] in measures]
            rows += [
                change_row(one, earlier, corners.get(of), of=of) for of in sorted_by_measure([*one.valued(), *before])
            ]
        return tuple(rows)

    def to_json(self) -> str:
        """The JSON document described in the docs, with both tables and what is not known."""
        missing = [
            {"release": one.release, "previous": one.previous.release, "missing": one.previous.missing}
            for one in self.entries
            if one.previous is not None and one.previous.missing
        ]
        content = {"history": {"file": self.path, "not_told_apart": missing}, **self.tables_as_dicts()}
        return self.provenance.document(content, self.warnings)

    def __repr__(self) -> str:
        last = f", the last is {self.entries[-1].release}" if self.entries else ""
        return visible(f"History of {counted(len(self.entries), 'release')} in {self.path}{last}")
