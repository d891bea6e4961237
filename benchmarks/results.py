"""What was measured, and RESULTS.md made from it."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, field
from statistics import median

import agreement
import targets
from environments import machine
from generate import COLLECTIONS

TITLES = {
    "a": "(a) one run, 250 topics x 1000",
    "b": "(b) 129 runs x 50 topics x 1000",
    "c": "(c) one run, 6,980 topics x 1000",
}
LEFT_OUT = """Measures: nDCG@10, AP, P@10, RR, Bpref, infAP, RBP (p = 0.8). Left out, because the tool does not have it:
pytrec_eval RBP; ir_measures RBP (it needs the extra package cwl-eval); ranx infAP."""
COLUMNS = """Seconds, medians with the range in brackets. *Cold total* is the wall clock around a new process, from
files to means. *parse* and *score* of unjudged and ir_measures come from processes of their own, in which each run is
read whole before it is scored: in the timed process they read while they score, so their columns need not add up to
the total. *Faster* is pytrec_eval's cold total divided by the tool's. *Memory* is the highest resident memory of the
process, and its share of pytrec_eval's. ranx compiles at first use (and again for ids of another length): that time
stands apart."""


@dataclass
class Outcome:
    """All repetitions of one tool on one collection."""

    cold: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)
    phases: dict[str, list[float]] = field(default_factory=dict)
    means: dict[str, list[float]] = field(default_factory=dict)
    first_use: float | None = None
    error: str | None = None
    phases_error: str | None = None

    def add_phases(self, seconds: dict[str, float]) -> None:
        for phase, value in seconds.items():
            self.phases.setdefault(phase, []).append(value)

    def phase(self, name: str) -> float:
        return median(self.phases.get(name, [math.nan]))

    def latest(self) -> str:
        return f"failed: {self.error}" if self.error else f"{self.cold[-1]:.2f} s, {self.peak_mb[-1]:.0f} MB"


@dataclass
class Results:
    """Everything one session measured."""

    versions: dict[str, str]
    notes: list[str] = field(default_factory=list)
    cases: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    linear: dict[int, dict[str, Outcome]] = field(default_factory=dict)
    imports: dict[str, list[float]] = field(default_factory=dict)
    forbidden: list[str] | None = None

    def cold(self, case: str, tool: str) -> float:
        """Median cold total; nan where it was not measured."""
        outcome = self.cases.get(case, {}).get(tool)
        return median(outcome.cold) if outcome and outcome.cold else math.nan

    def memory(self, case: str, tool: str) -> float:
        outcome = self.cases.get(case, {}).get(tool)
        return median(outcome.peak_mb) if outcome and outcome.peak_mb else math.nan


def render(measured: Results) -> str:
    parts = [
        "# Benchmark results\n\nWritten by `make bench`; do not edit. README.md says what is measured.",
        header(measured),
        "## Targets\n\n" + table(["target", "measured", ""], targets.rows(measured)),
    ]
    if measured.cases:
        parts += [LEFT_OUT, COLUMNS]
    parts += [case_section(measured, case) for case in measured.cases]
    if measured.linear:
        parts.append(linear_section(measured))
    if measured.imports:
        parts.append(import_section(measured))
    return "\n\n".join(parts) + "\n"


def header(measured: Results) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in measured.versions.items())
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    lines = [f"* Date: {date}", f"* Machine: {machine()}", f"* Versions: {versions}"]
    return "\n".join(lines + [f"* Left out: {note}" for note in measured.notes])


def case_section(measured: Results, case: str) -> str:
    phases = ["import", "parse", "score", "parse and score"]
    heads = ["tool", *phases, "cold total", "CPU", "faster", "memory", "first use"]
    rows, failures = [], []
    for name, outcome in measured.cases[case].items():
        if not outcome.cold:
            failures.append(f"* {name} failed: `{outcome.error}`")
            continue
        cold, memory = measured.cold(case, name), measured.memory(case, name)
        share = memory / measured.memory(case, "pytrec_eval")
        row = [name, *(number(outcome.phase(phase), 3) for phase in phases)]
        row += [spread(outcome.cold), number(median(outcome.cpu), 2)]
        row += [number(measured.cold(case, "pytrec_eval") / cold, 1, " x")]
        row += [f"{memory:.0f} MB" + number(share, 2, " x", " (", ")")]
        row += ["" if outcome.first_use is None else number(outcome.first_use, 1)]
        rows.append(row)
        if outcome.phases_error:
            failures.append(f"* {name}, parse and score apart, failed: `{outcome.phases_error}`")
        if outcome.error:
            failures.append(f"* {name} failed after {len(outcome.cold)} repetitions: `{outcome.error}`")
    repeats = max((len(outcome.cold) for outcome in measured.cases[case].values()), default=0)
    body = f"## {TITLES[case]}\n\n{COLLECTIONS[case].rows:,} rows, {repeats} repetitions.\n\n{table(heads, rows)}"
    means = {name: outcome.means for name, outcome in measured.cases[case].items() if outcome.means}
    return body + "\n\n" + "\n".join([*failures, *agreement.lines(means)])


def linear_section(measured: Results) -> str:
    """Cold totals at 1, 2, 4 and 8 times the rows, and the exponent of the growth."""
    rows = []
    names = dict.fromkeys(name for outcomes in measured.linear.values() for name in outcomes)
    for name in names:
        for factor, outcomes in measured.linear.items():
            if outcomes[name].cold:
                count = COLLECTIONS[f"linear-{factor}"].rows
                cold = median(outcomes[name].cold)
                row = [name, f"{factor}x", f"{count:,}", spread(outcomes[name].cold), number(cold / count * 1e6, 3)]
                rows.append([*row, f"{median(outcomes[name].peak_mb):.0f} MB"])
    growth = [f"{name} {number(targets.exponent(measured, name), 2)}" for name in names]
    text = (
        "One run of MS MARCO shape. *Exponent*: slope of log(seconds to parse and score, without start and import) "
        f"over log(rows); 1 is linear: {', '.join(growth)}."
    )
    heads = ["tool", "size", "rows", "cold total", "seconds per million rows", "memory"]
    return f"## Growth with the number of rows\n\n{text}\n\n{table(heads, rows)}"


def import_section(measured: Results) -> str:
    empty = median(measured.imports.get("python -c pass", [math.nan]))
    rows = [
        [f"`{label}`", spread(times, 3), number(median(times) - empty, 3)] for label, times in measured.imports.items()
    ]
    heads = ["new process", "seconds", "more than an empty program"]
    return f"## Start-up\n\n{table(heads, rows)}"


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def spread(values: list[float], digits: int = 2) -> str:
    return f"{median(values):.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def number(value: float, digits: int, unit: str = "", before: str = "", after: str = "") -> str:
    """A number, or nothing where there is none."""
    return "" if math.isnan(value) else f"{before}{value:.{digits}f}{unit}{after}"
