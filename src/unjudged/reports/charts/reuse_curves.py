"""How agreement with the truth grows with judgments, as in the figures of the infAP and cascade measures papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart
from unjudged.reports.charts.naming import rest
from unjudged.reports.charts.reuse_estimates import method_names
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import CurveRow

__all__ = ["AgreementCurves", "curves"]

_MOST = 7
"""Lines that can be told apart without colour: as many as there are dashes."""
_AT_MOST_1 = {"tau_b", "tau_a", "tau_ap", "pearson", "recall", "significant_kept", "significant_false"}
_APART = 0.025
"""By how much of its place each next method is drawn further to the right, so that bars do not hide each other."""
_WORDS = {
    "tau_b": "Kendall's tau-b",
    "tau_a": "Kendall's tau-a",
    "tau_ap": "tau AP",
    "rmse": "RMSE",
    "pearson": "Pearson's r",
    "recall": "share of the relevant documents",
    "significant_kept": "share of the significant differences",
    "significant_false": "false ones among significant differences",
}


@dataclass(frozen=True, eq=False, repr=False)
class AgreementCurves(Chart):
    """A line per method, a panel per way of taking judgments away."""

    statistic: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Lines with error bars; the horizontal axis is logarithmic, as few judgments are where methods differ."""
        methods, families = self.distinct("method"), self.distinct("family")
        colour, shape = theme.signs(alt, "method", methods)
        dashes = alt.Scale(domain=methods, range=theme.cycled(theme.DASHES, len(methods)))
        dash = alt.StrokeDash("method:N", scale=dashes, legend=None)
        # The legend is that of the points; with the lines' dashes, its signs would have dashed outlines.
        strokes = alt.Scale(domain=methods, range=theme.cycled(theme.COLOURS, len(methods)))
        stroke = alt.Stroke("method:N", scale=strokes, legend=None)
        x = alt.X(
            "drawn_at:Q",
            title="judgments left",
            scale=alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(format="~%", values=[0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1]),
        )
        scale = alt.Scale(zero=False, nice=False, domain=self._heights())
        y = alt.Y("value:Q", title=_WORDS.get(self.statistic, self.statistic), scale=scale)
        numbers = ["judgments:Q", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("value", "low", "high"))]
        base = alt.Chart().encode(x=x, tooltip=["degradation:N", "method:N", *numbers])
        lines = base.mark_line(strokeWidth=1.6).encode(y=y, stroke=stroke, strokeDash=dash)
        bars = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(strokeWidth=1.2, clip=True)
            .encode(y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour)
        )
        points = base.mark_point(size=46, filled=True, opacity=1).encode(y=y, color=colour, shape=shape)
        layers = alt.layer(lines, bars, points, data=data)
        if len(families) == 1:
            # Else the lines, which have no legend, would take that of the points away.
            single = layers.properties(width=theme.WIDTH, height=280)
            return single.resolve_legend(stroke="independent", strokeDash="independent")
        return (
            layers.properties(width=260, height=230)
            .facet(facet=alt.Facet("family:N", title=None, sort=alt.EncodingSortField("place", op="min")), columns=2)
            .resolve_scale(x="independent")
        )

    def _heights(self) -> list[float]:
        """Ends of the vertical axis: those of the intervals, but no correlation is beyond 1."""
        ends = [one for name in ("value", "low", "high") for one in self.columns[name] if one is not None]
        low, high = min(ends), max(ends)
        room = 0.03 * (high - low) or 0.02
        low, high = low - room, high + room
        return [max(low, -1.0), min(high, 1.0)] if self.statistic in _AT_MOST_1 else [low, high]


@chart(is_default=lambda result: bool(result.families_with_curves()) and not result.strategies())
def curves(result: Reuse, *, statistic: str = "tau_b", top: int = _MOST) -> AgreementCurves:
    """A *statistic* of every method against the number of judgments that are left; of the best *top* methods.

    Needs a degradation with several amounts, such as ``"DepthCut(5,10,20)"`` or ``"KeepFraction(10%,30%)"``; those with
    one are left out.
    """
    families = result.families_with_curves()
    points = [row for row in result.curves() if row.family in families]
    rows = [row for row in points if row.statistic == statistic]
    if not rows:
        statistics = list(dict.fromkeys(row.statistic for row in points))
        if statistics:
            raise InputError(f"no curve of {statistic!r}; there is {', '.join(statistics)}")
        raise InputError("there are no curves: take away several amounts, such as --degrade 'DepthCut(5,10,20)'")
    ranked = list(dict.fromkeys((row.truth, row.measure, row.holes) for row in result.methods()))
    with_curve = {(row.truth, row.measure, row.holes) for row in rows}
    ranked = [one for one in ranked if one in with_curve]
    shown = ranked[:top]
    names = dict(zip(shown, method_names(shown), strict=True))
    rows = [row for row in rows if _method(row) in names]
    rows.sort(key=lambda row: (families.index(row.family), shown.index(_method(row)), row.share))
    columns: dict[str, list[Any]] = {
        "family": [row.family for row in rows],
        "place": [families.index(row.family) for row in rows],
        "method": [names[_method(row)] for row in rows],
        **{
            name: [getattr(row, name) for row in rows]
            for name in ("degradation", "judgments", "share", "value", "low", "high")
        },
    }
    columns["drawn_at"] = [
        row.share * (1 + _APART * (shown.index(_method(row)) - (len(shown) - 1) / 2)) for row in rows
    ]
    return AgreementCurves(
        columns,
        f"Agreement with the truth when judgments are taken away: {result.runs} runs, {result.topics} topics",
        (*rest("best", len(shown), len(ranked), of="methods"), *_interval_words(rows)),
        statistic,
        inputs=result.provenance.files,
    )


def _method(row: CurveRow) -> tuple[str, str, str]:
    return row.truth, row.measure, row.holes


def _interval_words(rows: list[CurveRow]) -> list[str]:
    over = list(dict.fromkeys(row.over for row in rows if row.over))
    return [f"Bars: 95% intervals over {' or '.join(over)}; methods stand a little apart."] if over else []
