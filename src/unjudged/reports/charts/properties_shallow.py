"""Differences of two runs and their p-values with shallow pools, as in Figure 6 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import short_names
from unjudged.reports.charts.panels import panel_measures
from unjudged.results.properties import Properties
from unjudged.results.tabular import number_or_none
from unjudged.wording import counted

__all__ = ["ShallowPools", "depth_name", "pair_of", "shallow_pools"]

_MOST_IMAGES = 200
"""More points would lie on each other."""


@dataclass(frozen=True, eq=False, repr=False)
class ShallowPools(Chart):
    """A panel per measure: a point for each image and depth of the pool."""

    test: str = ""

    def marks(self, alt: Any, data: Any) -> Any:
        """Small points for images, a large one for the corpus itself."""
        depths = self.distinct("judged")
        colour, shape = theme.signs(alt, "judged", depths)
        x = alt.X("difference:Q", title="difference of the means", scale=alt.Scale(zero=True, nice=True))
        y = alt.Y(
            "p:Q",
            title=f"p-value ({self.test})",
            scale=alt.Scale(type="sqrt", domain=[0, 1], nice=False),
            axis=alt.Axis(format="~g", values=[0, 0.01, 0.05, 0.1, 0.2, 0.5, 1]),
        )
        about = ["judged:N", *(alt.Tooltip(f"{one}:Q", format=".3~g") for one in ("difference", "p"))]
        base = alt.Chart().encode(x=x, y=y, tooltip=about)
        images = (
            base.transform_filter("!datum.itself")
            .mark_point(size=16, filled=True, opacity=0.5)
            .encode(color=colour, shape=shape)
        )
        itself = (
            base.transform_filter("datum.itself")
            .mark_point(size=110, filled=True, opacity=1, stroke=theme.INK, strokeWidth=1.2)
            .encode(fill=alt.Fill("judged:N", scale=_same(alt, depths, theme.COLOURS), legend=None), shape=shape)
        )
        return (
            alt.layer(images, itself, data=data)
            .properties(width=230, height=210)
            .facet(facet=alt.Facet("measure:N", title=None, sort=alt.EncodingSortField("panel", op="min")), columns=2)
            .resolve_scale(x="independent")
        )


def _same(alt: Any, values: list[str], colours: tuple[str, ...]) -> Any:
    return alt.Scale(domain=values, range=theme.cycled(colours, len(values)))


@chart()
def shallow_pools(result: Properties, *, run: str | None = None, other: str | None = None) -> ShallowPools:
    """Differences and p-values of two runs (the first pair unless named) on images, when only so much is judged."""
    i = pair_of(result, run, other)
    pools = result.shallow_pools
    shown, hidden_measures = panel_measures(result.measures, None)
    itself = {(row[:3], row.depth): row for row in result.shallow_pairs()}
    rows: list[tuple[Any, ...]] = []
    for m, measure in enumerate(shown):
        for d, depth in enumerate(pools.depths):
            both = zip(pools.differences[i, m, d].tolist(), pools.p[i, m, d].tolist(), strict=True)
            points = [tuple(map(number_or_none, one)) for one in both][:_MOST_IMAGES]
            root = itself[(measure, *pools.pairs[i]), depth]
            rows += [(m, measure, depth_name(depth), *one, False) for one in points]
            rows.append((m, measure, depth_name(depth), root.difference, root.p, True))
    rows = [row for row in rows if row[3] is not None and row[4] is not None]
    first, second = short_names(pools.pairs[i])
    images = min(_MOST_IMAGES, result.images)
    return ShallowPools(
        columns_of(("panel", "measure", "judged", "difference", "p", "itself"), rows),
        f"{first} less {second}, when only their first documents are judged",
        (
            *hidden_measures,
            f"Small: {counted(images, 'image')} of the corpus; large: the corpus itself. Paired test over"
            f" {counted(len(result.on_topics.topics), 'topic')}.",
        ),
        result.test,
        inputs=result.provenance.files,
    )


def pair_of(result: Properties, run: str | None, other: str | None) -> int:
    """The place of a pair among those that were tried; the first unless both runs are named."""
    pairs = result.shallow_pools.pairs
    if not pairs:
        raise InputError("no shallow pools were tried: use --shallow 10")
    if run is None and other is None:
        return 0
    for i, pair in enumerate(pairs):
        if set(pair) == {run, other}:
            return i
    raise InputError(
        f"no shallow pools of {run!r} and {other!r}; the first pair is {pairs[0][0]!r} and {pairs[0][1]!r}"
    )


def depth_name(depth: int | None) -> str:
    """What is judged."""
    return "all judgments" if depth is None else f"first {depth}"
