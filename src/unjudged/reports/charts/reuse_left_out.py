"""What becomes of runs that did not contribute to the pool: their estimated score against the true one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart
from unjudged.reports.charts.naming import rest
from unjudged.reports.charts.reuse_estimates import method_names
from unjudged.results.reuse import Reuse
from unjudged.wording import counted

__all__ = ["LeftOutRuns", "left_out"]

_MOST = 6


@dataclass(frozen=True, eq=False, repr=False)
class LeftOutRuns(Chart):
    """A panel per method: on the diagonal, a run that was left out gets the score that it would have got."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points, with the sign for runs that lose or gain ranks."""
        scale, diagonal = theme.diagonal(alt, [*self.columns["true_score"], *self.columns["estimate"]])
        changes = ["loses ranks", "keeps its rank", "gains ranks"]
        colours = [theme.COLOURS[4], theme.FAINT, theme.COLOURS[2]]
        shapes = ["triangle-down", "circle", "triangle-up"]
        numbers = [alt.Tooltip(f"{one}:Q", format=".4f") for one in ("true_score", "estimate")]
        points = (
            alt.Chart()
            .mark_point(size=34, filled=True, opacity=0.85)
            .encode(
                x=alt.X("true_score:Q", title="score with all judgments", scale=scale),
                y=alt.Y("estimate:Q", title="score when left out", scale=scale),
                color=alt.Color("becomes:N", title=None, scale=alt.Scale(domain=changes, range=colours)),
                shape=alt.Shape("becomes:N", title=None, scale=alt.Scale(domain=changes, range=shapes)),
                tooltip=["run:N", "left_out:N", "method:N", "change:Q", *numbers],
            )
        )
        return (
            alt.layer(diagonal, points, data=data)
            .properties(width=190, height=190)
            .facet(facet=alt.Facet("method:N", title=None, sort=alt.EncodingSortField("place", op="min")), columns=3)
        )


@chart(is_default=lambda result: not result.families_with_curves() and bool(result.leaveout()))
def left_out(result: Reuse, *, top: int = _MOST) -> LeftOutRuns:
    """Scores of left-out runs against the truth, for the best *top* methods.

    Needs a degradation that leaves runs out: ``"LeaveOutGroup"`` or ``"LeaveOutRun"``.
    """
    if not result.leaveout():
        raise InputError("no run was left out: use --degrade LeaveOutGroup or LeaveOutRun")
    methods = list(dict.fromkeys((row.truth, row.measure, row.holes) for row in result.methods()))
    names = dict(zip(methods, method_names(methods), strict=True))
    place = {method: i for i, method in enumerate(methods)}
    rows = [row for row in result.leaveout() if place[row.truth, row.measure, row.holes] < top]
    rows.sort(key=lambda row: place[row.truth, row.measure, row.holes])
    of_rows = [(row.truth, row.measure, row.holes) for row in rows]
    columns: dict[str, list[Any]] = {
        "place": [place[method] for method in of_rows],
        "method": [names[method] for method in of_rows],
        **{
            name: [getattr(row, name) for row in rows]
            for name in ("run", "left_out", "true_score", "estimate", "true_rank", "rank", "change")
        },
        "becomes": [
            "loses ranks" if row.change > 0 else "gains ranks" if row.change < 0 else "keeps its rank" for row in rows
        ],
    }
    runs = counted(len({row.run for row in rows}), "run")
    return LeftOutRuns(
        columns,
        f"Runs that are new to the pool: {runs}, {counted(result.topics, 'topic')}",
        (
            *rest("best", min(top, len(place)), len(place), of="methods"),
            "On the line, a run that did not contribute to the pool gets the score that it would get if it had.",
        ),
        inputs=result.provenance.files,
    )
