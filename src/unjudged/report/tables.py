"""Scores as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unjudged.data.scores import ALL_TOPICS, ScoreRow, Scores, mean_known
from unjudged.report import layout
from unjudged.report.explained import explained_holes
from unjudged.report.models import model_words

__all__ = ["render_scores"]

_LAYOUTS: dict[str, Callable[..., str]] = {
    "table": layout.aligned,
    "markdown": layout.markdown,
    "latex": layout.latex,
}


def render_scores(scores: Scores, form: str, *, per_topic: bool = False) -> str:
    """Scores in one of the formats ``table``, ``markdown``, ``latex``, ``tsv``, ``csv``, ``json``."""
    if form == "json":
        return scores.to_json(per_topic=per_topic)
    if form in {"tsv", "csv"}:
        rows = [*scores.mean(), *(scores.per_topic() if per_topic else ())]
        cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
        return layout.delimited(ScoreRow._fields, cells, "\t" if form == "tsv" else ",")
    header, body, left = _wide(scores, per_topic=per_topic)
    if form == "table" and layout.table_width(header, body) > max(layout.screen_width(), 80):
        header, body, left = _long(scores, per_topic=per_topic)
    table = _LAYOUTS[form](header, body, left=left)
    words = model_words(scores.models) if form != "latex" else []
    return "\n\n".join([table, *words, *explained_holes(scores.explained, form)])


def _wide(scores: Scores, *, per_topic: bool) -> tuple[list[str], list[list[str]], int]:
    """One row per run (hole model, topic), one column per measure, and the shares that go with the first measure."""
    several = len(scores.holes) > 1
    depth = scores.depths[0]
    keys = ["run", *(["holes"] if several else []), *(["topic"] if per_topic else [])]
    shares = _share_names(scores, "" if depth is None else f"@{depth}")
    rows = []
    for r in _best_first(scores):
        for h, hole in enumerate(scores.holes):
            lead = [scores.runs[r], *([hole] if several else [])]
            if per_topic:
                for t, topic in enumerate(scores.topics):
                    values = [_cell(scores, (h, m, r, t)) for m in range(len(scores.measures))]
                    rows.append([*lead, topic, *values, *_shares(scores, (h, 0, r, t), len(shares))])
                lead.append(ALL_TOPICS)
            values = [_cell(scores, (h, m, r)) for m in range(len(scores.measures))]
            rows.append([*lead, *values, *_shares(scores, (h, 0, r), len(shares))])
    return [*keys, *scores.measures, *shares], rows, len(keys)


def _long(scores: Scores, *, per_topic: bool) -> tuple[list[str], list[list[str]], int]:
    """One row per number, for more measures than fit side by side."""
    several = len(scores.holes) > 1
    keys = ["run", "measure", *(["holes"] if several else []), *(["topic"] if per_topic else [])]
    shares = _share_names(scores, "")
    rows = []
    for r in _best_first(scores):
        for m, measure in enumerate(scores.measures):
            for h, hole in enumerate(scores.holes):
                lead = [scores.runs[r], measure, *([hole] if several else [])]
                if per_topic:
                    for t, topic in enumerate(scores.topics):
                        at = (h, m, r, t)
                        rows.append([*lead, topic, _cell(scores, at), *_shares(scores, at, len(shares))])
                    lead.append(ALL_TOPICS)
                rows.append([*lead, _cell(scores, (h, m, r)), *_shares(scores, (h, m, r), len(shares))])
    return [*keys, "value", *shares], rows, len(keys)


def _best_first(scores: Scores) -> Sequence[int]:
    first = np.nan_to_num(scores.means[0, 0], nan=-np.inf)
    return np.argsort(-first, kind="stable").tolist()  # type: ignore[no-any-return]


def _cell(scores: Scores, at: tuple[int, ...]) -> str:
    """A value and, where there are bounds, what it lies between; *at* with a topic, or without for the summary."""
    arrays = (scores.means, scores.mean_low, scores.mean_high)
    if len(at) == scores.values.ndim:
        arrays = (scores.values, scores.low, scores.high)
    value, low, high = (_number(array[at], scores.counts[at[1]]) for array in arrays)
    return value if low == high == _UNKNOWN else f"{value} ({low}-{high})"


def _share_names(scores: Scores, at: str) -> list[str]:
    """Columns that say what a score rests on: how much was judged and, where labels are used, how much is theirs."""
    labelled, rests = (not bool(np.isnan(one).all()) for one in (scores.labelled, scores.rests_on_labels))
    return [f"judged{at}", *([f"labelled{at}"] if labelled else []), *(["rests on labels"] if rests else [])]


def _shares(scores: Scores, at: tuple[int, ...], columns: int) -> list[str]:
    """The first *columns* of these shares; *at* as for :func:`_cell`."""
    one_topic = len(at) == scores.values.ndim
    shares = [array[at] if one_topic else mean_known(array[at]) for array in (scores.judged, scores.labelled)]
    shares.append(scores.rests_on_labels[at] if one_topic else scores.mean_rests_on_labels[at])
    return [_percent(float(share)) for share in shares[:columns]]


_UNKNOWN = "-"


def _number(value: float, is_count: bool) -> str:
    if np.isnan(value):
        return _UNKNOWN
    return f"{value:.0f}" if is_count else f"{value:.4f}"


def _percent(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1%}"
