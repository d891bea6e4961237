"""Who is better than whom, and would judging the holes change it: a matrix of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import names_axis, rest, run_axis, short_names
from unjudged.results.comparison import REVERSED, SIGNIFICANT, Comparison, PairRow, verdict_words
from unjudged.wording import counted

__all__ = ["VERDICT_COLOURS", "PairMatrix", "pairs"]

_TOP = 30
_CELL = 16
VERDICT_COLOURS = {
    "certain": theme.RAMP[4],
    "likely": theme.RAMP[2],
    "undetermined": theme.RAMP[0],
    REVERSED: theme.COLOURS[4],
}
"""The surer, the darker."""
_NONE = "no verdict"
_FILLS = {**VERDICT_COLOURS, _NONE: "#ffffff"}


@dataclass(frozen=True, eq=False, repr=False)
class PairMatrix(Chart):
    """A cell per pair: the run of the line is better than that of the column. Its colour is the verdict."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Cells with a star where the difference is significant."""
        x = alt.X(
            "worse:N",
            title="is better than",
            scale=alt.Scale(domain=self.distinct("worse")),
            axis=names_axis(alt, labelAngle=-90, orient="top", ticks=False),
        )
        y = run_axis(alt, self.distinct("better"), field="better", ticks=False)
        numbers = [alt.Tooltip("difference:Q", format="+.4f"), alt.Tooltip("p:Q", format=".4f"), "verdict:N"]
        base = alt.Chart(data).encode(x=x, y=y, tooltip=["better:N", "worse:N", *numbers])
        cells = base.mark_rect(stroke=theme.FAINT, strokeWidth=0.6).encode(
            fill=alt.Fill(
                "verdict:N",
                title=None,
                scale=theme.looks_scale(alt, _FILLS, self.columns["verdict"]),
                legend=alt.Legend(symbolType="square", symbolStrokeColor=theme.FAINT, symbolSize=120),
            )
        )
        # The colour of what is reversed is as light as that of what is likely, so it is crossed out.
        crosses = base.transform_filter("datum.reversed").mark_point(shape="stroke", angle=45, size=90, color=theme.INK)
        stars = (
            base.transform_filter("datum.significant")
            .mark_text(text="*", fontSize=14, dy=4, fontWeight="bold")
            .encode(color=alt.condition("datum.verdict === 'certain'", alt.value("white"), alt.value(theme.INK)))
        )
        return alt.layer(cells, crosses, stars).properties(width=alt.Step(_CELL), height=alt.Step(_CELL))


@chart(is_default=lambda comparison: comparison.baseline is None)
def pairs(comparison: Comparison, *, top: int = _TOP) -> PairMatrix:
    """All pairs of the best *top* runs: who is better, the verdict about the holes, and a star if that is significant.

    Needs a comparison of all pairs; ``uj.plots.differences`` is for those with a baseline.
    """
    if comparison.baseline is not None:
        raise InputError("a matrix needs all pairs, not those with a baseline; draw the differences")
    runs = [row.run for row in comparison.rows()]
    names = dict(zip(runs, short_names(runs), strict=True))
    kept = set(runs[:top])
    pairs = [_turned(row) for row in comparison.pairs() if {row.run, row.other} <= kept]
    place = {run: i for i, run in enumerate(runs)}
    pairs.sort(key=lambda one: (place[one[0]], place[one[1]]))
    columns: Columns = {
        "better": [names[better] for better, _, _ in pairs],
        "worse": [names[worse] for _, worse, _ in pairs],
        "difference": [abs(row.difference) for _, _, row in pairs],
        "p": [row.corrected_p for _, _, row in pairs],
        "significant": [row.corrected_p < SIGNIFICANT for _, _, row in pairs],
        "verdict": [verdict_words(row) or _NONE for _, _, row in pairs],
        "reversed": [verdict_words(row) == REVERSED for _, _, row in pairs],
    }
    return PairMatrix(
        columns,
        f"Pairs of runs by {comparison.measure} over {counted(comparison.topics, 'topic')}",
        (
            *rest("best", len(kept), len(runs), [row.mean for row in comparison.rows()[top:]]),
            "Colour: can grades of unjudged documents turn the difference around?",
            f"Star: p < {SIGNIFICANT} over topics ({comparison.test}, {comparison.correction}).",
        ),
        inputs=comparison.provenance.files,
    )


def _turned(row: PairRow) -> tuple[str, str, PairRow]:
    """The better run, the worse, and their row."""
    return (row.run, row.other, row) if row.difference >= 0 else (row.other, row.run, row)
