"""What changed the score of each release: the ranker, the judgments, or the topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.history_releases import STEP, chosen_measure, last_releases, release_axis, width_of
from unjudged.reports.charts.naming import TOP, short_names
from unjudged.results.history import History

__all__ = ["Changes", "changes"]

_COLOURS = {"ranker": theme.COLOURS[2], "judgments": theme.COLOURS[1], "topics": theme.COLOURS[3]}
_COLOURS |= {"other": theme.COLOURS[6], "not told apart": theme.BAR}


@dataclass(frozen=True, eq=False, repr=False)
class Changes(Chart):
    """Bars above and below 0, one part on the other, with a tick for the whole change."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Bars and ticks."""
        parts = [part for part in _COLOURS if part in self.distinct("part")]
        names = self.distinct("release")
        x = release_axis(alt, names)
        about = [
            "release:N",
            "since:N",
            "part:N",
            alt.Tooltip("by:Q", format="+.4f"),
            alt.Tooltip("change:Q", format="+.4f"),
        ]
        base = alt.Chart(data).encode(x=x, tooltip=about)
        bars = base.mark_bar(stroke=theme.INK, strokeWidth=0.4, width=STEP - 14).encode(
            # Stacked here: Vega would look up stacks by name, and "constructor" is always there.
            y=alt.Y("start:Q", title=f"change of {self.measure}"),
            y2="end:Q",
            color=alt.Color(
                "part:N", title=None, scale=alt.Scale(domain=parts, range=[_COLOURS[one] for one in parts])
            ),
        )
        whole = base.mark_tick(color=theme.INK, thickness=2.5, size=STEP - 6).encode(y="change:Q")
        zero = alt.Chart(data).mark_rule(color=theme.INK, strokeWidth=0.8).encode(y=alt.datum(0))
        return alt.layer(zero, bars, whole).properties(width=width_of(alt, names), height=240)


@chart()
def changes(history: History, *, measure: str | None = None, top: int = TOP) -> Changes:
    """Changes of the last *top* releases by one *measure*, with unjudged documents as the first hole model has them."""
    measure = chosen_measure(history, measure)
    rows = [row for row in history.changes() if row.measure == measure and row.change is not None]
    plain = {row.release: row for row in reversed(rows)}
    rows = [row for row in rows if plain[row.release] is row]
    if not rows:
        raise InputError(f"{history.path} has no change of {measure} yet: it takes two releases")
    shown, left_out = last_releases([row.release for row in rows], top)
    names = dict(zip(shown, short_names(shown), strict=True))
    columns: Columns = {name: [] for name in ("release", "since", "part", "by", "start", "end", "change")}
    for row in rows[-len(shown) :]:
        parts = [
            (part, getattr(row, part)) for part in ("ranker", "judgments", "topics", "other") if getattr(row, part)
        ]
        if row.ranker is None or row.judgments is None:
            parts = [("not told apart", row.change)]
        ends = {True: 0.0, False: 0.0}  # of the bars above and below 0
        for part, by in parts or [("ranker", 0.0)]:
            start = ends[by > 0]
            ends[by > 0] += by
            cells = (names[row.release], row.previous, part, by, start, ends[by > 0], row.change)
            for column, cell in zip(columns.values(), cells, strict=True):
                column.append(cell)
    remarks = (*left_out, "Bars: what comes from each; tick: the whole change since the release before.")
    return Changes(columns, f"What changed {measure}", remarks, measure, inputs=history.provenance.files)
