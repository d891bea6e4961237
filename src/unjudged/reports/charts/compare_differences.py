"""How far runs are from a baseline, or from the best run, and between which bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.compare_pairs import VERDICT_COLOURS
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.comparison import REVERSED, SIGNIFICANT, Comparison, PairRow, verdict_words
from unjudged.wording import counted

__all__ = ["Differences", "difference_marks", "differences"]

_ROW = 16
_VERDICT_SHAPES = {"certain": "circle", "likely": "triangle-up", "undetermined": "square", REVERSED: "triangle-down"}


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Chart):
    """One line per run: its difference, the interval over topics, and the bounds over all grades of the holes."""

    measure: str = ""
    reference: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """A forest of differences around 0."""
        y = run_axis(alt, self.distinct("run"))
        numbers = ("difference", "worst", "best", "low", "high", "p")
        about = ["run:N", "verdict:N", *(alt.Tooltip(f"{one}:Q", format="+.4f") for one in numbers)]
        base = alt.Chart(data).encode(y=y, tooltip=about)
        title = f"{self.measure}: difference from {self.reference}"
        bounds = (
            base.transform_filter("isValid(datum.worst)")
            .mark_rule(color=theme.FAINT, strokeWidth=1.2)
            .encode(x=alt.X("worst:Q", title=title), x2="best:Q")
        )
        intervals = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(color=theme.RAMP[2], strokeWidth=5, opacity=0.6)
            .encode(x="low:Q", x2="high:Q")
        )
        zero = alt.Chart(data).mark_rule(color=theme.INK, strokeWidth=0.8).encode(x=alt.datum(0))
        points, stars = difference_marks(alt, base, self.columns["verdict"])
        return alt.layer(zero, bounds, intervals, points, stars).properties(width=theme.WIDTH, height=alt.Step(_ROW))


def difference_marks(alt: Any, base: Any, verdicts: Sequence[str]) -> tuple[Any, Any]:
    """A point for each difference, which looks like its verdict, and a star beside those that are significant."""
    fills, shapes = (theme.looks_scale(alt, looks, verdicts) for looks in (VERDICT_COLOURS, _VERDICT_SHAPES))
    points = base.mark_point(size=52, filled=True, opacity=1, stroke=theme.INK, strokeWidth=0.9).encode(
        x="difference:Q",
        fill=alt.Fill("verdict:N", title=None, scale=fills),
        shape=alt.Shape("verdict:N", title=None, scale=shapes),
    )
    stars = (
        base.transform_filter("datum.significant")
        .mark_text(text="*", fontSize=15, dy=4, align="left", color=theme.INK)
        .encode(x=alt.value(theme.WIDTH + 4))
    )
    return points, stars


@chart(is_default=lambda comparison: comparison.baseline is not None)
def differences(comparison: Comparison, *, top: int = TOP) -> Differences:
    """Differences of the best *top* runs from the baseline; from the best run where there is no baseline."""
    runs = [row.run for row in comparison.rows()]
    reference = comparison.baseline or runs[0]
    by_run = {other: row for other, row in (_seen_from(reference, row) for row in comparison.pairs()) if other}
    others = [run for run in runs if run in by_run]
    rows = [by_run[run] for run in others[:top]]
    columns: Columns = {
        "run": short_names(others)[:top],
        **{name: [getattr(row, name) for row in rows] for name in ("difference", "low", "high", "worst", "best")},
        "p": [row.corrected_p for row in rows],
        "significant": [row.corrected_p < SIGNIFICANT for row in rows],
        "verdict": [verdict_words(row) for row in rows],
    }
    what = "baseline" if comparison.baseline else "best run"
    return Differences(
        columns,
        f"Differences from the {what} {reference} over {counted(comparison.topics, 'topic')}",
        (
            *rest("best", len(rows), len(others), [by_run[run].difference for run in others[top:]], of="other runs"),
            "Thin line: worst to best over all grades of the unjudged documents. Thick: 95% interval over topics.",
            f"Star: p < {SIGNIFICANT} ({comparison.test}, {comparison.correction}).",
        ),
        comparison.measure,
        reference,
        inputs=comparison.provenance.files,
    )


def _seen_from(reference: str, row: PairRow) -> tuple[str, PairRow]:
    """The other run of a pair, and the row as that run less the reference; no name where the reference is not in it."""
    if row.other == reference:
        return row.run, row
    if row.run != reference:
        return "", row
    ends = {"low": row.high, "high": row.low, "worst": row.best, "best": row.worst}
    turned = {name: None if end is None else -end for name, end in ends.items()}
    for name in ("p_greater", "p_greater_corpus"):
        share = getattr(row, name)
        turned[name] = None if share is None else 1 - share
    return row.other, row._replace(difference=-row.difference, **turned)  # type: ignore[arg-type]
