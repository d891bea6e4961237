"""How far two runs are apart on each segment of the topics, and on the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.compare_differences import difference_marks
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.comparison import SIGNIFICANT, Comparison, verdict_words

__all__ = ["SegmentDifferences", "segment_differences"]

_ROW = 18
_WHOLE = "all topics"


@dataclass(frozen=True, eq=False, repr=False)
class SegmentDifferences(Chart):
    """A line for the whole and for each segment: the difference, its interval over topics, and the verdict."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """A forest of differences around 0."""
        numbers = ("difference", "low", "high", "p")
        about = ["segment:N", "topics:Q", "verdict:N", *(alt.Tooltip(f"{one}:Q", format="+.4f") for one in numbers)]
        base = alt.Chart(data).encode(y=run_axis(alt, self.distinct("segment"), field="segment"), tooltip=about)
        zero = alt.Chart(data).mark_rule(color=theme.INK, strokeWidth=0.8).encode(x=alt.datum(0))
        intervals = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(color=theme.RAMP[2], strokeWidth=5, opacity=0.6)
            .encode(x=alt.X("low:Q", title=f"difference of {self.measure}"), x2="high:Q")
        )
        points, stars = difference_marks(alt, base, self.columns["verdict"])
        return alt.layer(zero, intervals, points, stars).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def segment_differences(
    comparison: Comparison, *, run: str | None = None, other: str | None = None, top: int = TOP
) -> SegmentDifferences:
    """Differences of two runs on the *top* largest segments; of the first pair unless *run* and *other* are named."""
    if not comparison.segments():
        raise InputError("this comparison has no segments to draw; compare with --segments FILE (segments= in Python)")
    first = comparison.pairs()[0]
    pair = comparison.pair(run or first.run, other or first.other)
    every = [row for row in comparison.segment_pairs() if (row.run, row.other) == (pair.run, pair.other)]
    rows = sorted(sorted(every, key=lambda row: -row.topics)[:top], key=every.index)
    names = short_names([_WHOLE, *(row.segment for row in rows)])
    sizes = [comparison.topics, *(row.topics for row in rows)]
    columns: Columns = {
        "segment": [f"{name} ({number})" for name, number in zip(names, sizes, strict=True)],
        "topics": sizes,
        **{
            name: [getattr(pair, name), *(getattr(row, name) for row in rows)] for name in ("difference", "low", "high")
        },
        "p": [pair.corrected_p, *(row.corrected_p for row in rows)],
        "significant": [pair.corrected_p < SIGNIFICANT, *(row.corrected_p < SIGNIFICANT for row in rows)],
        "verdict": [verdict_words(pair), *(verdict_words(row) for row in rows)],
    }
    return SegmentDifferences(
        columns,
        f"{pair.run} less {pair.other} on segments of the topics",
        (
            *rest("largest", len(rows), len(every), of="segments"),
            "Thick: 95% interval over topics, whose number is in brackets.",
            f"Star: p < {SIGNIFICANT}, on segments corrected for all comparisons on them ({comparison.test}).",
        ),
        comparison.measure,
        inputs=comparison.provenance.files,
    )
