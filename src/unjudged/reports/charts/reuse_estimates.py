"""Each run's estimated score against its true one, with what it could be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError, some_of
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart
from unjudged.reports.charts.naming import rest
from unjudged.reports.ranges import is_chance_alone
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import RunRow
from unjudged.wording import counted

__all__ = ["EstimatedRuns", "estimates", "method_names"]

_MOST = 6
"""Methods that are shown ..."""
_MOST_IN_ROWS = 3
"""... and where each degradation has a row of them."""
_MOST_ROWS = 4
_NUMBERS = ("estimate", "low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedRuns(Chart):
    """A panel per method, in a row per degradation: on the diagonal, a run has its true score."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points with bars for what the score could be."""
        ends = [one for name in ("true_score", *_NUMBERS) for one in self.columns[name]]
        scale, diagonal = theme.diagonal(alt, (one for one in ends if one is not None))
        x = alt.X("true_score:Q", title="true score", scale=scale)
        y = alt.Y("estimate:Q", title="estimate", scale=scale)
        numbers = [alt.Tooltip(f"{one}:Q", format=".4f") for one in ("true_score", *_NUMBERS)]
        base = alt.Chart().encode(x=x, tooltip=["run:N", "method:N", *numbers])
        bars = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(color=theme.COLOURS[0], strokeWidth=1, opacity=0.5)
            .encode(y=alt.Y("low:Q", title="estimate", scale=scale), y2="high:Q")
        )
        points = base.mark_point(size=26, filled=True, opacity=0.85, color=theme.COLOURS[0]).encode(y=y)
        panel = alt.layer(diagonal, bars, points, data=data).properties(width=190, height=190)
        in_order = alt.EncodingSortField("place", op="min")
        if len(set(self.columns["degradation"])) == 1:
            return panel.facet(facet=alt.Facet("method:N", title=None, sort=in_order), columns=3)
        return panel.facet(
            row=alt.Row("degradation:N", title=None, sort=alt.EncodingSortField("line", op="min")),
            column=alt.Column("method:N", title=None, sort=in_order),
        )


@chart(is_default=lambda result: not (result.families_with_curves() or result.leaveout() or result.strategies()))
def estimates(result: Reuse, *, degradation: str | None = None, top: int | None = None) -> EstimatedRuns:
    """Scores of all runs against the truth, for the best *top* methods, after every degradation, or after one."""
    there = list(dict.fromkeys(row.degradation for row in result.tables.runs))
    if degradation not in (None, *there):
        raise InputError(f"no degradation {degradation!r}; there is {some_of(there, 5) or 'none'}")
    chosen = there[:_MOST_ROWS] if degradation is None else [degradation]
    line = {one: i for i, one in enumerate(chosen)}
    most = top or (_MOST if len(chosen) == 1 else _MOST_IN_ROWS)
    ranked = list(dict.fromkeys((row.truth, row.measure, row.holes) for row in result.methods()))
    names = dict(zip(ranked, method_names(ranked), strict=True))
    place = {method: i for i, method in enumerate(ranked)}
    rows = [row for row in result.tables.runs if row.degradation in line and place[_method(row)] < most]
    rows.sort(key=lambda row: (line[row.degradation], place[_method(row)]))
    columns: dict[str, list[Any]] = {
        "line": [line[row.degradation] for row in rows],
        "place": [place[_method(row)] for row in rows],
        "method": [names[_method(row)] for row in rows],
        **{name: [getattr(row, name) for row in rows] for name in ("degradation", "run", "true_score", *_NUMBERS)},
    }
    runs = counted(len({row.run for row in rows}), "run")
    others = [one for one in there if one not in line]
    return EstimatedRuns(
        columns,
        f"Estimated and true scores of {runs} with {chosen[0] if len(chosen) == 1 else 'fewer judgments'}",
        (
            *rest("best", min(most, len(place)), len(place), of="methods"),
            "On the line, the estimate is the true score. Bars: what a method says that the score could be.",
            *_chance_alone(list(dict.fromkeys(row.holes for row in rows if row.low is not None))),
            *([f"Other degradations: {some_of(others, 3)}."] if others else []),
        ),
        inputs=result.provenance.files,
    )


def _method(row: RunRow) -> tuple[str, str, str]:
    return row.truth, row.measure, row.holes


def _chance_alone(models: list[str]) -> list[str]:
    if not (chance := [one for one in models if is_chance_alone(one)]):
        return []
    return [f"Bars of {some_of(chance, 3)} are what chance alone would do if the model were right."]


def method_names(methods: list[tuple[str, str, str]]) -> list[str]:
    """Measure, hole model and truth of methods (truth, measure, holes), without what all of them share."""
    truths = {truth for truth, _, _ in methods}
    shown = [len({method[i] for method in methods}) > 1 for i in (1, 2)]
    if not any(shown):
        shown = [True, True]
    names = []
    for truth, measure, holes in methods:
        parts = [part for part, wanted in zip((measure, holes), shown, strict=True) if wanted]
        names.append(", ".join(parts) + (f" against {truth}" if len(truths) > 1 and truth != measure else ""))
    return names
