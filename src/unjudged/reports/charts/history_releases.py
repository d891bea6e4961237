"""Scores of releases one after the other, what each could be, and an estimate where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import TOP, rest, short_names
from unjudged.results.history import History
from unjudged.results.scores import pick

__all__ = ["Releases", "chosen_measure", "last_releases", "release_axis", "releases", "width_of"]

STEP = 34
"""Pixels between two releases."""


@dataclass(frozen=True, eq=False, repr=False)
class Releases(Chart):
    """A line of scores, with what each of them could be, and estimates with their intervals."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Bounds, intervals, the line, and points."""
        names = self.distinct("release")
        x = release_axis(alt, names)
        scale = alt.Scale(zero=False, nice=True)
        numbers = ("score", "low", "high", "likely", "likely_low", "likely_high")
        about = ["release:N", "date:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in numbers)]
        about.append(alt.Tooltip("judged:Q", format=".1%"))
        base = alt.Chart(data).encode(x=x, tooltip=about)
        bounds = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(color=theme.RAMP[2], strokeWidth=9, opacity=0.4)
            .encode(y=alt.Y("low:Q", title=self.measure, scale=scale), y2="high:Q")
        )
        interval = (
            base.transform_filter("isValid(datum.likely_low)")
            .mark_rule(color=theme.COLOURS[4], strokeWidth=2.5)
            .encode(y=alt.Y("likely_low:Q", title=self.measure, scale=scale), y2="likely_high:Q")
        )
        line = base.mark_line(color=theme.INK).encode(y=alt.Y("score:Q", title=self.measure, scale=scale))
        points = base.mark_point(filled=True, opacity=1, size=44, color=theme.INK).encode(y="score:Q")
        likely = (
            base.transform_filter("isValid(datum.likely)")
            .mark_point(filled=True, opacity=1, shape="diamond", size=64, color=theme.COLOURS[4])
            .encode(y="likely:Q")
        )
        return alt.layer(bounds, interval, line, points, likely).properties(width=width_of(alt, names), height=260)


def release_axis(alt: Any, names: Sequence[str]) -> Any:
    """Releases from left to right, in the order of their file."""
    return alt.X(
        "release:N", title=None, scale=alt.Scale(domain=list(names)), axis=alt.Axis(labelAngle=-40, labelLimit=140)
    )


def width_of(alt: Any, names: Sequence[str]) -> Any:
    """Of the picture: that of other charts, and more where there are many releases."""
    return theme.WIDTH if len(names) * STEP <= theme.WIDTH else alt.Step(STEP)


def chosen_measure(history: History, measure: str | None) -> str:
    """The *measure*, or the first of the last release."""
    if not history.entries:
        raise InputError(f"{history.path} has no release yet, so there is nothing to draw")
    names = list(dict.fromkeys(row.measure for row in history.releases()))
    return names[pick(names, measure or history.entries[-1].scores[0].measure, "measure")]


def last_releases(names: Sequence[str], top: int) -> tuple[list[str], tuple[str, ...]]:
    """The last so many, and what is said of the others."""
    return list(names)[-top:], rest("last", min(top, len(names)), len(names), of="releases")


@chart(is_default=lambda _: True)
def releases(history: History, *, measure: str | None = None, top: int = TOP) -> Releases:
    """Scores of the last *top* releases with one *measure* (the first of the last release unless named)."""
    measure = chosen_measure(history, measure)
    rows = [row for row in history.releases() if row.measure == measure]
    shown, left_out = last_releases(list(dict.fromkeys(row.release for row in rows)), top)
    names = dict(zip(shown, short_names(shown), strict=True))
    columns: Columns = {
        name: []
        for name in ("release", "date", "score", "low", "high", "likely", "likely_low", "likely_high", "judged")
    }
    for release in shown:
        own = [row for row in rows if row.release == release]
        bounds = next((row for row in own if row.range == "bounds"), None)
        likely = next((row for row in own[1:] if row.range != "bounds"), None)
        cells = [names[release], own[0].date, own[0].value]
        cells += [None, None] if bounds is None else [bounds.low, bounds.high]
        cells += [None, None, None] if likely is None else [likely.value, likely.low, likely.high]
        for column, cell in zip(columns.values(), [*cells, own[0].judged], strict=True):
            column.append(cell)
    remarks = (*left_out, "Line: unjudged documents as not relevant. Pale: what the score could be. Diamond: estimate.")
    return Releases(columns, f"{measure} of releases", remarks, measure, inputs=history.provenance.files)
