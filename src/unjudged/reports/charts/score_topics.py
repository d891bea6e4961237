"""What a run could score on each topic, as in Figure 1 of the bootstrapped nDCG paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.arrays import Floats
from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import rest, short_names
from unjudged.results.distributions import Distribution
from unjudged.results.scores import Scores, mean_known, pick

__all__ = ["TopicDistributions", "topics"]

_TOPICS = 16
_BINS = 50
_ROW = 34


@dataclass(frozen=True, eq=False, repr=False)
class TopicDistributions(Chart):
    """One line per topic: how likely each score is, and what other hole models say."""

    measure: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Small histograms above each other, with points on their floor."""
        models = self.distinct("holes")
        x = alt.Scale(domain=_ends([*self.columns["from"], *self.columns["to"]]), nice=False)
        colour, shape = theme.signs(alt, "holes", models)
        height = alt.Scale(domain=[-0.18, 1.05], nice=False)
        bars = (
            alt.Chart()
            .transform_filter("isValid(datum.share)")
            .mark_rect(color=theme.RAMP[1], stroke=theme.RAMP[2], strokeWidth=0.5, aria=False)
            .encode(
                x=alt.X("from:Q", title=self.measure, scale=x),
                x2="to:Q",
                y=alt.Y("height:Q", axis=None, scale=height),
                y2=alt.datum(0),
                tooltip=["topic:N", "from:Q", "to:Q", alt.Tooltip("share:Q", format=".1%")],
            )
        )
        on_floor = alt.Chart().transform_filter("isValid(datum.holes)").encode(y=alt.datum(0, scale=height))
        ranges = on_floor.mark_rule(color=theme.FAINT).encode(x=alt.X("from:Q", scale=x), x2="to:Q")
        points = on_floor.mark_point(size=46, filled=True, opacity=1).encode(
            x=alt.X("value:Q", scale=x),
            color=colour,
            shape=shape,
            tooltip=["topic:N", "holes:N", alt.Tooltip("value:Q", format=".4f")],
        )
        return (
            alt.layer(bars, ranges, points, data=data)
            .properties(width=theme.WIDTH, height=_ROW)
            .facet(
                row=alt.Row(
                    "topic:N",
                    title=None,
                    sort=alt.EncodingSortField("place", op="min"),
                    header=alt.Header(labelAngle=0, labelAlign="left", labelOrient="left", labelPadding=8),
                ),
                spacing=2,
            )
        )


@chart()
def topics(
    scores: Scores, *, run: str | None = None, measure: str | None = None, top: int = _TOPICS
) -> TopicDistributions:
    """What a *run* could score on the *top* topics that are least certain; needs ``holes="bootstrap"`` or alike.

    Bars are how likely a score is. Points are the values of all hole models that were scored, lines their ranges. The
    run is the one with the smallest share judged, unless named.
    """
    m = 0 if measure is None else pick(scores.measures, measure, "measure")
    drawn = sorted({h for h, at, _ in scores.distributions if at == m})
    if not drawn:
        raise InputError("none of the hole models has a distribution; use holes='bootstrap'")
    h = drawn[0]
    r = _least_judged(scores, m) if run is None else pick(scores.runs, run, "run")
    if (h, m, r) not in scores.distributions:
        raise InputError(f"{scores.measures[m]} has no distribution: holes make no difference to it")
    distributions = scores.distributions[h, m, r]
    spread = np.array([one.std() for one in distributions])
    order = [t for t in np.argsort(-spread, kind="stable").tolist() if spread[t] > 0][:top]
    if not order:
        raise InputError(f"there is nothing to draw: every score of {scores.runs[r]} is known on every topic")
    ends = [end for t in order for end in (distributions[t].values.min(), distributions[t].values.max())]
    edges = np.linspace(min(ends), max(ends), _BINS + 1)
    names = short_names([scores.topics[t] for t in order])
    rows: list[tuple[Any, ...]] = []
    for place, (t, name) in enumerate(zip(order, names, strict=True)):
        rows += [(place, name, *bar, None, None) for bar in _bars(distributions[t], edges)]
        rows += [(place, name, *_model(scores, (i, m, r, t))) for i in range(len(scores.holes))]
    uncertain = int((spread > 0).sum())
    return TopicDistributions(
        columns_of(("place", "topic", "from", "to", "share", "height", "holes", "value"), rows),
        f"{scores.measures[m]} of {scores.runs[r]}: what it could be, topic by topic",
        (
            *(
                [f"Of {len(scores.runs)} runs, the one with the smallest share judged."]
                if run is None and len(scores.runs) > 1
                else []
            ),
            *rest("least certain", len(order), uncertain, of="topics that are not certain"),
            f"Bars: how likely a score is, by {scores.holes[h]}; each line of bars has its own height.",
        ),
        scores.measures[m],
        inputs=scores.provenance.files,
    )


def _ends(values: list[float]) -> list[float]:
    """Of an axis: whole tenths around the values."""
    return [math.floor(10 * min(values) + 1e-9) / 10, math.ceil(10 * max(values) - 1e-9) / 10]


def _least_judged(scores: Scores, m: int) -> int:
    return int(np.nanargmin(mean_known(scores.judged[0, m])))


def _bars(distribution: Distribution, edges: Floats) -> list[tuple[float, float, float, float]]:
    """Where each bar starts and ends, the share of the scores in it, and that share over the highest one."""
    shares, _ = np.histogram(distribution.values, edges, weights=distribution.weights)
    shares = shares / shares.sum()
    return [
        (float(edges[i]), float(edges[i + 1]), float(shares[i]), float(shares[i] / shares.max()))
        for i in np.flatnonzero(shares).tolist()
    ]


def _model(scores: Scores, at: tuple[int, int, int, int]) -> tuple[Any, ...]:
    """The cells of a hole model on one topic: its range, or its value twice where it has none."""
    value, low, high = (float(one[at]) for one in (scores.values, scores.low, scores.high))
    low, high = (value if np.isnan(end) else end for end in (low, high))
    return low, high, None, None, scores.holes[at[0]], value
