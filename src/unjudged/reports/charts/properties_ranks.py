"""Which ranks runs have on other corpora, by each measure, as in Figure 5 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts.base import chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, short_names
from unjudged.reports.charts.panels import BoxPanels, panel_measures
from unjudged.results.properties import Properties
from unjudged.wording import counted

__all__ = ["RanksOnImages", "ranks_on_images"]


@dataclass(frozen=True, eq=False, repr=False)
class RanksOnImages(BoxPanels):
    """One line per run, one panel per measure: the middle half of its ranks as a box, all of them as a line."""

    def scale(self) -> dict[str, Any]:
        """All ranks, each with room to both sides."""
        return {"domain": [0.5, max(self.columns["high"]) + 0.5], "nice": False, "zero": False}


@chart()
def ranks_on_images(result: Properties, *, measure: str | None = None, top: int = TOP) -> RanksOnImages:
    """The ranks that the first *top* runs have when all are ordered anew on each image, by every measure or one.

    >>> import unjudged as uj
    >>> qrels = {topic: {"a": 1, "b": 0} for topic in "123456789"}
    >>> runs = {name: dict.fromkeys(qrels, {name: 1.0}) for name in "ab"}
    >>> chart = uj.plots.ranks_on_images(uj.properties(qrels, runs, "P@1", corpus=uj.CorpusBootstrap(corpus_size=90)))
    >>> chart.columns["run"], chart.columns["observed"], chart.columns["median"]
    (['a', 'b'], [1, 2], [1.0, 2.0])
    """
    shown, hidden_measures = panel_measures(result.measures, measure)
    names = short_names(result.on_topics.runs)
    rows = []
    for i, one in enumerate(shown):
        of = [row for row in result.runs() if row.measure == one]
        for name, row in zip(names[:top], of, strict=False):
            rows.append((name, i, row.rank, row.best, row.lower, row.median, row.upper, row.worst))
    hidden = [float(row.rank) for row in result.runs() if row.measure == shown[0]][top:]
    return RanksOnImages(
        columns_of(("run", "panel", "observed", "low", "lower", "median", "upper", "high"), rows),
        f"Ranks on {counted(result.images, 'image')} of the corpus",
        (
            *rest("best", min(top, len(names)), len(names), hidden, form=".0f"),
            *hidden_measures,
            f"Runs in the order of {result.by}; line all ranks, box the middle half, bar the median; diamond the rank"
            " on the corpus itself.",
        ),
        tuple(shown),
        inputs=result.provenance.files,
    )
