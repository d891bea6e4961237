"""Whether a candidate may pass: one line, tables, Markdown for a pull request, JUnit XML for a pipeline."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from unjudged.reports.cells import Table, decimal, percent, signed, span
from unjudged.reports.escape import for_html, for_markdown
from unjudged.reports.layout import render_columns, render_tables
from unjudged.results.gate import Gate, GateRow, SegmentGuardRow
from unjudged.wording import counted, visible

__all__ = ["gate_sentences", "gate_tables", "render_gate"]

_SHOWN = 10
"""Documents to judge that a table for readers has."""
_HOW_WRITTEN = ("-f", "--format", "--table", "-o", "--output", "--plot", "--methods", "--chart")
_MARKS = {"not worse": "✅", "worse": "❌", "undecided": "❔"}


def render_gate(result: Gate, form: str, *, table: str = "measures", colour: bool = False) -> str:
    """A result as ``table``, ``line``, ``markdown``, ``latex``, ``junit``, ``json``, ``tsv`` or ``csv``.

    *table*: which one ``tsv`` and ``csv`` have: ``measures``, ``segments`` or ``judgments``.
    """
    if form == "json":
        return result.to_json()
    if form in {"tsv", "csv"}:
        return render_columns(result.to_dict(table), form)
    if form == "line":
        return visible(result.summary())
    if form == "junit":
        return "\n".join(_junit(result))
    text = render_tables(gate_tables(result), gate_sentences(result), form, colour=colour)
    if form == "latex":
        return text
    command = _command(result)
    if form == "markdown":
        title = f"### {_MARKS[result.answer]} {result.answer}: {for_markdown(result.candidate)}"
        again = f"\n\n    {command}" if command else ""
        return f"{title} against {for_markdown(result.baseline)}\n\n{text}{again}"
    return "\n\n".join(filter(None, [visible(result.summary()), text, command]))


def gate_tables(result: Gate) -> list[Table]:
    """What measures and segments say, and the first documents to judge."""
    return [
        _measures(result),
        *([_segments(result)] if result.segments() else []),
        *([_judgments(result)] if result.judgments() else []),
    ]


def gate_sentences(result: Gate) -> list[str]:
    """What the decision rests on, and what to do where there is none."""
    first = result.measures()[0]
    words = [
        f"Not worse: the {result.confidence:.0%} interval lies above -{result.margin:g}; worse: it lies below 0. It"
        f" counts {counted(first.topics, 'topic')}, and {counted(result.draws, 'draw')} of grades for"
        f" {counted(result.unjudged, 'unjudged document')} that"
        f" {'counts' if result.unjudged == 1 else 'count'} differently ({result.holes})."
    ]
    if any(row.answer != row.plain_answer for row in result.measures()):
        said = ", ".join(f"{row.measure} {row.plain_answer}" for row in result.measures())
        words.append(f"With unjudged documents as not relevant it would say: {said}.")
    if result.answer == "undecided":
        list_them = " To list them:" if _command(result) else ""
        words.append(f"To decide: {result.what_next()}.{list_them}")
    return words


def _command(result: Gate) -> str:
    """What to type for a list of the documents to judge: what was typed, written otherwise."""
    if not result.judgments() or not result.provenance.command:
        return ""
    kept, skip = [], False
    for word in result.provenance.command:
        if not skip and word not in _HOW_WRITTEN:
            kept.append(word)
        skip = not skip and word in _HOW_WRITTEN
    return visible(shlex.join([*kept, "-f", "tsv", "--table", "judgments", "-o", "judge.tsv"]))


def _measures(result: Gate) -> Table:
    rows = [
        [
            row.measure,
            row.answer,
            decimal(row.baseline),
            decimal(row.candidate),
            signed(row.difference),
            span(row.low, row.high, with_sign=True),
            f"{percent(row.judged_baseline)} {percent(row.judged_candidate)}",
        ]
        for row in result.measures()
    ]
    caption = (
        f"{result.candidate} against {result.baseline}: means with unjudged documents as not relevant; difference over"
        f" drawn grades of unjudged documents, with its {result.confidence:.0%} interval; share judged of the baseline"
        " and of the candidate."
    )
    interval = f"{result.confidence:.0%} interval"
    header = ["measure", "answer", "baseline", "candidate", "difference", interval, "judged"]
    return Table(header, rows, 2, caption, whole=".to_frame()")


def _segments(result: Gate) -> Table:
    rows = [
        [
            row.segment,
            row.measure,
            "fails" if row.failed else "passes",
            f"{row.topics:,}",
            signed(row.difference),
            span(row.low, row.high, with_sign=True),
        ]
        for row in result.segments()
    ]
    caption = f"Segments: one fails that is worse by more than {result.segment_margin:g}, corrected for their number."
    header = ["segment", "measure", "guard", "topics", "difference", f"{result.confidence:.0%} interval"]
    return Table(header, rows, 3, caption, whole=".to_frame(table='segments')")


def _judgments(result: Gate) -> Table:
    rows = [
        [
            row.topic,
            row.doc,
            *("-" if rank is None else f"{rank}" for rank in (row.rank_in_baseline, row.rank_in_candidate)),
            decimal(row.effect, 5),
        ]
        for row in result.judgments()[:_SHOWN]
    ]
    more = len(result.judgments()) - _SHOWN
    caption = "Documents to judge, with their ranks, and how far each moves the difference (standard deviation)."
    title = f"The first {_SHOWN} of {len(result.judgments()):,} documents to judge" if more > 0 else ""
    header = ["topic", "document", "in baseline", "in candidate", "effect"]
    whole = ".to_frame(table='judgments')"
    return Table(header, rows, 2, caption, title=title, whole=whole, left_out=max(0, more))


def _junit(result: Gate) -> Iterator[str]:
    """A test case for each measure and each guard."""
    cases: list[GateRow | SegmentGuardRow] = [*result.measures(), *result.segments()]
    failures = sum(_outcome(case) == "failure" for case in cases)
    errors = sum(_outcome(case) == "error" for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="unjudged" {counts}>'
    yield f'  <testsuite name="unjudged gate" {counts}>'
    suite = for_html(f"{result.candidate} against {result.baseline}")
    for case in cases:
        name = f"{case.measure} in {case.segment}" if isinstance(case, SegmentGuardRow) else case.measure
        start = f'    <testcase classname="{suite}" name="{for_html(name)}"'
        outcome, words = _outcome(case), for_html(_case_words(result, case))
        if outcome is None:
            yield f"{start}><system-out>{words}</system-out></testcase>"
        else:
            yield f'{start}><{outcome} message="{words}"/></testcase>'
    yield "  </testsuite>"
    yield "</testsuites>"


def _outcome(case: GateRow | SegmentGuardRow) -> str | None:
    if isinstance(case, SegmentGuardRow):
        return "failure" if case.failed else None
    return {"worse": "failure", "undecided": "error"}.get(case.answer)


def _case_words(result: Gate, case: GateRow | SegmentGuardRow) -> str:
    interval = f"{signed(case.difference)} ({span(case.low, case.high, with_sign=True)})"
    if isinstance(case, SegmentGuardRow):
        return f"{interval}, which may lose {case.limit:g}"
    after = f"; {result.what_next()}" if case.answer == "undecided" and result.chance is not None else ""
    return f"{case.answer}: {interval}, margin {result.margin:g}{after}"
