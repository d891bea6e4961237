"""How far a candidate is from a baseline, with the interval that decides, and with unjudged documents as wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import run_axis, short_names
from unjudged.results.gate import Gate

__all__ = ["Decision", "decision"]

_ROW = 20
_COLOURS = {"not worse": theme.COLOURS[3], "passes": theme.COLOURS[3], "undecided": theme.COLOURS[1]}
_COLOURS |= {"worse": theme.COLOURS[4], "fails": theme.COLOURS[4]}
_SHAPES = {"not worse": "circle", "passes": "circle", "undecided": "square", "worse": "triangle-down"}
_SHAPES |= {"fails": "triangle-down"}


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Chart):
    """A line for each measure and each guarded segment, around 0 and the margin."""

    margin: float = 0.0

    def marks(self, alt: Any, data: Any) -> Any:
        """Intervals, points, and crosses for what counts unjudged documents as wrong."""
        answers = self.columns["answer"]
        fills, shapes = (theme.looks_scale(alt, looks, answers) for looks in (_COLOURS, _SHAPES))
        numbers = ("difference", "low", "high", "plain")
        about = ["row:N", "answer:N", *(alt.Tooltip(f"{one}:Q", format="+.4f") for one in numbers)]
        base = alt.Chart(data).encode(y=run_axis(alt, self.distinct("row"), field="row"), tooltip=about)
        zero = alt.Chart(data).mark_rule(color=theme.INK, strokeWidth=0.8).encode(x=alt.datum(0))
        margin = alt.Chart(data).mark_rule(color=theme.INK, strokeDash=[4, 3]).encode(x=alt.datum(-self.margin))
        intervals = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(color=theme.RAMP[2], strokeWidth=5, opacity=0.6)
            .encode(x=alt.X("low:Q", title="difference, candidate less baseline"), x2="high:Q")
        )
        plain = (
            base.transform_filter("isValid(datum.plain)")
            .mark_point(shape="cross", size=46, filled=True, color=theme.FAINT, opacity=1)
            .encode(x="plain:Q")
        )
        points = base.mark_point(size=56, filled=True, opacity=1, stroke=theme.INK, strokeWidth=0.9).encode(
            x="difference:Q",
            fill=alt.Fill("answer:N", title=None, scale=fills),
            shape=alt.Shape("answer:N", title=None, scale=shapes),
        )
        return alt.layer(zero, margin, intervals, plain, points).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart(is_default=lambda _: True)
def decision(result: Gate) -> Decision:
    """The difference of each measure, and of each segment that is guarded."""
    measures, segments = result.measures(), result.segments()
    names = [row.measure for row in measures] + [f"{row.measure}, {row.segment}" for row in segments]
    answers = [row.answer for row in measures] + ["fails" if row.failed else "passes" for row in segments]
    rows = [*measures, *segments]
    columns: Columns = {
        "row": short_names(names),
        "answer": answers,
        **{name: [getattr(row, name) for row in rows] for name in ("difference", "low", "high")},
        "plain": [*(row.plain for row in measures), *(None for _ in segments)],
    }
    return Decision(
        columns,
        f"{result.candidate} against {result.baseline}: {result.answer}",
        (
            f"Thick: {result.confidence:.0%} interval over topics and unjudged documents. Dashed: the margin.",
            "Cross: the difference with unjudged documents as not relevant.",
        ),
        result.margin,
        inputs=result.provenance.files,
    )
