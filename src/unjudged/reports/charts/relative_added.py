"""Absolute against relative effectiveness, as in Figure 2 of the normalized residual gain paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart
from unjudged.reports.charts.label_places import Box, Place, place_labels
from unjudged.reports.charts.naming import short_names
from unjudged.results.relative import AddedRun, Relative

__all__ = ["AddedEffectiveness", "relative"]

_SIDE = 420
_MOST_GROUPS = 14
"""Colours and shapes that can be told apart; groups beyond have one together."""
_ONE_GROUP, _OTHERS = "runs", "other groups"
_ROOM_ABOVE = 1.5
"""How far the axis goes on above the run that adds most, for what could hide in holes."""


@dataclass(frozen=True, eq=False, repr=False)
class AddedEffectiveness(Chart):
    """A point per run: its score, and what it adds to the others."""

    absolute: str = ""
    relative: str = ""
    heights: tuple[float, float] = (0.0, 1.0)
    """Ends of the vertical axis."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points with the names that have room, and thin lines for what could hide in the holes."""
        groups = sorted(self.distinct("group"), key=lambda group: group == _OTHERS)
        colour, shape = theme.signs(alt, "group", groups, legend=alt.Legend(columns=4, symbolOpacity=1))
        x_ends, y_ends = _ends(self.columns["absolute"]), self.heights
        x = alt.X("absolute:Q", title=self.absolute, scale=alt.Scale(domain=list(x_ends), nice=False, zero=False))
        y = alt.Scale(domain=list(y_ends), nice=False, zero=False)
        about = ["run:N", "group:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in ("absolute", "nrg", "high"))]
        base = alt.Chart(data)
        points = base.mark_point(
            size=52 if len(self.columns["run"]) <= 60 else 30, filled=True, opacity=1, color=theme.COLOURS[2]
        ).encode(
            x=x,
            y=alt.Y("nrg:Q", title=self.relative, scale=y),
            tooltip=about,
        )
        if len(groups) > 1:
            points = points.encode(color=colour, shape=shape)
        ranges = (
            base.transform_filter("isValid(datum.high)")
            .mark_rule(color=theme.FAINT, strokeWidth=0.7, clip=True)
            .encode(x=x, y=alt.Y("nrg:Q", title=self.relative, scale=y), y2="high:Q", tooltip=about)
        )
        names = [
            base.transform_filter(f"datum.label_align === '{align}'")
            .mark_text(fontSize=9, align=align, baseline="middle", color=theme.INK)
            .encode(
                x=alt.X("label_x:Q", scale=alt.Scale(domain=list(x_ends), nice=False, zero=False)),
                y=alt.Y("label_y:Q", scale=y),
                text="run:N",
            )
            for align in ("left", "center", "right")
        ]
        return alt.layer(ranges, points, *names).properties(width=_SIDE, height=_SIDE)


@chart(is_default=lambda _: True)
def relative(result: Relative, *, holes: str | None = None) -> AddedEffectiveness:
    """What runs score against what they add, under one hole model (the first unless named).

    As many names are written as have room; a chart in HTML shows all of them under the pointer.
    """
    first = holes or result.rows()[0].holes
    rows = [row for row in result.rows() if row.holes == first] or [result.run(result.rows()[0].run, first)]
    names = short_names([row.run for row in rows])
    groups, other_groups = _groups(rows)
    heights = _heights(rows)
    places = _label_places(rows, names, heights)
    columns: dict[str, list[Any]] = {
        "run": names,
        "group": groups,
        **{name: [getattr(row, name) for row in rows] for name in ("absolute", "nrg", "low", "high")},
        **{f"label_{name}": [one and getattr(one, name) for one in places] for name in Place._fields},
    }
    named = sum(one is not None for one in places)
    return AddedEffectiveness(
        columns,
        f"What {len(rows)} runs score, and what they add",
        (
            f"Prior runs: {result.priors}. {result.reading()}",
            *_range_words(rows, first, heights[1]),
            *([f"Names of {named} of {len(rows)} runs: those that have room."] if named < len(rows) else []),
            *([f"The other {other_groups} groups have one sign."] if other_groups else []),
        ),
        result.absolute,
        result.measure,
        heights,
        inputs=result.provenance.files,
    )


def _range_words(rows: list[AddedRun], holes: str, top: float) -> list[str]:
    highs = [row.high for row in rows if row.high is not None and row.high > row.nrg]
    cut = f"; {max(highs):.3f} at most" if highs and max(highs) > top else ""
    return [f"Thin lines: what could hide in unjudged documents ({holes}){cut}."] if highs else []


def _groups(rows: list[AddedRun]) -> tuple[list[str], int]:
    """The group of each run, those with most runs by name; and how many groups have no name of their own."""
    counts: dict[str, int] = {}
    for row in rows:
        if row.group is not None:
            counts[row.group] = counts.get(row.group, 0) + 1
    if not counts:
        return [_ONE_GROUP] * len(rows), 0
    by_size = sorted(counts, key=lambda group: (-counts[group], group))
    shown = by_size if len(by_size) <= _MOST_GROUPS else by_size[: _MOST_GROUPS - 1]
    names = dict(zip([None, *shown], short_names([_OTHERS, *shown]), strict=True))
    return [names.get(row.group, _OTHERS) for row in rows], len(by_size) - len(shown)


def _label_places(rows: list[AddedRun], names: list[str], heights: tuple[float, float]) -> list[Place | None]:
    """Where the names go, in the units of the axes: first those of the runs that add most or score best."""
    x_ends = _ends([row.absolute for row in rows])
    wide, high = x_ends[1] - x_ends[0], heights[1] - heights[0]
    points = [((row.absolute - x_ends[0]) / wide * _SIDE, (row.nrg - heights[0]) / high * _SIDE) for row in rows]
    tops = [(max(row.high or 0.0, row.nrg) - heights[0]) / high * _SIDE for row in rows]
    lines = [Box(x - 1, y, x + 1, top) for (x, y), top in zip(points, tops, strict=True)]
    by_nrg = sorted(range(len(rows)), key=lambda i: -rows[i].nrg)
    by_score = sorted(range(len(rows)), key=lambda i: -rows[i].absolute)
    order = list(dict.fromkeys(i for both in zip(by_nrg, by_score, strict=True) for i in both))
    placed = place_labels(points, names, order, Box(0, 0, _SIDE, _SIDE), lines)
    return [
        one and Place(x_ends[0] + one.x / _SIDE * wide, heights[0] + one.y / _SIDE * high, one.align) for one in placed
    ]


def _heights(rows: list[AddedRun]) -> tuple[float, float]:
    """Ends of the vertical axis: bounds may be far above all points, and are cut off there."""
    most = max(row.nrg for row in rows)
    bounds = [row.high for row in rows if row.high is not None]
    return _ends([*(row.nrg for row in rows), min(max(bounds, default=most), _ROOM_ABOVE * most)])


def _ends(values: list[float]) -> tuple[float, float]:
    """Of an axis: the values with some room around them."""
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.05
    return low - room, high + room
