"""A diagnosis as text, Markdown, separated values or JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from unjudged.errors import some_of
from unjudged.reports import layout
from unjudged.reports.escape import for_markdown
from unjudged.reports.installed import installed_lines, version_words
from unjudged.results.diagnosis import SEVERITIES, Diagnosis, Finding, Severity
from unjudged.studies.doctor import CHECKS
from unjudged.studies.doctor.checked_inputs import DEFINITIONS, JUDGED_CUTOFFS
from unjudged.wording import counted, visible

__all__ = ["closing_line", "diagnosis_tables", "render_diagnosis"]

SHOWN_RUNS = 10
SHOWN_NAMES = 6
SHOWN_PAIRS = 3
SHOWN_LINES = 20
"""More are in JSON and CSV."""
_SHORTEST = 8
"""Characters that a name keeps, however narrow the screen is."""

_COLOURS: dict[Severity, str] = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}

_KINDS: dict[str, list[str]] = {
    "plain": [],
    "strata": ["sampled, with strata in the fourth column"],
    "diversity": ["the grade of a document is its highest over the subtopics"],
}

_MEANINGS = {
    "unjudged": "judged / retrieved in the top k; a grade below 0 is not judged",
    "ir_measures": "the same, but a grade below 0 counts as judged",
    "trec_eval": "1 - unj_k: out of k; ranks without a document count as judged",
    "beir": "1 - Hole@k: out of k; listed for any topic counts as judged",
}


def render_diagnosis(
    diagnosis: Diagnosis, form: str, *, all_runs: bool = False, colour: bool = False, width: int = 80
) -> str:
    """A diagnosis in one of the formats ``table``, ``markdown``, ``tsv``, ``csv``, ``json``.

    Separated values have the findings only, JSON has everything.
    """
    if form == "json":
        return diagnosis.to_json()
    if form in {"tsv", "csv"}:
        return layout.render_columns(diagnosis.findings_by_column(), form)
    if form == "markdown":
        return _markdown(diagnosis, all_runs=all_runs)
    return _text(diagnosis, all_runs=all_runs, colour=colour, width=width)


def closing_line(diagnosis: Diagnosis) -> str:
    """What it all comes to."""
    counts = [counted(diagnosis.count(severity), severity) for severity in SEVERITIES if diagnosis.count(severity)]
    if not counts:
        return "No problems found."
    if diagnosis.count("error"):
        advice = "Start with the errors: `unjudged score` refuses such files, or its numbers are wrong."
    elif diagnosis.count("warning"):
        advice = "Nothing is broken; read the warnings before you trust the numbers."
    else:
        advice = "Nothing is broken."
    return f"{', '.join(counts)}. {advice}"


# ---- what was read


def _what_was_read(diagnosis: Diagnosis) -> list[tuple[str, list[str]]]:
    """Headed lines: the judgments and the runs."""
    qrels = diagnosis.qrels
    if qrels is None:
        judgments = ["could not be read; what needs them was not checked"]
    else:
        pooled = f", {qrels.pooled:,} pooled but not judged" if qrels.pooled else ""
        grades = ", ".join(f"{grade}: {count:,}" for grade, count in qrels.grades.items())
        judgments = [
            qrels.source,
            f"{counted(qrels.topics, 'topic')}, {counted(qrels.judged, 'judged document')}{pooled}",
            f"grades {grades}",
            *_KINDS[qrels.kind],
        ]
        if qrels.subtopics:
            covered = f"{qrels.covered_subtopics:,} of them with a relevant document"
            judgments.append(f"{counted(qrels.subtopics, 'subtopic')}, {covered}")
    runs = diagnosis.runs
    lines = [f"{counted(len(runs), 'run')} read"]
    if runs:
        topics = _span([one.topics for one in runs], "topic")
        lines[0] += f": {topics}, {counted(sum(one.documents for one in runs), 'document')}"
    unread = sum(one.code == "unreadable-file" and one.run is not None for one in diagnosis.findings)
    if unread:
        lines.append(f"{counted(unread, 'run')} could not be read")
    return [("Judgments", judgments), ("Runs", lines)]


def _span(numbers: Sequence[int], word: str) -> str:
    low, high = min(numbers), max(numbers)
    each = " each" if len(numbers) > 1 else ""
    return counted(low, word) + each if low == high else f"{low:,} to {counted(high, word)}{each}"


# ---- findings, by severity and code


def _groups(diagnosis: Diagnosis) -> Iterator[list[Finding]]:
    """Findings of one severity and code, the one that concerns most first."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in diagnosis.findings:
        groups.setdefault((one.severity, one.code), []).append(one)
    for group in groups.values():
        is_of_pairs = CHECKS[group[0].code].scope == "runs"
        yield group if is_of_pairs else sorted(group, key=lambda one: -one.count)


