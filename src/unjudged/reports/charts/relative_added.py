"""Absolute against relative effectiveness, as in Figure 2 of the normalized residual gain paper."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import Box, Place, place_labels, short_names
from unjudged.reports.ranges import is_chance_alone
from unjudged.results.relative import AddedRun, Relative

__all__ = ["AddedEffectiveness", "against_absolute", "relative"]

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
    upwards: str = "nrg"
    """The column that says how high a point is."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points with the names that have room, and thin lines for what could hide in the holes."""
        groups = sorted(self.distinct("group"), key=lambda group: group == _OTHERS)
        colour, shape = theme.signs(alt, "group", groups, legend=alt.Legend(columns=4, symbolOpacity=1))
        x_scale, y_scale = (
            alt.Scale(domain=list(ends), nice=False, zero=False)
            for ends in (_ends(self.columns["absolute"]), self.heights)
        )
        numbers = [one for one in ("absolute", self.upwards, "high") if one in self.columns]
        base = alt.Chart(data)
        runs = base.encode(
            x=alt.X("absolute:Q", title=self.absolute, scale=x_scale),
            y=alt.Y(f"{self.upwards}:Q", title=self.relative, scale=y_scale),
            tooltip=["run:N", "group:N", *(alt.Tooltip(f"{one}:Q", format=".4f") for one in numbers)],
        )
        size = 52 if len(self.columns["run"]) <= 60 else 30
        points = runs.mark_point(size=size, filled=True, opacity=1, color=theme.COLOURS[2])
        if len(groups) > 1:
            points = points.encode(color=colour, shape=shape)
        names = [
            base.transform_filter(f"datum.label_align === '{align}'")
            .mark_text(fontSize=9, align=align, baseline="middle", color=theme.INK)
            .encode(x=alt.X("label_x:Q", scale=x_scale), y=alt.Y("label_y:Q", scale=y_scale), text="run:N")
            for align in ("left", "center", "right")
        ]
        layers = [points, *names]
        if "high" in self.columns:
            with_high = runs.transform_filter("isValid(datum.high)")
            layers.insert(0, with_high.mark_rule(color=theme.FAINT, strokeWidth=0.7, clip=True).encode(y2="high:Q"))
        return alt.layer(*layers).properties(width=_SIDE, height=_SIDE)


@chart(is_default=lambda _: True)
def relative(result: Relative, *, holes: str | None = None) -> AddedEffectiveness:
    """What runs score against what they add, under one hole model (the first unless named).

    As many names are written as have room; a chart in HTML shows all of them under the pointer. Colours and shapes are
    types of runs, where these are known, else groups.
    """
    first = holes or result.rows()[0].holes
    rows = [row for row in result.rows() if row.holes == first] or [result.run(result.rows()[0].run, first)]
    heights = _heights(rows)
    words = (f"Prior runs: {result.priors}. {result.reading()}", *_range_words(rows, first, heights[1]))
    return _drawn(result, rows, "nrg", result.measure, heights, "what they add", words)


def against_absolute(
    result: Relative, column: str, title: str, what: str, words: tuple[str, ...]
) -> AddedEffectiveness:
    """What runs score against a *column* that takes unjudged documents as not relevant; *title* is that of its axis."""
    rows = list({row.run: row for row in result.rows()}.values())  # the same under each hole model
    heights = _ends([getattr(row, column) for row in rows])
    return _drawn(result, rows, column, title, heights, what, (*words, "Unjudged documents count as not relevant."))


def _drawn(
    result: Relative,
    rows: list[AddedRun],
    column: str,
    title: str,
    heights: tuple[float, float],
    what: str,
    words: tuple[str, ...],
) -> AddedEffectiveness:
    names = short_names([row.run for row in rows])
    groups, other_groups = _groups(rows)
    bounds = ("low", "high") if column == "nrg" else ()
    values = [getattr(row, column) for row in rows]
    tops = [max(row.high or 0.0, row.nrg) for row in rows] if bounds else values
    places = _label_places([row.absolute for row in rows], values, tops, names, heights)
    columns: Columns = {
        "run": names,
        "group": groups,
        **{name: [getattr(row, name) for row in rows] for name in ("absolute", column, *bounds)},
        **{f"label_{name}": [one and getattr(one, name) for one in places] for name in Place._fields},
    }
    named = sum(one is not None for one in places)
    return AddedEffectiveness(
        columns,
        f"What {len(rows)} runs score, and {what}",
        (
            *words,
            *([f"Names of {named} of {len(rows)} runs: those that have room."] if named < len(rows) else []),
            *([f"The other {other_groups} groups have one sign."] if other_groups else []),
        ),
        result.absolute,
        title,
        heights,
        column,
        inputs=result.provenance.files,
    )


def _range_words(rows: list[AddedRun], holes: str, top: float) -> list[str]:
    highs = [row.high for row in rows if row.high is not None and row.high > row.nrg]
    cut = f"; {max(highs):.3f} at most" if highs and max(highs) > top else ""
    chance = "; what chance alone would do if the model were right" if is_chance_alone(holes) else ""
    return [f"Thin lines: what could hide in unjudged documents ({holes}){cut}{chance}."] if highs else []


def _groups(rows: list[AddedRun]) -> tuple[list[str], int]:
    """The type or group of each run, those with most runs by name; and how many have no name of their own."""
    kinds = [row.group if row.type is None else row.type for row in rows]
    counts = Counter(kind for kind in kinds if kind is not None)
    if not counts:
        return [_ONE_GROUP] * len(rows), 0
    by_size = sorted(counts, key=lambda kind: (-counts[kind], kind))
    shown = by_size if len(by_size) <= _MOST_GROUPS else by_size[: _MOST_GROUPS - 1]
    names = dict(zip([None, *shown], short_names([_OTHERS, *shown]), strict=True))
    return [names.get(kind, _OTHERS) for kind in kinds], len(by_size) - len(shown)


def _label_places(
    scores: list[float], values: list[float], tops: list[float], names: list[str], heights: tuple[float, float]
) -> list[Place | None]:
    """Where the names go, in the units of the axes: first those of the runs that add most or score best.

    A line goes from each point, its value, to its top.
    """
    x_ends = _ends(scores)
    wide, high = x_ends[1] - x_ends[0], heights[1] - heights[0]
    xs = [(score - x_ends[0]) / wide * _SIDE for score in scores]
    ys, upper = ([(one - heights[0]) / high * _SIDE for one in some] for some in (values, tops))
    points = list(zip(xs, ys, strict=True))
    lines = [Box(x - 1, y, x + 1, top) for x, y, top in zip(xs, ys, upper, strict=True)]
    by_value = sorted(range(len(values)), key=lambda i: -values[i])
    by_score = sorted(range(len(values)), key=lambda i: -scores[i])
    order = list(dict.fromkeys(i for both in zip(by_value, by_score, strict=True) for i in both))
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
