"""What to judge next, and what is decided, as tables and sentences."""

from __future__ import annotations

from typing import Any

from unjudged.reports.cells import decimal
from unjudged.reports.judging_tasks import TASK_FORMATS
from unjudged.reports.layout import Table, render_columns, render_tables
from unjudged.results.next_judgments import GoalRow, JudgmentRow, NextJudgments, RecallRow
from unjudged.wording import counted

__all__ = ["next_sentences", "next_tables", "render_next"]

_SHOWN = 20
"""Documents that a table for readers has."""
_RUNS_SHOWN = 5
"""Runs of a document that separated values name."""


def render_next(result: NextJudgments, form: str, *, table: str = "judgments", colour: bool = False) -> str:
    """A result as ``table``, ``markdown``, ``latex``, ``json``, ``tsv`` or ``csv``, or as tasks for assessors' tools.

    *table*: which one ``tsv`` and ``csv`` have: ``judgments``, ``pairs``, ``runs``, ``goals`` or ``recall``.
    """
    if form == "json":
        return result.to_json()
    if form in TASK_FORMATS:
        return TASK_FORMATS[form](result)
    if form in {"tsv", "csv"}:
        columns = _judgment_columns(result) if table == "judgments" else result.to_dict(table)
        return render_columns(columns, form)
    return render_tables(*next_tables(result), form, title="What to judge next", colour=colour)


def next_tables(result: NextJudgments) -> tuple[list[Table], list[str]]:
    """The first documents to judge, if any, and what is said beside them."""
    return [_judgments(result)] if result.judgments() else [], next_sentences(result)


def next_sentences(result: NextJudgments) -> list[str]:
    """What is decided, and what it takes to decide the rest."""
    out = [_goal(row) for row in result.goals()]
    if result.pairs():
        certain, likely, undecided = (result.count(one) for one in ("certain", "likely", "undecided"))
        out.append(
            f"{counted(len(result.pairs()), 'pair')} of runs by {result.measure}: {certain:,} certain,"
            f" {likely:,} likely (one sign with a probability of {1 - result.risk:.1%} or more, which may be looked at"
            f" after every judgment), {undecided:,} undecided."
        )
    (recall,) = result.recall()
    depth = "all documents" if result.depth is None else f"the first {result.depth} documents"
    out.append(f"Relevant among {depth} of each run: {recall.found:,} found of {_estimated(recall)}.")
    verb = "is" if result.judged == 1 else "are"
    out.append(f"{counted(result.judged, 'document')} of these {verb} judged, {result.left:,} are not.")
    return out


def _estimated(recall: RecallRow) -> str:
    if recall.at_most:
        share = "" if recall.low is None else f", a recall of {recall.low:.2f} or more"
        return f"{recall.relevant_high:,.0f} or fewer{share}"
    estimated = f"an estimated {recall.relevant:,.0f} ({recall.relevant_low:,.0f} to {recall.relevant_high:,.0f})"
    if recall.recall is None:
        return estimated
    return f"{estimated}, a recall of {recall.recall:.2f} ({recall.low:.2f} to {recall.high:.2f})"


def _goal(row: GoalRow) -> str:
    if row.answered:
        return f"Answered: {row.goal}: {row.answer}. There is no need to judge more for it."
    if row.judgments is None:
        return f"Not answered: {row.goal}: {row.answer}."
    between = "" if row.low is None or row.low == row.high else f" ({row.low:,} to {row.high:,})"
    return f"Not answered: {row.goal}: {row.answer}; that should take about {row.judgments:,} more judgments{between}."


def _judgments(result: NextJudgments) -> Table:
    several = result.assessors > 1

    def cells(row: JudgmentRow) -> list[str]:
        run, rank = row.runs[0] if row.runs else ("", 0)
        numbers = [decimal(row.expected, 2), decimal(row.effect, 5), f"{rank}" if rank else "-", f"{len(row.runs)}"]
        return [row.topic, row.doc, run, *([f"{row.part}"] if several else []), *numbers]

    rows = result.judgments()
    caption = (
        f"The next documents to judge, by {result.strategy}. Expected grade; effect: how much the judgment should move"
        f" the undecided differences of {result.measure}; the run that has it at the best rank, that rank, and how many"
        " runs have it."
    )
    header = ["topic", "document", "first in", *(["for"] if several else []), "grade", "effect", "rank", "runs"]
    more = len(rows) - _SHOWN
    title = f"The first {_SHOWN} of {len(rows):,} documents to judge; -o FILE has all" if more > 0 else ""
    return Table(
        header,
        [cells(row) for row in rows[:_SHOWN]],
        3,
        caption,
        title=title,
        whole=".to_frame()",
        left_out=max(more, 0),
    )


def _judgment_columns(result: NextJudgments) -> dict[str, list[Any]]:
    """Columns of a sheet: the grade is for the assessor to fill in."""
    rows = result.judgments()
    columns: dict[str, list[Any]] = {
        "topic": [row.topic for row in rows],
        "doc": [row.doc for row in rows],
        "grade": [None for _ in rows],
        "part": [row.part for row in rows],
        "expected": [row.expected for row in rows],
    }
    for level, grade in enumerate(result.scale):
        columns[f"p({grade})"] = [row.probabilities[level] for row in rows]
    columns |= {"effect": [row.effect for row in rows], "priority": [row.priority for row in rows]}
    for name in ("inclusion", "stratum"):
        if any(getattr(row, name) is not None for row in rows):
            columns[name] = [getattr(row, name) for row in rows]
    columns["runs"] = [_found_by(row) for row in rows]
    return columns


def _found_by(row: JudgmentRow) -> str:
    """The runs that have a document with its ranks, best first, and how many more there are."""
    more = len(row.runs) - _RUNS_SHOWN
    return " ".join(f"{run}:{rank}" for run, rank in row.runs[:_RUNS_SHOWN]) + (f" +{more}" if more > 0 else "")
