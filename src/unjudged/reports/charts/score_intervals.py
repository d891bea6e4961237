"""Scores of runs under each hole model: where they lie, between which bounds, and how much was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.scores import Scores, mean_known, pick
from unjudged.results.tabular import number_or_none
from unjudged.wording import counted

__all__ = ["ScoreIntervals", "scores"]

_ROW = 15
_SIZES = (70, 48, 32, 24, 18, 14, 10)
"""Of points, by hole model: where all is judged they lie on each other, and the later ones must not hide the others."""
_THICKNESS = (1.2, 4.0, 7.0)
"""Of ranges, the widest first: a narrower one lies on it, and is thicker."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoreIntervals(Chart):
    """One line per run: a point per hole model, its range, and the share judged."""

    measure: str = ""
    judged: str = "judged"

    def marks(self, alt: Any, data: Any) -> Any:
        """Ranges below points, and bars for the share judged beside them."""
        models = self.distinct("holes")
        y = run_axis(alt, self.distinct("run"))
        colour, shape = theme.signs(alt, "holes", models)
        size = alt.Size("size:Q", scale=None)
        about = ["run:N", "holes:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("value", "low", "high"))]
        x = alt.X("value:Q", title=self.measure, scale=alt.Scale(zero=False, nice=True))
        base = alt.Chart(data).encode(y=y, tooltip=about)
        ranges = (
            base.transform_filter("isValid(datum.low)")
            .mark_rule(opacity=0.55)
            .encode(
                x=alt.X("low:Q", title=self.measure, scale=alt.Scale(zero=False, nice=True)),
                x2="high:Q",
                color=colour,
                strokeWidth=alt.StrokeWidth("thickness:Q", scale=None),
            )
        )
        points = (
            base.transform_filter("isValid(datum.value)")
            .mark_point(filled=True, opacity=1)
            .encode(x=x, color=colour, shape=shape, size=size)
        )
        left = alt.layer(ranges, points).properties(width=theme.WIDTH, height=alt.Step(_ROW))
        share = (
            alt.Chart(data)
            .transform_filter("datum.first")
            .mark_bar(color=theme.BAR, height=_ROW - 6)
            .encode(
                y=alt.Y("run:N", scale=alt.Scale(domain=self.distinct("run")), axis=None),
                x=alt.X(
                    "judged:Q",
                    title=self.judged,
                    stack=None,  # Vega would look up the bars of a stack by name, and "constructor" is always there
                    scale=alt.Scale(domain=[0, 1]),
                    axis=alt.Axis(format="%", values=[0, 0.5, 1]),
                ),
                tooltip=["run:N", alt.Tooltip("judged:Q", format=".1%")],
            )
            .properties(width=80, height=alt.Step(_ROW))
        )
        return alt.hconcat(left, share, spacing=12).resolve_scale(y="shared")


@chart(is_default=lambda _: True)
def scores(scores: Scores, *, measure: str | None = None, top: int = TOP) -> ScoreIntervals:
    """Scores of the best *top* runs with one *measure* (the first unless named), under every hole model.

    With ``holes=["bounds", "condensed", "bootstrap"]`` a line has the lower and the upper bound, the score of the
    condensed list, and the estimate with its interval.

    >>> import unjudged as uj
    >>> runs = {"old": {"1": {"a": 2.0, "b": 1.0}}, "new": {"1": {"x": 2.0, "a": 1.0}}}
    >>> chart = uj.plots.scores(uj.score({"1": {"a": 1, "b": 0}}, runs, "RR", holes=["bounds", "condensed"]))
    >>> chart.columns["run"], chart.columns["value"], chart.columns["high"]
    (['old', 'old', 'new', 'new'], [1.0, 1.0, 0.5, 1.0], [1.0, None, 0.5, None])
    """
    m = 0 if measure is None else pick(scores.measures, measure, "measure")
    if np.isnan(scores.means[:, m]).all():
        raise InputError(f"there is nothing to draw: {scores.measures[m]} is undefined for every run")
    names = short_names(scores.runs)
    means = np.nan_to_num(scores.means[0, m], nan=-np.inf)
    order = np.argsort(-means, kind="stable")
    shown, hidden = order[:top].tolist(), order[top:].tolist()
    thickness, sizes = _thickness(scores, m), theme.cycled(_SIZES, len(scores.holes))
    numbers = (scores.means, scores.mean_low, scores.mean_high, mean_known(scores.judged))
    rows = [
        (names[r], model, *(number_or_none(one[h, m, r]) for one in numbers), h == 0, thickness[h], sizes[h])
        for r in shown
        for h, model in enumerate(scores.holes)
    ]
    depth = scores.depths[m]
    several = len(scores.measures) > 1 and measure is None
    return ScoreIntervals(
        columns_of(("run", "holes", "value", "low", "high", "judged", "first", "thickness", "size"), rows),
        f"{scores.measures[m]} over {counted(len(scores.topics), 'topic')}",
        (
            *rest("best", len(shown), len(order), [float(scores.means[0, m, r]) for r in hidden]),
            *([f"{scores.measures[m]} is the first of {len(scores.measures)} measures."] if several else []),
            *_range_words(scores, m),
        ),
        scores.measures[m],
        "judged" if depth is None else f"judged@{depth}",
        inputs=scores.provenance.files,
    )


def _thickness(scores: Scores, m: int) -> list[float]:
    """Of the range of each hole model; 0 where it has none."""
    widths = mean_known(scores.mean_high[:, m] - scores.mean_low[:, m])
    with_range = [h for h in np.argsort(-widths).tolist() if not np.isnan(widths[h])]
    place = {h: min(i, len(_THICKNESS) - 1) for i, h in enumerate(with_range)}
    return [_THICKNESS[place[h]] if h in place else 0.0 for h in range(len(scores.holes))]


def _range_words(scores: Scores, m: int) -> list[str]:
    with_range = [h for h in range(len(scores.holes)) if not np.isnan(scores.mean_low[h, m]).all()]
    chance = [scores.holes[h] for h in with_range if scores.ranges[h] == "chance alone"]
    other = [scores.holes[h] for h in with_range if scores.ranges[h] != "chance alone"]
    return [
        *([f"Lines are what {' and '.join(other)} leave possible."] if other else []),
        *(
            [f"Lines of {' and '.join(chance)} are what chance alone would do if the model were right."]
            if chance
            else []
        ),
    ]