def _places(group: Sequence[Finding]) -> list[str]:
    """Files concerned, without folders; run names where there is no file."""
    return list(dict.fromkeys(PurePath(one.file).name if one.file else one.where for one in group))


def _extent(group: Sequence[Finding], runs: int) -> str:
    if CHECKS[group[0].code].scope == "runs":
        return counted(len(group), "group" if group[0].code == "copied-runs" else "pair")
    places = len({(one.file, one.run) for one in group})
    of_runs = {one.run is not None for one in group}
    if group[0].code == "unreadable-file" or len(of_runs) > 1:
        return counted(places, "file")
    return f"{places:,} of {counted(runs, 'run')}" if of_runs == {True} else "judgments"


def _text(diagnosis: Diagnosis, *, all_runs: bool, colour: bool, width: int) -> str:
    version, *plugins = installed_lines()
    parts = [version, *(part for line in plugins for part in _wrapped(line, "", width, hang="  ")), ""]
    for head, lines in _what_was_read(diagnosis):
        parts += [f"{head if i == 0 else '':<11}{visible(line)}" for i, line in enumerate(lines)]
    for group in _groups(diagnosis):
        parts += ["", *_text_group(group, len(diagnosis.runs), colour=colour, width=width)]
    if diagnosis.judged:
        parts += ["", *_judged_text(diagnosis, all_runs=all_runs, width=width)]
    parts += ["", *textwrap.wrap(closing_line(diagnosis), width)]
    return "\n".join(parts)


