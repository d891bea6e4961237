"""Which ranks runs have on other corpora, by each measure, as in Figure 5 of the corpus bootstrapping paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjudged.reports.charts.base import Chart, chart, columns_of
from unjudged.reports.charts.naming import TOP, rest, short_names
from unjudged.reports.charts.panels import MOST_PANELS, box_panels, panel_words
from unjudged.results.properties import Properties
from unjudged.results.scores import pick
from unjudged.wording import counted

__all__ = ["RanksOnImages", "ranks_on_images"]

_ROW = 14


@dataclass(frozen=True, eq=False, repr=False)
class RanksOnImages(Chart):
    """One line per run, one panel per measure: the middle half of its ranks as a box, all of them as a line."""

    measures: tuple[str, ...] = ()

    def marks(self, alt: Any, data: Any) -> Any:
        """Boxes of ranks."""
        ends = [0.5, max(self.columns["high"]) + 0.5]
        scale = {"domain": ends, "nice": False, "zero": False}
        lines = self.distinct("run")
        return box_panels(alt, data, list(self.measures), lines, field="run", step=_ROW, scale=scale)


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
    wanted = result.measures if measure is None else (result.measures[pick(result.measures, measure, "measure")],)
    shown = wanted[:MOST_PANELS]
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
            *panel_words(len(shown), len(wanted)),
            f"Runs in the order of {result.by}; line all ranks, box the middle half, bar the median; diamond the rank"
            " on the corpus itself.",
        ),
        shown,
        inputs=result.provenance.files,
    )
