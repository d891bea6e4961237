"""Are P(A>B) and p-values of `compare` right? Leave out teams, and compare their runs with all others.

python experiments/hole_aware_teams.py            # writes experiments/results/hole-aware-teams.md
"""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise

import numpy as np
from collections_at_hand import markdown_table
from left_out_teams import World, worlds
from pages import save_page

import unjudged as uj
from unjudged.results.comparison import Comparison, PairRow

MEASURES = {"DL19": "nDCG@10", "DL19, best answer": "nDCG@10", "TREC-8": "nDCG@10", "TREC-COVID round 1": "nDCG@5"}
TEAMS, LEVEL, SEED, DRAWS = 6, 0.05, 42, 200
EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0 + 1e-9)
PREFACE = f"""# P(A>B) and p-values with holes, teams left out

Each of {TEAMS} teams (by a random order) is left out in turn, as in leave-one-team-out.md, and its runs are compared
with all others as `unjudged compare` does it: with `--groups`, grades are drawn from evidence, without from each
run's own judged documents (`discounted`). Settings are the usual ones, but {DRAWS} draws. Documents that nobody ever
judged are taken out of the runs, so that the truth is known; it is the same comparison under all judgments. Counted
are pairs with a run that has something to estimate.

P(A>B): how often the run that is more likely to be better is better by the mean under all judgments. *p* is the
randomisation test with unjudged documents as not relevant, *p, holes* the t test on drawn grades; both before the
correction for the number of pairs. false: of the differences called significant at {LEVEL}, those that are not so, or
not in that direction, under all judgments; missed: of those that are significant under all judgments, those not
called so.
"""


class Pairs:
    """What is said of pairs, and what is true of them."""

    def __init__(self) -> None:
        self.chance: list[float] = []
        self.right: list[bool] = []
        self.truth: list[tuple[float, float]] = []
        self.plain: list[tuple[float, float]] = []
        self.holes: list[tuple[float, float]] = []

    def add(self, truth: PairRow, found: PairRow) -> None:
        """One pair, with a p-value and a direction by each test."""
        assert found.p_greater is not None
        assert found.p_holes is not None
        if truth.difference:
            self.chance.append(max(found.p_greater, 1 - found.p_greater))
            self.right.append((found.p_greater > 0.5) == (truth.difference > 0))
        self.truth.append((truth.p, float(np.sign(truth.difference))))
        self.plain.append((found.p, float(np.sign(found.difference))))
        self.holes.append((found.p_holes, float(np.sign(found.difference))))

    def row(self) -> list[object]:
        """Shares in percent."""
        chance, right = np.array(self.chance), np.array(self.right)
        out: list[object] = [len(self.truth)]
        for low, high in pairwise(EDGES):
            here = (chance >= low) & (chance < high)
            out.append(f"{right[here].mean():.0%} of {here.sum()}" if here.any() else "-")
        truth = np.array(self.truth)
        true = truth[:, 0] < LEVEL
        for tested in (np.array(self.plain), np.array(self.holes)):
            called = tested[:, 0] < LEVEL
            hits = (called & true & (tested[:, 1] == truth[:, 1])).sum()
            out.append(f"{1 - hits / max(1, called.sum()):.1%} / {1 - hits / max(1, true.sum()):.1%}")
        return out


def compared(world: World, measure: str) -> dict[str, Pairs]:
    """All pairs with a run of a left-out team, by the model that grades are drawn from."""
    collection = world.collection
    runs = list(collection.runs)
    truth = by_names(uj.compare(collection.qrels, runs, measure, holes="bootstrap(draws=2)"))
    out = {"evidence": Pairs(), "discounted": Pairs()}
    for team in np.random.default_rng(SEED).permutation(collection.teams)[:TEAMS].tolist():
        left, mine = collection.without(team, world.depth), {run.name for run in collection.runs_of(team)}
        for model, groups in (("evidence", collection.team_of), ("discounted", None)):
            found = uj.compare(left, runs, measure, groups=groups, draws=DRAWS, seed=SEED)
            open_ = {row.run for row in found.budget() if row.run in mine and row.holes}
            for row in found.pairs():
                if row.run in open_ or row.other in open_:
                    true = truth.get((row.run, row.other)) or turned(truth[row.other, row.run])
                    out[model].add(true, row)
    return out


def by_names(comparison: Comparison) -> dict[tuple[str, str], PairRow]:
    """Pairs by the names of their runs."""
    return {(row.run, row.other): row for row in comparison.pairs()}


def turned(row: PairRow) -> PairRow:
    """The same pair the other way round."""
    return row._replace(run=row.other, other=row.run, difference=-row.difference)


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows = []
    for world in worlds():
        if world.name in MEASURES:
            for model, pairs in compared(world, MEASURES[world.name]).items():
                rows.append([world.name, MEASURES[world.name], model, *pairs.row()])
                sys.stderr.write(f"{rows[-1]}\n")
    bins = [f"P {low:g} to {min(1, high):g}: right" for low, high in pairwise(EDGES)]
    head = ["collection", "measure", "drawn from", "pairs", *bins, "p: false / missed", "p, holes: false / missed"]
    save_page("hole-aware-teams", f"{PREFACE}\n{markdown_table(head, rows, left=3)}\n", seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
