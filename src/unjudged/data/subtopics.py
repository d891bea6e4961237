"""Subtopics: the sides of a topic for which documents were judged one by one (diversity judgments).

Judgments always have one row for each (topic, document). Where the file has a judgment for each subtopic, they are in
`Qrels.subtopics` (`data/subtopics.py`), sorted by document and subtopic, and the row has the highest grade: so
whatever knows nothing of subtopics works as on plain judgments. A subtopic belongs to one topic and has a number;
topic `i` owns the numbers `offsets[i]:offsets[i + 1]`. A view keeps the row of each document in the judgments
(`cached_qrels_rows`), which leads to its subtopics.

For a measure on subtopics a document does not have a grade but a *profile*: the subtopics that it is relevant to. The
profiles of each topic are numbered (`data/relevance_profiles.py`), from 0 (relevant to nothing) to the highest number
(to everything), and `seen` gives such measures a view with profiles where grades are. So hole models, worlds and
differences, which ask how many judgments of each grade there are and what the score is with this or that grade in a
hole, need not know about subtopics. A measure says how to do better where numbers are not enough (`fixed_extremes`,
`joint_extremes`, `lowest`; for BPM, whose reader may stop too early, `measures/stopping_bounds.py` looks at sums of
gains), and a hole model which measures it has nothing to say about (`check`). Ideal rankings take long, so a study
asks a measure to find them once, before threads start (`prepare`).
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np

from unjudged.arrays import Flags, Floats, Ints, SmallInts
from unjudged.data.spans import offsets_of

__all__ = ["Subtopics", "number_subtopics", "numbers_by_name"]


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Diversity judgments: what each document was judged to be for each subtopic of its topic.

    A subtopic belongs to one topic: subtopic ``"1"`` of two topics are two subtopics. They are numbered topic by topic,
    and topic ``i`` owns numbers ``offsets[i]:offsets[i + 1]``. The other columns have one row per judgment, which is a
    (document, subtopic) pair; judgments are sorted by document, then by subtopic.
    """

    offsets: Ints
    names: tuple[str, ...]
    """Name of each subtopic."""
    weights: Floats
    """How likely a user of the topic means each subtopic, on any scale; all the same unless the user says otherwise."""
    docs: Ints
    """Row of the document in the judgments."""
    numbers: Ints
    """Number of the subtopic."""
    grades: SmallInts
    """0 where nothing was judged."""
    judged: Flags

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def topics(self) -> Ints:
        """Topic position of each subtopic."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))

    def relevant(self, rel: float = 1) -> Flags:
        """Judgments that say that a document has at least grade *rel* for a subtopic."""
        return self.judged & (self.grades >= rel)

    def covered(self, rel: float = 1) -> Flags:
        """Subtopics that some document is relevant to. The others do not count: nobody could find anything for them."""
        return np.bincount(self.numbers[self.relevant(rel)], minlength=len(self.names)) > 0

    def moved(self, to: Ints) -> Subtopics:
        """The same judgments after row ``i`` of the documents has become row ``to[i]``."""
        docs = to[self.docs]
        order = np.lexsort((self.numbers, docs))
        return dataclasses.replace(
            self,
            docs=docs[order],
            numbers=self.numbers[order],
            grades=self.grades[order],
            judged=self.judged[order],
        )

    def left(self, kept: Flags) -> Subtopics:
        """The same subtopics without the judgments of the documents (rows) that are not kept."""
        judged = self.judged & kept[self.docs]
        return dataclasses.replace(
            self, judged=judged, grades=np.where(judged, self.grades, 0).astype(self.grades.dtype)
        )

    def only(self, topics: Flags, docs: Flags) -> Subtopics:
        """The subtopics of the chosen topics, whose documents are the chosen rows of the judgments."""
        own = topics[self.topics]
        kept = own[self.numbers]
        return Subtopics(
            offsets=offsets_of(np.diff(self.offsets)[topics]),
            names=tuple(compress(self.names, own)),
            weights=self.weights[own],
            docs=(np.cumsum(docs) - 1)[self.docs[kept]],
            numbers=(np.cumsum(own) - 1)[self.numbers[kept]],
            grades=self.grades[kept],
            judged=self.judged[kept],
        )

    def weighted(self, weights: Floats) -> Subtopics:
        """The same judgments with other probabilities of the subtopics."""
        return dataclasses.replace(self, weights=weights)


def number_subtopics(topics: Ints, codes: Ints, names: tuple[str, ...], count: int) -> tuple[Ints, Ints, Ints]:
    """Numbers for the subtopics of *count* topics, from one (topic, name) pair per judgment.

    Gives the number of each judgment's subtopic, ``offsets`` of the topics, and the position of each subtopic's name
    in *names*. Within a topic they follow the order of their names (2 before 10), not that of the lines, so that sums
    over subtopics do not depend on how a file is sorted; ndeval has the same order.
    """
    order = sorted(range(len(names)), key=lambda i: _natural(names[i]))
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    width = max(1, len(names))
    keys, numbers = np.unique(topics * width + place[codes], return_inverse=True)
    offsets = np.searchsorted(keys, np.arange(count + 1) * width).astype(np.int64)
    by_place = np.array(order, dtype=np.int64)
    return numbers.reshape(-1).astype(np.int64), offsets, by_place[keys % width]


def numbers_by_name(
    subtopics: Subtopics, topics: Sequence[str], among: Subtopics, topics_of_those: Sequence[str]
) -> Ints:
    """The number of each of *subtopics* by its name and topic *among* others; -1 where there is none of that name."""
    numbers = {
        (topics_of_those[topic], name): number
        for number, (topic, name) in enumerate(zip(among.topics.tolist(), among.names, strict=True))
    }
    named = zip(subtopics.topics.tolist(), subtopics.names, strict=True)
    return np.array([numbers.get((topics[topic], name), -1) for topic, name in named], dtype=np.int64)


def _natural(name: str) -> tuple[int, str, bytes]:
    """What to sort by: numbers come first, by size. They may have more digits than Python turns into a number."""
    is_number = name.isascii() and name.isdigit()
    digits = name.lstrip("0") if is_number else ""
    return (len(digits) if is_number else sys.maxsize), digits, name.encode()
