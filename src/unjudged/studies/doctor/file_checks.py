"""Checks of any input, judgments or run."""

from __future__ import annotations

from collections.abc import Iterator

from unjudged.errors import FileError, UnjudgedError
from unjudged.studies.doctor.check import Hit, check
from unjudged.studies.doctor.checked_inputs import QrelsEvidence, RunEvidence, document_at


@check(
    "input",
    "unreadable-file",
    "error",
    "files that cannot be read",
    next_step="Repair it or leave it out. Nothing else was checked in this file; all other files were examined.",
)
def unreadable_file(problem: UnjudgedError) -> Iterator[Hit]:
    """A line, or the file as a whole, cannot be understood. The message is the reader's."""
    yield Hit(1, problem.problem if isinstance(problem, FileError) else str(problem))


@check(
    "file",
    "no-newline-at-end",
    "note",
    "files whose last line does not end",
    next_step="See that the file is not cut short; do not join it to others with `cat`, which would glue two lines.",
)
def no_newline_at_end(evidence: QrelsEvidence | RunEvidence) -> Iterator[Hit]:
    """The last line has no line feed."""
    raw = evidence.raw
    if raw.columns is None or raw.columns.complete:
        return
    last = len(raw.docs) - 1
    if raw.line(last) == raw.columns.line(raw.columns.rows - 1):  # else its topic was not chosen
        yield Hit(1, "the last line has no line feed", document_at(raw, last), last)
