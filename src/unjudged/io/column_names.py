"""What the columns of tables are called: in frames, in Parquet, in files with a header, in JSON with a row per object.

Names are compared without case, and ``-`` and spaces count as ``_``: BEIR's ``query-id`` is ``query_id``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from unjudged.wording import visible

__all__ = [
    "DOCS",
    "GRADES",
    "ITERATION",
    "RANKS",
    "SCORES",
    "STRATUM",
    "SUBTOPICS",
    "TOPICS",
    "grades_or_scores",
    "listed",
    "missing",
    "named",
    "plain_name",
]

# The first one that is there is taken: PyTerrier has "query" (a text) beside "qid", and "docid" (an internal number)
# beside "docno".
TOPICS = ("query_id", "qid", "q_id", "topic_id", "topic", "query", "query_text")
DOCS = ("doc_id", "docno", "docid", "doc", "document_id", "document", "corpus_id", "pid", "passage_id")
GRADES = ("relevance", "label", "rel", "rating", "grade", "judgment", "judgement", "score")
SCORES = ("score",)
RANKS = ("rank", "position", "doc_position")
SUBTOPICS = ("subtopic", "subtopic_id")
ITERATION = "iteration"
_USUAL = 3
"""How many names for one thing a message gives as examples."""
STRATUM = "stratum"


def plain_name(name: str) -> str:
    """A name as it is compared."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def named(names: Sequence[str], wanted: Iterable[str]) -> list[int]:
    """Where columns with one of the *wanted* names are, in the order of these."""
    plain = [plain_name(str(name)) for name in names]
    return [place for one in wanted for place, name in enumerate(plain) if name == one]


def listed(names: Iterable[str]) -> str:
    """Names of columns for a message."""
    return ", ".join(visible(str(name)) for name in names)


def missing(wanted: Sequence[str], names: Iterable[str]) -> str:
    """What to say where none of the *wanted* names is there: the usual ones, and what is there."""
    return f"no column {' or '.join(wanted[:_USUAL])}; the columns are {listed(names)}"


def grades_or_scores(names: Sequence[str]) -> frozenset[Literal["grade", "score", "pair"]]:
    """What columns of these names hold: grades, scores, or either, as where one is called ``score``."""
    if named(names, (one for one in GRADES if one not in SCORES)):
        return frozenset({"grade"})
    return frozenset({"score"}) if named(names, RANKS) else frozenset({"grade", "score"})
