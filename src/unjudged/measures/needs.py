"""Whether the judgments have what the measures need, asked before any work starts."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.data.qrels import Qrels
from unjudged.errors import InputError, Notice
from unjudged.measures.base import Measure, Need

__all__ = ["check_needs", "ignored_subtopics"]

_HOW: dict[Need, str] = {
    "subtopics": ": if its second column holds them, say --qrels-format diversity"
    " (in Python read_qrels(..., format='diversity'); in a frame, a column named 'subtopic')",
    "strata": ": give 5 columns, 'topic 0 doc stratum grade' (in a frame, a column named 'stratum')",
    "texts": ": give what documents say with --texts FILE (in Python, texts=...)",
}


def check_needs(qrels: Qrels, measures: Sequence[Measure], *, texts: bool = False) -> None:
    """Raise an error that says which measure needs what, and how to give it. *texts*: whether there are any to read."""
    where = qrels.source or "qrels"
    has = {
        "subtopics": qrels.subtopics is not None,
        "strata": qrels.strata is not None,
        "texts": texts or qrels.texts is not None,
    }
    for measure in measures:
        if "priors" in measure.needs:
            raise InputError(f"{measure} needs runs that were read before, a prior set; use `unjudged relative`")
        for need in sorted(measure.needs):
            if not has.get(need, False):
                # Texts are no part of the judgments.
                lacks = "" if need == "texts" else f", which {where} does not have"
                raise InputError(f"{measure} needs {need}{lacks}{_HOW.get(need, '')}")
        if "strata" in measure.needs and not bool(qrels.judged.any()):
            raise InputError(f"{where}: all grades are below 0, so {measure} has no judged document to estimate from")


def ignored_subtopics(qrels: Qrels, measures: Sequence[Measure]) -> list[Notice]:
    """A remark where a measure that knows no subtopics looks at diversity judgments."""
    if qrels.subtopics is None or all("subtopics" in measure.needs for measure in measures):
        return []
    text = "these are diversity judgments; a document's grade is its highest over the subtopics"
    return [Notice("flattened-subtopics", len(qrels), text)]
