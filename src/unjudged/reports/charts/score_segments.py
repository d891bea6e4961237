"""Mean scores of runs on each segment of the topics, with intervals over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.scores import Scores, pick

__all__ = ["SegmentMeans", "segments"]

_ROW = 15


@dataclass(frozen=True, eq=False, repr=False)
class SegmentMeans(Chart):
    """A line for each run on each segment."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Intervals and points, in a colour and shape for each run."""
        colour, shape = theme.signs(alt, "run", self.distinct("run"))
        about = ["segment:N", "run:N", "topics:Q", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("value", "low"))]
        about += [alt.Tooltip("high:Q", format=".4f"), alt.Tooltip("judged:Q", format=".1%")]
        base = alt.Chart(data).encode(y=run_axis(alt, self.distinct("line"), field="line"), tooltip=about)
        x = alt.X("low:Q", title=self.measure, scale=alt.Scale(zero=False, nice=True))
        intervals = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(opacity=0.55, strokeWidth=4)
            .encode(x=x, x2="high:Q", color=colour)
        )
        points = (
            base.transform_filter("isValid(datum.value)")
            .mark_point(filled=True, opacity=1, size=46)
            .encode(x=alt.X("value:Q", title=self.measure), color=colour, shape=shape)
        )
        return alt.layer(intervals, points).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def segments(scores: Scores, *, measure: str | None = None, holes: str | None = None, top: int = TOP) -> SegmentMeans:
    """Means of the best runs on the largest segments, up to *top* lines; by the first *measure* unless named."""
    if not scores.segments:
        raise InputError("these scores have no segments to draw; score with --segments FILE (segments= in Python)")
    first = scores.segments[0]
    measure = scores.measures[pick(scores.measures, measure or first.measure, "measure")]
    holes = scores.holes[pick(scores.holes, holes or first.holes, "hole model")]
    every = [row for row in scores.segments if (row.measure, row.holes) == (measure, holes)]
    if not every:
        raise InputError(
            f"{measure} has no means of segments with {holes}: it is no mean, or {holes} gives no other values"
        )
    m, h = scores.measures.index(measure), scores.holes.index(holes)
    best = [scores.runs[i] for i in (-scores.means[h, m]).argsort(kind="stable").tolist()]
    sizes = {row.segment: row.topics for row in every}
    shown_runs = best[: max(1, min(len(best), top // min(len(sizes), 5)))]
    largest = sorted(sizes, key=lambda one: -sizes[one])[: max(1, top // len(shown_runs))]
    rows = [row for row in every if row.run in shown_runs and row.segment in largest]
    rows.sort(key=lambda row: (list(sizes).index(row.segment), best.index(row.run)))
    runs = dict(zip(shown_runs, short_names(shown_runs), strict=True))
    names = dict(zip(largest, short_names(largest), strict=True))
    columns: Columns = {
        "line": short_names([f"{names[row.segment]} ({row.topics}): {runs[row.run]}" for row in rows]),
        "segment": [names[row.segment] for row in rows],
        "run": [runs[row.run] for row in rows],
        **{name: [getattr(row, name) for row in rows] for name in ("topics", "value", "low", "high", "judged")},
    }
    return SegmentMeans(
        columns,
        f"{measure} by segment",
        (
            *rest(
                "best",
                len(shown_runs),
                len(best),
                [float(one) for one in scores.means[h, m, [scores.runs.index(run) for run in best[len(shown_runs) :]]]],
            ),
            *rest("largest", len(largest), len(sizes), of="segments"),
            f"Line: 95% interval over topics, whose number is in brackets. Unjudged documents: {holes}.",
        ),
        measure,
        inputs=scores.provenance.files,
    )