def _text_group(group: Sequence[Finding], runs: int, *, colour: bool, width: int) -> Iterator[str]:
    first = group[0]
    check = CHECKS[first.code]
    label = f"{_COLOURS[first.severity]}{first.severity.upper()}{layout.PLAIN}" if colour else first.severity.upper()
    yield f"{label} {first.code} ({_extent(group, runs)})"
    yield from _wrapped(_sentence(check.title), "  ", width)
    is_of_pairs = check.scope == "runs"
    shown = group[: SHOWN_PAIRS if is_of_pairs else 1]
    for one in shown:
        if is_of_pairs:
            yield from _wrapped(f"{one.example}: {one.message}", "  ", width)
        else:
            yield f"  {visible(one.where)}"
            example = f"; for example {one.example}" if one.example else ""
            yield from _wrapped(f"{one.message}{example}", "    ", width)
            if len(one.lines) > 1:
                more = f" and {one.count - SHOWN_LINES:,} more" if one.count > SHOWN_LINES else ""
                numbers = ", ".join(f"{line}" for line in one.lines[:SHOWN_LINES])
                yield from _wrapped(f"in lines {numbers}{more}", "    ", width)
    if is_of_pairs and len(group) > len(shown):
        # The last finding may stand for many pairs; other findings count runs.
        hidden = sum(one.count if one.code == "near-copies" else 1 for one in group[len(shown) :])
        yield f"  and {hidden:,} more"
    names = [] if is_of_pairs else _places(group)[1:]
    if names:
        yield from _wrapped(f"also {some_of(names, SHOWN_NAMES)}", "  ", width)
    yield from _wrapped(f"-> {check.next_step}", "  ", width, hang="   ")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _wrapped(text: str, indent: str, width: int, *, hang: str = "") -> list[str]:
    return textwrap.wrap(
        visible(text),
        width,
        initial_indent=indent,
        subsequent_indent=indent + hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


# ---- shares judged


def _judged_table(diagnosis: Diagnosis, *, all_runs: bool) -> layout.Table:
    """The run with the lowest share at 10 first. Definitions that agree for a run share a row."""
    shares: dict[str, dict[str, dict[int, float]]] = {}
    for row in diagnosis.judged:
        shares.setdefault(row.run, {}).setdefault(row.definition, {})[row.cutoff] = row.judged
    runs = sorted(shares, key=lambda run: shares[run].get(DEFINITIONS[0], {}).get(10, 1.0))
    rows = []
    for run in runs if all_runs else runs[:SHOWN_RUNS]:
        cells: dict[tuple[str, ...], list[str]] = {}
        for definition in DEFINITIONS:
            values = shares[run].get(definition, {})
            shown = tuple(f"{100 * values[k]:.1f}" if k in values else "-" for k in JUDGED_CUTOFFS)
            cells.setdefault(shown, []).append(definition)
        names = [run] + [""] * len(cells)
        rows += [[name, _definitions(who), *shown] for name, (shown, who) in zip(names, cells.items(), strict=False)]
    caption = "Share judged, in %: mean over the judged topics that the run has."
    if len(runs) > SHOWN_RUNS and not all_runs:
        caption += f" The {SHOWN_RUNS} of {len(runs):,} runs with the lowest share at 10; --all-runs shows all."
    return layout.Table(["run", "as in", *(f"@{k}" for k in JUDGED_CUTOFFS)], rows, 2, caption)


def _definitions(names: Sequence[str]) -> str:
    if len(names) == len(DEFINITIONS):
        return "all four"
    if len(names) == len(DEFINITIONS) - 1:
        return f"all but {next(one for one in DEFINITIONS if one not in names)}"
    return ", ".join(names)


def _judged_text(diagnosis: Diagnosis, *, all_runs: bool, width: int) -> Iterator[str]:
    table = _judged_table(diagnosis, all_runs=all_runs)
    room = width - (layout.table_width(table) - max(len(visible(row[0])) for row in table.rows))
    rows = [[layout.shorten(visible(row[0]), max(room, _SHORTEST)), *row[1:]] for row in table.rows]
    yield from textwrap.wrap(table.caption, width)
    yield layout.aligned(replace(table, rows=rows))
    yield ""
    for name, meaning in _MEANINGS.items():
        yield from _wrapped(f"{name:<11} {meaning}", "  ", max(width, 60), hang=" " * 12)


# ---- Markdown, notebooks


def diagnosis_tables(diagnosis: Diagnosis) -> tuple[list[layout.Table], list[str]]:
    """The tables of a notebook, and what is said beside them."""
    words = [f"{head}: {'; '.join(lines)}." for head, lines in _what_was_read(diagnosis)]
    tables = [findings] if (findings := _finding_table(diagnosis)).rows else []
    if diagnosis.judged:
        table = _judged_table(diagnosis, all_runs=True)
        meanings = "; ".join(f"{name}: {meaning}" for name, meaning in _MEANINGS.items())
        tables.append(replace(table, caption=f"{table.caption} {meanings}.", whole=".to_frame(judged=True)"))
    return tables, [*words, closing_line(diagnosis)]


def _finding_table(diagnosis: Diagnosis) -> layout.Table:
    rows = []
    for group in _groups(diagnosis):
        first = group[0]
        example = f"{first.where}: {first.message}" + (f" ({first.example})" if first.example else "")
        rows.append([first.severity, first.code, _extent(group, len(diagnosis.runs)), example, first.next_step])
    header = ["severity", "code", "where", "example", "next step"]
    return layout.Table(header, rows, 5, "What was found, with one example each.", whole=".to_frame()")


def _markdown(diagnosis: Diagnosis, *, all_runs: bool) -> str:
    parts = [f"# unjudged doctor, version {version_words()}", ""]
    parts += [f"* {for_markdown(line)}" for line in installed_lines()[1:]]
    for head, lines in _what_was_read(diagnosis):
        parts.append(f"* {head}: {'; '.join(for_markdown(line) for line in lines)}")
    findings = _finding_table(diagnosis)
    if findings.rows:
        parts += ["", "## Findings", "", layout.markdown(findings)]
    if diagnosis.judged:
        table = _judged_table(diagnosis, all_runs=all_runs)
        parts += ["", "## Share judged", "", table.caption, "", layout.markdown(table), ""]
        parts += [f"* {name}: {meaning}" for name, meaning in _MEANINGS.items()]
    return "\n".join([*parts, "", closing_line(diagnosis)])
