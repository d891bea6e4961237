"""Scores under several hole models: a table for each measure, in which models are columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.holes import hole_models
from unjudged.reports.cells import Table, percent
from unjudged.reports.model_names import short_model_names
from unjudged.reports.ranges import Ranges
from unjudged.reports.score_cells import COULD_BE, at_depth, cells_of_score, shares_of_score
from unjudged.results.scores import Scores, mean_known
from unjudged.wording import counted

__all__ = ["tables_by_measure"]

_LIKELY, _INTERVAL = "likely", "interval"

Topics = Sequence[tuple[str, tuple[int, ...]]]
"""What rows are about, and where that is in arrays: topics, or the summary of them all."""


class _Model(NamedTuple):
    """What is shown of a hole model about a measure."""

    h: int
    value: str
    """Header of its values; empty where these are the scores that stand beside them."""
    range: str
    """Header of what it says they lie between; empty where it says nothing."""
    labelled: bool
    rests: bool

    def header(self, at: str) -> Iterator[str]:
        """Its columns."""
        yield from filter(None, (self.value, self.range))
        if self.labelled:
            yield f"labelled{at}"
        if self.rests:
            yield "rests on labels"

    def cells(self, scores: Scores, at: tuple[int, ...], ranges: Ranges) -> Iterator[str]:
        """What is in them; *at* is a measure and a run, and a topic unless it is about the summary."""
        where = (self.h, *at)
        value, *between = cells_of_score(scores, where, ranges if self.range else None)
        if self.value:
            yield value
        yield from between
        _, labelled, rests = shares_of_score(scores, where, 3)
        if self.labelled:
            yield labelled
        if self.rests:
            yield rests


def tables_by_measure(scores: Scores, order: Sequence[int], topics: Topics) -> tuple[list[Table], list[str]]:
    """A table for each measure with a row for each run; measures with no more than a score have one together.

    Also what is said of ranges that promise less than they seem to, and what the columns are.
    """
    ranges = Ranges()
    tables, alone = [], []
    for m in range(len(scores.measures)):
        plain, models = _models(scores, m)
        if plain is not None and not models:
            alone.append(m)
        else:
            tables.append(_table(scores, [m], plain, models, order, topics, ranges))
    if alone:
        tables.append(_table(scores, alone, 0, [], order, topics, ranges))
    return tables, [*_words(scores), *ranges.words()]


def _models(scores: Scores, m: int) -> tuple[int | None, list[_Model]]:
    """Which model gives a measure's own score, if one does, and what is shown of those that have something to add."""
    parsed = [hole_models.parse(name) for name in scores.holes]
    asked = [h for h in range(len(parsed)) if scores.is_asked(h, m)]
    plain = next((h for h in asked if parsed[h].takes_as_nonrelevant), None)
    if plain is None:
        plain = next((h for h in asked if parsed[h].only_bounds and getattr(parsed[h], "point", "") != "upper"), None)
    models = []
    for h in asked:
        is_same = plain is not None and np.array_equal(scores.means[h, m], scores.means[plain, m], equal_nan=True)
        name = short_model_names(scores.holes)[h]
        value = "" if h == plain or (is_same and parsed[h].only_bounds) else name
        between = COULD_BE if scores.ranges[h] == "bounds" else _INTERVAL
        if np.isnan(scores.low[h, m]).all() and np.isnan(scores.mean_low[h, m]).all():
            between = ""
        elif not value:
            between = name
        if scores.chosen:  # there is one that has bounds and one that has an estimate
            value, between = value and _LIKELY, between and (_INTERVAL if value else COULD_BE)
        labelled, rests = (not np.isnan(one[h, m]).all() for one in (scores.labelled, scores.rests_on_labels))
        if value or between or labelled:
            models.append(_Model(h, value, between, labelled, rests))
    return plain, models


def _table(
    scores: Scores,
    measures: Sequence[int],
    plain: int | None,
    models: Sequence[_Model],
    order: Sequence[int],
    topics: Topics,
    ranges: Ranges,
) -> Table:
    """One row per run and topic. Shares are those of the first measure."""
    first, per_topic = measures[0], len(topics) > 1
    at = at_depth(scores, first)
    rows = []
    for r in order:
        for topic, t in topics:
            row = [scores.runs[r], *([topic] if per_topic else [])]
            if plain is not None:
                row += [cell for m in measures for cell in cells_of_score(scores, (plain, m, r, *t), None)]
            for model in models:
                row += model.cells(scores, (first, r, *t), ranges)
            judged = scores.judged[0, first, r]
            row.append(percent(float(judged[t] if t else mean_known(judged))))
            rows.append(row)
    keys = ["run", *(["topic"] if per_topic else [])]
    values = [] if plain is None else [scores.measures[m] for m in measures]
    header = [*keys, *values, *(name for model in models for name in model.header(at)), f"judged{at}"]
    names = ", ".join(scores.measures[m] for m in measures)
    title = names if plain is None and len(scores.measures) > 1 else ""
    return Table(header, rows, len(keys), _caption(scores, names, first, models), title, ".to_frame()")


def _caption(scores: Scores, names: str, m: int, models: Sequence[_Model]) -> str:
    depth = "" if scores.depths[m] is None else f" among the first {scores.depths[m]}"
    shown = ", ".join(scores.holes[model.h] for model in models)
    holes = f" Unjudged documents: {shown}." if shown else ""
    return f"{names} over {counted(len(scores.topics), 'topic')}.{holes} Judged: share of judged documents{depth}."


def _words(scores: Scores) -> list[str]:
    """What the columns are that have no model's name."""
    if not scores.chosen:
        return []
    parsed = [(name, hole_models.parse(name)) for name in scores.holes]
    bounds = " or ".join(name for name, model in parsed if model.only_bounds)
    words = [f"{COULD_BE}: whatever grades a run's own unjudged documents have ({bounds})."]
    likely = [f"{model.title[0].lower()}{model.title[1:]} ({name})" for name, model in parsed if model.draws]
    if likely:
        words.append(
            f"{_LIKELY}: {' or '.join(likely)}; what other runs found counts in ideal rankings, so it can be lower than"
            f" all that could be. {_INTERVAL}: what holds it as often as --interval says."
        )
    return words
