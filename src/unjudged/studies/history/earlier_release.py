"""The release before: its files, where they still are what they were, and its scores under the judgments of both."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.errors import FileError, InputError, UnjudgedError
from unjudged.io.reading import RunSource, expand_runs
from unjudged.io.sources import digest
from unjudged.results.history import Corners, EarlierRelease, JudgmentChanges, Release, sorted_by_measure
from unjudged.results.scores import Scores

__all__ = ["EarlierFiles", "compare_with"]


class EarlierFiles(NamedTuple):
    """Where the earlier run and judgments are; None for where the history says."""

    run: str | None = None
    qrels: str | None = None

    def refuse_without(self, earlier: Sequence[Release]) -> None:
        """Refuse files of an earlier release where there is none."""
        for name, given in (("run", self.run), ("qrels", self.qrels)):
            if given is not None and not earlier:
                raise InputError(f"--previous-{name} {given}: this is the first release of its history")


class _Found(NamedTuple):
    """A file of the earlier release, or why it is not there."""

    path: str | None
    is_same: bool
    """Whether it is the new release's file, byte by byte."""
    missing: str = ""


def compare_with(
    earlier: Release,
    new: Release,
    collection: BaseCollection,
    scores: Scores,
    scorer: Callable[[BaseCollection], Scores],
    history: str,
    files: EarlierFiles,
) -> EarlierRelease:
    """What can be said about the change since the *earlier* release; *scores* are those of the new one."""
    run = _find(earlier, new, "run", files.run, history)
    qrels = _find(earlier, new, "qrels", files.qrels, history)
    missing = [one.missing for one in (run, qrels) if one.missing]
    if qrels.path is None and earlier.topics_sha256 != new.topics_sha256:
        missing.append("the judgments are of other topics")
        return EarlierRelease(earlier.release, missing="; ".join(missing))
    if run.path is None and qrels.path is None:
        return EarlierRelease(earlier.release, missing="; ".join(missing))
    cross = _Cross(collection, scores, scorer, run, qrels, earlier)
    try:
        return EarlierRelease(earlier.release, cross.corners(), cross.judgment_changes(), "; ".join(missing))
    except UnjudgedError as problem:
        return EarlierRelease(earlier.release, missing=f"the files of {earlier.release} cannot be scored: {problem}")


def _find(earlier: Release, new: Release, role: str, given: str | None, history: str) -> _Found:
    """The file that the earlier release was made of: the one *given*, or where the history says."""
    kept, own = earlier.file(role), new.file(role)
    what = "run" if role == "run" else "judgments"
    wanted = None if kept is None else kept.sha256
    if given is not None:
        found = digest(given)
        if found is None:
            raise FileError(given, f"no such file, which --previous-{role} names")
        if wanted is not None and found != wanted:
            raise FileError(
                given,
                f"this is not the {what} of {earlier.release}: its sha256 is {found[:12]}..., not {wanted[:12]}...",
            )
        return _Found(given, own is not None and own.sha256 == found)
    if kept is None or wanted is None:
        was = "was" if role == "run" else "were"
        return _Found(None, False, f"the {what} of {earlier.release} {was} in no file")
    path = os.path.join(os.path.dirname(os.path.abspath(history)), kept.path)  # noqa: PTH100,PTH118,PTH120
    if own is not None and own.sha256 == wanted:
        return _Found(path, True)
    found = digest(path)
    if found == wanted:
        return _Found(path, False)
    why = "is not there" if found is None else f"is not what it was for {earlier.release}"
    return _Found(None, False, f"{kept.path} {why} (--previous-{role} FILE says where it is)")


Values = dict[tuple[str, str], float | None]
"""Scores by measure and hole model."""


