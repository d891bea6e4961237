"""What every session of ``make bench`` measured: a line of JSON each in history.jsonl, and how figures went on."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import targets
from environments import machine

if TYPE_CHECKING:
    from results import Results

FILE = Path(__file__).parent / "history.jsonl"
SHOWN = 20
"""Sessions, the last ones, that a chart has."""
_BARS = "▁▂▃▄▅▆▇█"


def figures(measured: Results) -> dict[str, float]:
    """What is kept of a session, by name."""
    out = {}
    for case in measured.cases:
        for tool in measured.cases[case]:
            out[f"({case}) {tool}, seconds"] = measured.cold(case, tool)
            out[f"({case}) {tool}, MB"] = measured.memory(case, tool)
        out[f"({case}) times as fast as pytrec_eval"] = targets.ratio(measured, case, "pytrec_eval", "unjudged")
    for label, times in measured.imports.items():
        out[f"{label}, seconds"] = median(times)
    return {name: round(value, 4) for name, value in out.items() if not math.isnan(value)}


def add(measured: Results, file: Path = FILE) -> None:
    """Append a session. Nothing is ever taken away: figures of other machines stay beside their names."""
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    missed = [label for label, _, said in targets.rows(measured) if said == targets.MISSED]
    line = {"date": when, "machine": machine(), "versions": measured.versions, "figures": figures(measured)}
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps({**line, "missed": missed}) + "\n")


def section(file: Path = FILE) -> str:
    """The last sessions as a chart of text: one line for each figure, its lowest value at the bottom."""
    sessions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()][-SHOWN:]
    names = dict.fromkeys(name for one in sessions for name in one["figures"])
    rows = []
    for name in names:
        values = [one["figures"].get(name) for one in sessions]
        known = [value for value in values if value is not None]
        low, high = min(known), max(known)
        step = (high - low) / (len(_BARS) - 1) or 1.0
        bars = "".join(" " if value is None else _BARS[round((value - low) / step)] for value in values)
        rows.append(f"| {name} | `{bars}` | {low:g} | {high:g} | {known[-1]:g} |")
    dates = f"{sessions[0]['date'][:10]} to {sessions[-1]['date'][:10]}, {len(sessions)} sessions, oldest first"
    head = ["| figure | history | lowest | highest | last |", "| --- | --- | ---: | ---: | ---: |"]
    return "\n".join([f"## History\n\nFrom history.jsonl: {dates}.\n", *head, *rows])
