"""Which ranks runs can have, as in Figure 5 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, Columns, chart
from unjudged.reports.charts.naming import TOP, rest, run_axis, short_names
from unjudged.results.comparison import Comparison
from unjudged.wording import counted

__all__ = ["RankDistributions", "ranks"]

_ROW = 14
_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)
_NAMES = ("lowest", "lower", "median", "upper", "highest")


@dataclass(frozen=True, eq=False, repr=False)
class RankDistributions(Chart):
    """One line per run: the middle half of its ranks as a box, 95% of them as a line."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Boxes from the quantiles that the columns have."""
        y = run_axis(alt, self.distinct("run"), grid=True, gridColor=theme.FAINT_GRID)
        ranks = alt.Scale(domain=[0.5, max(self.columns["highest"]) + 0.5], nice=False, zero=False)
        axis = alt.Axis(title="rank", tickMinStep=1, format="d")
        base = alt.Chart(data).encode(y=y, tooltip=["run:N", "observed:Q", *(f"{name}:Q" for name in _NAMES)])
        whiskers = base.mark_rule(color=theme.INK).encode(x=alt.X("lowest:Q", scale=ranks, axis=axis), x2="highest:Q")
        boxes = base.mark_bar(color=theme.RAMP[1], stroke=theme.INK, strokeWidth=0.7, height=_ROW - 5).encode(
            x=alt.X("lower:Q", scale=ranks), x2="upper:Q"
        )
        medians = base.mark_tick(color=theme.INK, thickness=2.2, size=_ROW - 4).encode(x=alt.X("median:Q", scale=ranks))
        observed = base.mark_point(shape="diamond", size=30, filled=True, color=theme.COLOURS[4], opacity=1).encode(
            x=alt.X("observed:Q", scale=ranks)
        )
        return alt.layer(whiskers, boxes, medians, observed).properties(width=theme.WIDTH, height=alt.Step(_ROW))


@chart()
def ranks(comparison: Comparison, *, top: int = TOP) -> RankDistributions:
    """The ranks that the best *top* runs have when holes get other grades and topics are drawn anew.

    >>> import unjudged as uj
    >>> qrels = {topic: {"a": 1, "b": 0} for topic in "123456789"}
    >>> runs = {name: dict.fromkeys(qrels, {name: 1.0}) for name in "ab"}
    >>> chart = uj.plots.ranks(uj.compare(qrels, runs, "P@1"))
    >>> chart.columns["run"], chart.columns["observed"], chart.columns["median"]
    (['a', 'b'], [1, 2], [1, 2])
    """
    rows = comparison.rows()
    shares: dict[str, list[tuple[int, float]]] = {}
    for one in comparison.ranks():
        shares.setdefault(one.run, []).append((one.rank, one.share))
    quantiles = [_quantiles(shares[row.run]) for row in rows[:top]]
    columns: Columns = {
        "run": short_names([row.run for row in rows])[:top],
        "observed": [row.rank for row in rows[:top]],
        **{name: [of_run[i] for of_run in quantiles] for i, name in enumerate(_NAMES)},
    }
    return RankDistributions(
        columns,
        f"Ranks by {comparison.measure} over {counted(comparison.topics, 'topic')}",
        (
            *rest("best", len(quantiles), len(rows), [row.mean for row in rows[top:]]),
            f"{comparison.draws:,} draws of grades for unjudged documents and of topics: line 95% of the ranks, box the"
            " middle half, bar the median; diamond the rank with unjudged documents as not relevant.",
        ),
        inputs=comparison.provenance.files,
    )


def _quantiles(shares: list[tuple[int, float]]) -> list[int]:
    """The lowest ranks at which the sum of shares reaches each level."""
    ranks, weights = zip(*sorted(shares), strict=True)
    reached = np.cumsum(weights)
    # A share that is reached but for rounding is reached.
    at = np.searchsorted(reached, np.array(_LEVELS) * reached[-1] - 1e-9)
    return [int(ranks[i]) for i in at.tolist()]
