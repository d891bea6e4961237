"""How far all pairs of judges agree, people among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts import theme
from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import names_axis, rest, run_axis, short_names
from unjudged.results.judges import HUMAN, Judges
from unjudged.wording import counted

__all__ = ["AgreementMatrix", "judges_agreement"]

_TOP = 40
_CELL = 16


@dataclass(frozen=True, eq=False, repr=False)
class AgreementMatrix(Chart):
    """A cell for each pair of judges: the darker, the higher the weighted kappa."""

    def marks(self, alt: Any, data: Any) -> Any:
        """Cells."""
        names = self.distinct("judge")
        x = alt.X(
            "other:N",
            title=None,
            scale=alt.Scale(domain=names),
            axis=names_axis(alt, labelAngle=-90, orient="top", ticks=False),
        )
        fill = alt.Fill(
            "weighted_kappa:Q",
            title="weighted kappa",
            scale=alt.Scale(domain=[0, 1], range=list(theme.RAMP), clamp=True),
        )
        numbers = [
            alt.Tooltip(f"{name}:Q", format=".3f") for name in ("weighted_kappa", "kappa", "alpha_ordinal", "exact")
        ]
        cells = alt.Chart(data).mark_rect(stroke=theme.FAINT, strokeWidth=0.4)
        return cells.encode(
            x=x, y=run_axis(alt, names, field="judge", ticks=False), fill=fill, tooltip=["judge:N", "other:N", *numbers]
        ).properties(width=alt.Step(_CELL), height=alt.Step(_CELL))


@chart()
def judges_agreement(result: Judges, *, top: int = _TOP) -> AgreementMatrix:
    """Weighted kappa of all pairs of the first *top* judges, and of each with people; nearest to people first."""
    by_people = {row.judge: row.weighted_kappa for row in result.pairs() if row.other == HUMAN}
    given = [row.judge for row in result.judges()]
    kept = given[:top]
    order = [HUMAN, *sorted(kept, key=lambda judge: -(by_people[judge] or 0.0))]
    names = dict(zip(order, short_names(order), strict=True))
    rows = []
    for row in result.pairs():
        if row.judge in names and row.other in names:
            numbers = (row.weighted_kappa, row.kappa, row.alpha_ordinal, row.exact)
            rows += [(names[row.judge], names[row.other], *numbers), (names[row.other], names[row.judge], *numbers)]
    place = {name: i for i, name in enumerate(names.values())}
    rows.sort(key=lambda one: (place[one[0]], place[one[1]]))
    return AgreementMatrix(
        columns_of(("judge", "other", "weighted_kappa", "kappa", "alpha_ordinal", "exact"), rows),
        f"Agreement of {counted(len(kept), 'judge')} with people and with each other",
        (*rest("first", len(kept), len(given), of="judges"), "Cohen's kappa, weighted by squared distance."),
        inputs=result.provenance.files,
    )
