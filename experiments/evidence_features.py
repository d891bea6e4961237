"""Features of `evidence`: each left out in turn, and others that were tried and not taken.

Used by `evidence.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from collections_at_hand import Collection, markdown_table
from evidence_trials import ONE_MODEL, error_cells, held_at_90, one_team_out, run_cases
from team_trials import DEPTH, Floats

from unjudged.data.groups import fingerprint
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.holes.evidence_model.pool_contributions import FEATURES, Contributions, Described

Change = Callable[[Contributions, int, Described], Described]
FARTHEST = 2000
"""Rank that a document counts as having where nobody else returns it."""


def ablation(collection: Collection, occurrences: OccurrencesInRuns) -> str:
    """nDCG@10 without each of the features, with some alone, and with more."""
    settings: dict[str, Change] = {"all features": without(())}
    settings |= {f"without *{name}*": without((name,)) for name in FEATURES}
    quality = ("run on topic", "run", "judged")
    settings["without the runs' own quality (*run on topic*, *run*, *judged*)"] = without(quality)
    settings["*support* and *rank* only"] = without((*quality, "pool"))
    settings["no feature: the rate of unique contributions"] = without(FEATURES)
    gap, level = score_columns(collection)
    tried = {
        "best rank in other groups": best_rank,
        "number of other groups that return it": number_of_groups,
        "score gap: place of its score between those of ranks 1 and 10": gap,
        "score level: its score among all that the run gives within rank 10": level,
    }
    settings |= {f"with *{name}* too": with_column(column) for name, column in tried.items()}
    settings["with all four"] = with_column(*tried.values())
    rows = []
    for words, change in settings.items():
        with described_by(change):
            (trial,) = run_cases(collection, one_team_out(collection, occurrences), ["nDCG@10"], ONE_MODEL)
        rows.append([words, *error_cells(trial), held_at_90(trial)])
    return markdown_table(["features", "RMSE per topic", "bias", "RMSE of means", "90% holds (topics / means)"], rows)


@contextlib.contextmanager
def described_by(change: Change) -> Iterator[None]:
    """With other features: what *change* makes of them."""
    original = Contributions.around

    def around(self: Contributions, group: int) -> tuple[Described, Described, Described]:
        holes, examples, contributed = (change(self, group, one) for one in original(self, group))
        more = holes.features.shape[1] - len(self.rising)
        self.rising = np.append(self.rising, np.ones(more, dtype=bool))
        return holes, examples, contributed

    Contributions.around = around  # type: ignore[method-assign]
    try:
        yield
    finally:
        Contributions.around = original  # type: ignore[method-assign]


def without(names: Sequence[str]) -> Change:
    """Features that say the same about every document."""
    columns = [FEATURES.index(name) for name in names]

    def change(contributions: Contributions, group: int, one: Described) -> Described:
        features = one.features.copy()
        features[:, columns] = 0.0
        return replace(one, features=features)

    return change


# ---- features that were not taken

Column = Callable[[Contributions, int, Described], Floats]


def with_column(*columns: Column) -> Change:
    """The usual features and some more, more of which must not lower the expected grade."""

    def change(contributions: Contributions, group: int, one: Described) -> Described:
        more = [column(contributions, group, one) for column in columns]
        return replace(one, features=np.column_stack([one.features, *more]))

    return change


def best_rank(contributions: Contributions, group: int, one: Described) -> Floats:
    """Minus the log of the best rank that any other group has it at."""
    return np.array([-np.log(min(ranks, default=FARTHEST)) for ranks in _ranks_elsewhere(contributions, group, one)])


def number_of_groups(contributions: Contributions, group: int, one: Described) -> Floats:
    """Log of the number of other groups, and one."""
    return np.array([np.log1p(len(ranks)) for ranks in _ranks_elsewhere(contributions, group, one)])


def _ranks_elsewhere(contributions: Contributions, group: int, one: Described) -> Iterator[list[int]]:
    """Ranks that groups have a document at, apart from the one it is seen from and the one that is asked about."""
    places = np.searchsorted(contributions.pairs, one.pairs)
    starts, ends = (np.searchsorted(contributions._best_place, places, side=side) for side in ("left", "right"))
    for start, end, owner in zip(starts.tolist(), ends.tolist(), one.groups.tolist(), strict=True):
        groups, ranks = contributions._best_group[start:end], contributions._best_rank[start:end]
        yield ranks[(groups != owner) & (groups != group)].tolist()


def score_columns(collection: Collection) -> tuple[Column, Column]:
    """Two features from the scores of the run that a document is seen from, by its rank there.

    Scores of one topic compare within it (gap); those of all topics only where a run's scores mean the same on each.
    """
    runs = sorted(collection.runs, key=lambda run: fingerprint(run).digest)  # the order of the occurrences
    scores = np.full((len(runs), len(collection.qrels.topics), DEPTH), np.nan)
    for r, run in enumerate(runs):
        for t, topic in enumerate(collection.qrels.topics):
            some = [score for _, score in run.ranking(topic)[:DEPTH]]
            scores[r, t, : len(some)] = some
    lowest = np.nanmin(scores, axis=2, keepdims=True, initial=np.inf)
    gaps = np.nan_to_num((scores - lowest) / np.maximum(scores[:, :, :1] - lowest, 1e-12))
    middle, width = (f(scores, axis=(1, 2), keepdims=True) for f in (np.nanmean, np.nanstd))
    levels = np.clip(np.nan_to_num((scores - middle) / np.maximum(width, 1e-12)), -4, 4)

    def column(table: Floats) -> Column:
        def look_up(contributions: Contributions, group: int, one: Described) -> Floats:
            places = np.searchsorted(contributions.pairs, one.pairs)
            entries = np.searchsorted(contributions._key, places * len(contributions.occurrences.keys) + one.groups)
            ranks = np.minimum(contributions._best_rank[entries], DEPTH) - 1
            values: Floats = table[contributions._best_run[entries], one.topics, ranks]
            return values

        return look_up

    return column(gaps), column(levels)
