"""Checks of what documents say: near-duplicates, judged or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.groups import DEPTH
from unjudged.data.ids import Ids, concatenate_ids
from unjudged.data.near_duplicates import NEARLY_SAME, NearDuplicates, near_duplicates
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import Unlisted
from unjudged.data.texts import Texts
from unjudged.data.view import View
from unjudged.io.texts import TextSource
from unjudged.studies.doctor.check import Hit, check
from unjudged.wording import counted

__all__ = ["TextEvidence", "compare_texts", "unjudged_at_top"]


@dataclass(frozen=True, eq=False)
class TextEvidence:
    """Documents with a text, by topic: the judged ones, then those that runs have at the top and nobody judged."""

    qrels: Qrels
    topics: Ints
    docs: Ids
    grades: Ints
    """Of the judged ones."""
    pairs: NearDuplicates
    """For the same topic, as positions in these columns."""

    @property
    def judged(self) -> int:
        """How many are judged."""
        return len(self.grades)

    @cached_property
    def judged_pairs(self) -> NearDuplicates:
        """Pairs of judged documents."""
        return self.pairs.among(self.pairs.second < self.judged)

    def example(self, pairs: NearDuplicates) -> str:
        """The pair with the most in common, in words."""
        first, second, share = (column[int(np.argmax(pairs.share))] for column in pairs)
        named = [f"{doc!r}" for doc in self.docs.take(np.array([first, second]))]
        grades = [f" (grade {self.grades[one]})" if one < self.judged else "" for one in (first, second)]
        words = " and ".join(name + grade for name, grade in zip(named, grades, strict=True))
        return f"{words} of topic {self.qrels.topics[self.topics[first]]!r} have {share:.0%} of their words in common"


def unjudged_at_top(view: View) -> Unlisted:
    """What a run has at the top for judged topics, and nobody judged."""
    top = view.top(DEPTH)
    rows = np.flatnonzero(~top.judged)
    return Unlisted(top.topics[top.ranking[rows]], top.doc_ids(rows))


def compare_texts(qrels: Qrels, given: TextSource | Texts, unjudged: Sequence[Unlisted]) -> TextEvidence:
    """Read the texts of judged documents and of those that runs have at the top, and find near-duplicates."""
    judged = np.flatnonzero(qrels.judged)
    columns = [Unlisted(qrels.topic_of_row[judged], qrels.docs.take(judged)), *unjudged]
    every = Unlisted(np.concatenate([one.topics for one in columns]), concatenate_ids([one.docs for one in columns]))
    texts = given if isinstance(given, Texts) else given.read(set(every.docs))
    rows = texts.find(every.docs)
    there = every.index.first_rows()
    there = there[rows[there] >= 0]
    there = there[texts.lengths[rows[there]] > 0]
    topics, rows = every.topics[there], rows[there]
    near_by_topic = [near_duplicates(texts, rows[:0])]
    for topic in np.unique(topics):
        mine = np.flatnonzero(topics == topic)
        near = near_duplicates(texts, rows[mine])
        near_by_topic.append(NearDuplicates(mine[near.first], mine[near.second], near.share))
    pairs = NearDuplicates(*map(np.concatenate, zip(*near_by_topic, strict=True)))
    grades = qrels.grades[judged[there[there < len(judged)]]].astype(np.int64)
    return TextEvidence(qrels, topics, every.docs.take(there), grades, pairs)


@check(
    "texts",
    "near-duplicate-judgments",
    "note",
    "judged documents that say nearly what another judged one of the topic says",
    next_step="Take copies out of judgments and runs before you score, or know that runs are paid for the same text"
    " twice; where two copies have different grades, look at them.",
)
def near_duplicate_judgments(evidence: TextEvidence) -> Iterator[Hit]:
    """Near-duplicates that are judged, and how many pairs have different grades."""
    pairs, least = evidence.judged_pairs, f"{float(NEARLY_SAME):.0%}"
    if not len(pairs.first):
        return
    count = len(np.union1d(pairs.first, pairs.second))
    apart = evidence.grades[pairs.first] != evidence.grades[pairs.second]
    of = f"{count:,} of {counted(evidence.judged, 'judged document')} with a text"
    message = (
        f"{of} {'has' if count == 1 else 'have'} at least {least} of the words in common with another of the topic"
    )
    if apart.any():
        graded = counted(int(apart.sum()), "pair has", "pairs have")
        yield Hit(
            count, f"{message}; {graded} different grades", evidence.example(pairs.among(apart)), severity="warning"
        )
    else:
        yield Hit(count, message, evidence.example(pairs))


@check(
    "texts",
    "unjudged-near-duplicates",
    "note",
    f"unjudged documents in the top {DEPTH} of runs that say nearly what a judged one of the topic says",
    next_step="Judge these first: it takes a glance, and their grade is likely that of the judged one.",
)
def unjudged_near_duplicates(evidence: TextEvidence) -> Iterator[Hit]:
    """Holes that are copies of judged documents."""
    pairs, unjudged = evidence.pairs, len(evidence.docs) - evidence.judged
    mixed = pairs.among((pairs.first < evidence.judged) & (pairs.second >= evidence.judged))
    if len(mixed.first):
        count, least = len(np.unique(mixed.second)), f"{float(NEARLY_SAME):.0%}"
        of = f"{count:,} of {counted(unjudged, 'unjudged document')} with a text in the top {DEPTH} of runs"
        have = "has" if count == 1 else "have"
        message = f"{of} {have} at least {least} of the words in common with a judged one of the topic"
        yield Hit(count, message, evidence.example(mixed))