class _Cross:
    """Two runs under two sets of judgments, on the topics that both have judgments of."""

    def __init__(
        self,
        collection: BaseCollection,
        scores: Scores,
        scorer: Callable[[BaseCollection], Scores],
        run: _Found,
        qrels: _Found,
        earlier: Release,
    ) -> None:
        self.collection, self.scores, self.scorer = collection, scores, scorer
        self.run, self.qrels, self.earlier = run, qrels, earlier
        before = [of for of in earlier.valued() if of[0] in scores.measures]
        own = [(row.measure, row.holes) for row in scores.mean() if row.range != "bounds"]
        self.keys = sorted_by_measure([*own, *before])
        self.new_qrels, self.old_qrels = collection.qrels, self._earlier_qrels()
        self.old_runs = collection.runs if run.is_same else None
        if run.path is not None and not run.is_same:
            self.old_runs = collection.sources(expand_runs(run.path))

    def _earlier_qrels(self) -> Qrels | None:
        if self.qrels.path is None:
            return None
        return (
            self.collection.qrels
            if self.qrels.is_same
            else self.collection.judgments(self.qrels.path, all_chosen=False)
        )

    def corners(self) -> tuple[Corners, ...]:
        """The four scores by each measure and hole model that gives values of its own."""
        stored: Values = {key: self.earlier.score(*key) for key in self.keys}
        topics = self._topics()
        same = self.old_qrels is None or len(topics) == len(self.new_qrels.topics) == len(self.old_qrels.topics)
        new_new = self._values(self.scores) if same else self._scored(self.collection.runs, self.new_qrels, topics)
        new_old = new_new if self.qrels.is_same else self._scored(self.collection.runs, self.old_qrels, topics)
        old_new = new_new if self.run.is_same else self._scored(self.old_runs, self.new_qrels, topics)
        if self.run.is_same:
            old_old = new_old if self.old_qrels is not None else stored
        else:
            old_old = old_new if self.qrels.is_same else self._scored(self.old_runs, self.old_qrels, topics)
        if self.old_qrels is not None and self.old_runs is not None:
            before = old_old if same else self._scored(self.old_runs, self.old_qrels, None)
        else:  # what was written down is all there is
            before = stored
            old_old = stored if same else {}
            old_new = old_old if self.qrels.is_same else old_new
            new_old = old_old if self.run.is_same else new_old
        every = (old_old, new_old, old_new, new_new, before)
        return tuple(Corners(*key, len(topics), *(one.get(key) for one in every)) for key in self.keys)

    def _topics(self) -> set[str]:
        """The topics that both have judgments of."""
        topics = set(self.new_qrels.topics)
        if self.old_qrels is not None:
            topics &= set(self.old_qrels.topics)
        if not topics:
            raise InputError("the judgments have no topic in common")
        return topics

    def _scored(self, runs: Sequence[RunSource] | None, qrels: Qrels | None, topics: set[str] | None) -> Values:
        """Scores of a run under judgments of these topics, or of all; nothing where one of them is not there."""
        if runs is None or qrels is None:
            return {}
        some = qrels if topics is None or len(topics) == len(qrels.topics) else qrels.only(topics)
        return self._values(self.scorer(self.collection.replaced(runs=runs, qrels=some, hashes=False)))

    def _values(self, scores: Scores) -> Values:
        """The scores of a run. Where nothing is unjudged no hole model is asked, and all would say the same."""
        mean, judged = scores.mean(), {measure: share for _, measure, share in scores.shares_judged()}
        known: Values = {(row.measure, row.holes): row.value for row in mean}
        plain = scores.holes[0]
        return {
            (measure, holes): known.get(
                (measure, holes), known.get((measure, plain)) if judged.get(measure) == 1 else None
            )
            for measure, holes in self.keys
        }

    def judgment_changes(self) -> JudgmentChanges | None:
        """How many judgments are new, gone, or have another grade."""
        old, new = self.old_qrels, self.new_qrels
        if old is None:
            return None
        place = np.array([old.topic_rows.get(topic, -1) for topic in new.topics], dtype=np.int64)
        topics = place[new.topic_of_row]
        shared = np.flatnonzero((topics >= 0) & new.judged)
        rows = old.pairs.find(topics[shared], new.docs.take(shared))
        both = rows >= 0
        both[both] = old.judged[rows[both]]
        changed = int((old.grades[rows[both]] != new.grades[shared[both]]).sum())
        kept = int(both.sum())
        return JudgmentChanges(int(new.judged.sum()) - kept, changed, int(old.judged.sum()) - kept)
