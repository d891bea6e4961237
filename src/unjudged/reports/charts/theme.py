"""How every chart looks: for print, in grey, and for readers who see colours differently."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "BAR",
    "COLOURS",
    "CONFIG",
    "DASHES",
    "FAINT",
    "FAINT_GRID",
    "INK",
    "RAMP",
    "SHAPES",
    "WIDTH",
    "cycled",
    "diagonal",
    "looks_scale",
    "signs",
]

INK = "#000000"
FAINT = "#767676"
"""What stands behind: bounds, diagonals, ranges. Grey enough to recede, dark enough to be read (4.5 to 1 on white)."""
BAR = "#bbbbbb"
FAINT_GRID = "#f0f0f0"

COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
"""Okabe and Ito's colours but yellow, which is too faint on paper; the first four differ most in grey."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2, 1, 2, 1, 2], [12, 4], [1, 4])
"""Shapes and dashes repeat what colours say. There is one shape more than there are colours, so that a colour and a
shape together tell more things apart than either alone."""

RAMP = ("#f7f7f7", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
"""From little to much: lightness falls all the way, so it survives a grey printer."""

WIDTH = 420
"""Pixels of a chart without its labels."""

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, 'Liberation Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 10,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": "#e5e5e5",
        "domainColor": FAINT,
        "tickColor": FAINT,
        "labelOverlap": True,
    },
    "axisQuantitative": {"labelFlush": False, "tickCount": 8},
    "axisBand": {"grid": False, "labelOverlap": False},
    "legend": {"labelFontSize": 10, "titleFontSize": 10, "labelLimit": 280, "orient": "bottom", "symbolSize": 60},
    "header": {"labelFontSize": 10, "titleFontSize": 11, "labelLimit": 280},
    "title": {
        "anchor": "start",
        "frame": "group",
        "fontSize": 13,
        "subtitleFontSize": 10.5,
        "subtitleColor": "#404040",
        "offset": 12,
        "limit": 900,
    },
}


def signs(alt: Any, field: str, values: Sequence[str], *, legend: Any = None) -> tuple[Any, Any]:
    """What tells values apart, in one legend: a colour and a shape for each."""
    legend = legend or alt.Legend(symbolOpacity=1)
    colours = alt.Scale(domain=values, range=cycled(COLOURS, len(values)))
    shapes = alt.Scale(domain=values, range=cycled(SHAPES, len(values)))
    return (
        alt.Color(f"{field}:N", title=None, scale=colours, legend=legend),
        alt.Shape(f"{field}:N", title=None, scale=shapes, legend=legend),
    )


def looks_scale(alt: Any, looks: Mapping[str, str], values: Collection[str]) -> Any:
    """A scale of those *looks*, colours or shapes by value, whose values occur."""
    shown = [value for value in looks if value in values]
    return alt.Scale(domain=shown, range=[looks[value] for value in shown])


def diagonal(alt: Any, values: Iterable[float]) -> tuple[Any, Any]:
    """A scale for both axes, on which all *values* have room, and the line on which both are the same."""
    low, high = min(ends := list(values)), max(ends)
    room = 0.05 * (high - low) or 0.05
    scale = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
    start = alt.datum(low - room, scale=scale)
    line = alt.Chart().mark_rule(color=FAINT, strokeWidth=0.8)
    return scale, line.encode(x=start, y=start, x2=alt.datum(high + room), y2=alt.datum(high + room))


def cycled(values: Sequence[Any], number: int) -> list[Any]:
    """The first *number* of them, from the start again where they run out."""
    return [values[i % len(values)] for i in range(number)]
