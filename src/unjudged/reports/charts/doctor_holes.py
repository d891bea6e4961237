"""Where the holes are: how much is judged at each rank of each run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.errors import InputError
from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.diagnosis import Diagnosis

__all__ = ["HoleMap", "holes"]

_ROW = 13
_RANKS = 50


@dataclass(frozen=True, eq=False, repr=False)
class HoleMap(Chart):
    """A line per run, a cell per rank: the darker, the fewer of its documents there are judged."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Cells; where a single topic is shown, they are judged or not."""
        ranks = max(self.columns["rank"])
        x = alt.X(
            "rank:O",
            title="rank",
            axis=alt.Axis(labelAngle=0, values=[one for one in range(1, ranks + 1) if one == 1 or one % 5 == 0]),
        )
        y = run_axis(alt, self.distinct("run"))
        colour = alt.Color(
            "unjudged:Q",
            title="not judged",
            scale=alt.Scale(domain=[0, 1], range=list(theme.RAMP), clamp=True),
            legend=alt.Legend(format="%", gradientLength=180, direction="horizontal"),
        )
        about = ["run:N", "rank:O", alt.Tooltip("unjudged:Q", format=".1%")]
        return (
            alt.Chart(data)
            .mark_rect(aria=False)  # a screen reader would read out thousands of cells
            .encode(x=x, y=y, color=colour, tooltip=about)
            .properties(width=alt.Step(max(5, min(12, 450 // ranks))), height=alt.Step(_ROW))
        )


@chart(is_default=lambda _: True)
def holes(diagnosis: Diagnosis, *, top: int = TOP, ranks: int = _RANKS) -> HoleMap:
    """The share of topics whose document is not judged, at each of the first *ranks* ranks; the *top* runs with most.

    >>> import unjudged as uj
    >>> chart = uj.plots.holes(uj.doctor({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"x": 2.0, "a": 1.0}}}))
    >>> chart.columns
    {'run': ['mine', 'mine'], 'rank': [1, 2], 'unjudged': [1.0, 0.0]}
    """
    judged_runs = [run for run in diagnosis.runs if run.judged_at]
    if not judged_runs:
        raise InputError("there is nothing to draw: no run has a judged topic")
    shares = {run.name: [1 - one for one in run.judged_at[:ranks]] for run in judged_runs}
    mean = {name: sum(values) / len(values) for name, values in shares.items()}
    order = sorted(shares, key=lambda name: -mean[name])
    shown = order[:top]
    short = dict(zip(order, short_names(order), strict=True))
    cells = [(short[name], rank, one) for name in shown for rank, one in enumerate(shares[name], start=1)]
    deepest = max(len(values) for values in shares.values())
    return HoleMap(
        columns_of(("run", "rank", "unjudged"), cells),
        f"Holes in the first {deepest} ranks",
        (
            *rest("most incomplete", len(shown), len(order), [mean[name] for name in order[top:]], form=".1%"),
            "Share of the topics on which the document at this rank is not judged.",
        ),
        inputs=diagnosis.provenance.files,
    )
