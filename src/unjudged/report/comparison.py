"""A comparison of runs as tables."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from unjudged.data.comparison import Comparison, PairRow
from unjudged.report import layout
from unjudged.report.models import model_words

__all__ = ["render_comparison"]

_LAYOUTS: dict[str, Callable[..., str]] = {
    "table": layout.aligned,
    "markdown": layout.markdown,
    "latex": layout.latex,
}
_ALL_PAIRS = 15
"""Pairs that tables for readers show; of more, they show the neighbours in the ranking, and those with the best."""
_ALL_RANKS = 10
"""Runs up to which tables for readers show how often each run has each rank."""


def render_comparison(comparison: Comparison, form: str) -> str:
    """A comparison in one of the formats ``table``, ``markdown``, ``latex``, ``tsv``, ``csv``, ``json``.

    ``tsv`` and ``csv`` have the pairs.
    """
    if form == "json":
        return comparison.to_json()
    if form in {"tsv", "csv"}:
        cells = [["" if cell is None else str(cell) for cell in row] for row in comparison.pairs()]
        return layout.delimited(PairRow._fields, cells, "\t" if form == "tsv" else ",")
    tables = [_runs(comparison), _pairs(comparison, form), *_rank_table(comparison), _budget(comparison)]
    if form == "table":
        tables = [(header, layout.shortened(header, rows, left), left) for header, rows, left in tables]
    lay = _LAYOUTS[form]
    parts = [lay(header, rows, left=left) for header, rows, left in tables]
    if form == "latex":
        return "\n\n".join(parts)
    words = _words(comparison)
    parts += model_words(comparison.models)
    if form == "table":
        words = [textwrap.fill(text, max(layout.screen_width(), layout.WIDEST)) for text in words]
    return "\n\n".join([*parts, "\n".join(words)])


Table = tuple[list[str], list[list[str]], int]


def _runs(comparison: Comparison) -> Table:
    at = "" if comparison.depth is None else f"@{comparison.depth}"
    rows = [
        [
            row.run,
            f"{row.mean:.4f}",
            _range(row.low, row.high),
            _percent(row.judged),
            _ranks(row.rank_low, row.rank_high),
        ]
        for row in comparison.rows()
    ]
    return ["run", comparison.measure, "95% interval", f"judged{at}", "ranks"], rows, 1


def _pairs(comparison: Comparison, form: str) -> Table:
    """All columns where there is room, else without the interval and the uncorrected p."""
    full = _pair_table(comparison, full=True)
    if form == "table" and layout.table_width(full[0], full[1]) > max(layout.screen_width(), layout.WIDEST):
        return _pair_table(comparison, full=False)
    return full


def _pair_table(comparison: Comparison, *, full: bool) -> Table:
    """Pairs without a verdict are of a measure about which holes say nothing."""
    rows = [
        [
            row.run,
            row.other,
            _signed(row.difference),
            *([_range(row.low, row.high, signed=True), _p(row.p)] if full else []),
            _p(row.corrected_p),
            *([_range(row.worst, row.best, signed=True), f"{row.p_greater:.2f}", row.verdict] if row.verdict else []),
        ]
        for row in _shown(comparison)
    ]
    more = ["95% interval", "p"] if full else []
    about_holes = ["worst to best", "P(A>B)", "verdict"] if _has_verdicts(comparison) else []
    return ["A", "B", "A - B", *more, f"p ({comparison.correction})", *about_holes], rows, 2


def _has_verdicts(comparison: Comparison) -> bool:
    return any(row.verdict for row in comparison.pairs())


def _shown(comparison: Comparison) -> list[PairRow]:
    pairs = comparison.pairs()
    if comparison.baseline is not None or len(pairs) <= _ALL_PAIRS:
        return list(pairs)
    place = {row.run: i for i, row in enumerate(comparison.rows())}
    return [row for row in pairs if 0 in (place[row.run], place[row.other]) or _apart(place, row) == 1]


def _apart(place: dict[str, int], row: PairRow) -> int:
    return abs(place[row.run] - place[row.other])


def _rank_table(comparison: Comparison) -> list[Table]:
    """How often each run has each rank, where that fits."""
    runs = [row.run for row in comparison.rows()]
    if len(runs) > _ALL_RANKS:
        return []
    shares = {(row.run, row.rank): f"{row.share:.0%}" for row in comparison.ranks()}
    ranks = range(1, len(runs) + 1)
    return [(["rank", *map(str, ranks)], [[run, *(shares.get((run, rank), "") for rank in ranks)] for run in runs], 1)]


def _budget(comparison: Comparison) -> Table:
    """The sources that were looked at."""
    sources = ("holes", "topics", "corpus", "together")
    known = [name for name in sources if any(getattr(row, name) is not None for row in comparison.budget())]
    if len(known) == 2:  # one source alone is all there is
        known.remove("together")
    rows = [[row.run, *(f"{getattr(row, name):.4f}" for name in known)] for row in comparison.budget()]
    return ["uncertainty (sd)", *known], rows, 1


def _words(comparison: Comparison) -> list[str]:
    hidden = len(comparison.pairs()) - len(_shown(comparison))
    words = [comparison.summary()]
    if _has_verdicts(comparison):
        words.append("Verdicts are about the holes on these topics; p-values are about other topics.")
    if hidden:
        words.append(f"{hidden} pairs are not shown; -f json, tsv and csv have all of them.")
    if any(row.bounds == "conservative" and row.worst is not None for row in comparison.pairs()):
        words.append(f"Worst and best are conservative: {comparison.measure} is not a sum over documents.")
    return words


# ---- cells


def _range(low: float | None, high: float | None, *, signed: bool = False) -> str:
    if low is None or high is None:
        return "-"
    return f"{_signed(low)} {_signed(high)}" if signed else f"{low:.4f} {high:.4f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}" if abs(value) >= 0.0005 else "0.000"


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"
