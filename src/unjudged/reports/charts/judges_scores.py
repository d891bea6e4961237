"""What runs score by labels alone against what they score by judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import rest, short_names
from unjudged.results.comparison import SIGNIFICANT
from unjudged.results.judges import Judges
from unjudged.wording import counted

__all__ = ["MachineScores", "machine_scores"]

_TOP = 6
_LOOKS = {"favoured": ("triangle-up", 4), "as expected": ("circle", 2), "put at a disadvantage": ("triangle-down", 1)}


@dataclass(frozen=True, eq=False, repr=False)
class MachineScores(Chart):
    """A panel for each judge; on the diagonal, labels give a run the score that judgments give it."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Points, with a sign for runs that labels favour or not."""
        scale, diagonal = theme.diagonal(alt, [*self.columns["human"], *self.columns["machine"]])
        shown = [name for name in _LOOKS if name in self.columns["is"]]
        shapes = alt.Scale(domain=shown, range=[_LOOKS[name][0] for name in shown])
        colours = alt.Scale(domain=shown, range=[theme.COLOURS[_LOOKS[name][1]] for name in shown])
        numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("human", "machine", "favour", "p")]
        points = (
            alt.Chart()
            .mark_point(size=34, filled=True, opacity=0.85)
            .encode(
                x=alt.X("human:Q", title="score by judgments", scale=scale),
                y=alt.Y("machine:Q", title="score by labels alone", scale=scale),
                color=alt.Color("is:N", title=None, scale=colours),
                shape=alt.Shape("is:N", title=None, scale=shapes),
                tooltip=["run:N", "group:N", *numbers],
            )
        )
        return (
            alt.layer(diagonal, points, data=data)
            .properties(width=190, height=190)
            .facet(facet=alt.Facet("panel:N", title=None, sort=alt.EncodingSortField("place", op="min")), columns=3)
        )


@chart(is_default=lambda result: bool(result.orders()))
def machine_scores(result: Judges, *, top: int = _TOP) -> MachineScores:
    """The score of each run by labels alone and by judgments, for the first *top* judges. Needs runs."""
    if not result.orders():
        raise InputError("no runs were given, so there are no scores: give runs after the labels")
    judges = [row.judge for row in result.judges()]
    # Facets look names up in a plain object of JavaScript, which a number in front keeps them apart from.
    names = {judge: f"{i}. {name}" for i, (judge, name) in enumerate(zip(judges, short_names(judges), strict=True), 1)}
    kept, place = set(judges[:top]), {judge: i for i, judge in enumerate(judges)}

    def expected(p: float, favour: float) -> str:
        if p >= SIGNIFICANT:
            return "as expected"
        return "favoured" if favour > 0 else "put at a disadvantage"

    rows = [
        (
            *(
                place[row.judge],
                names[row.judge],
                row.run,
                row.group,
                row.human,
                row.machine,
                row.favour,
                row.corrected_p,
            ),
            expected(row.corrected_p, row.favour),
        )
        for row in result.runs()
        if row.judge in kept
    ]
    return MachineScores(
        columns_of(("place", "panel", "run", "group", "human", "machine", "favour", "p", "is"), rows),
        f"{result.measure} of {counted(result.orders()[0].runs, 'run')} by labels and by judgments",
        (
            *rest("first", len(kept), len(judges), of="judges"),
            f"Favoured: higher by labels than others of its score by judgments (p < {SIGNIFICANT}, corrected).",
        ),
        inputs=result.provenance.files,
    )
