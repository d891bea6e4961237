"""Are P(A>B) and p-values of `compare` with evidence right? Leave out teams, and compare their runs with all others.

python experiments/hole_aware_teams.py            # writes experiments/results/hole-aware-teams.md
"""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
from collections_at_hand import markdown_table
from intervals import collections
from pages import save_page

import unjudged as uj
from unjudged.api import read_measure
from unjudged.arrays import Floats
from unjudged.data.groups import Groups
from unjudged.data.joined import Joined, join_runs
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Evidence, Settings
from unjudged.uncertainty.tests_with_open_grades import imputed_p, plain_p

MEASURES = {"DL19": "nDCG@10", "DL19, best answered question as grade": "nDCG@5", "TREC-COVID round 1": "nDCG@5"}
TEAMS, LEAST_TOPICS, LEVEL, SEED = 10, 20, 0.05, 42
EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0 + 1e-9)
DRAWS = 100
PREFACE = f"""# P(A>B) and p-values with holes, teams left out

Each of {TEAMS} teams is left out in turn, as in leave-one-team-out.md, and its runs are compared with all others, on
the topics for which both have all documents judged (at least {LEAST_TOPICS}). Right means as under all judgments.
*plain* is a paired t test with unjudged documents as not relevant, *holes* the same on drawn grades (`p, holes`);
false: significant at {LEVEL} but not so, or not in that direction, under all judgments; missed: the other way round.
{DRAWS} draws, calibrated.
"""


class Pairs:
    """What is said of pairs, and what is true of them."""

    def __init__(self) -> None:
        self.chance: list[float] = []
        self.right: list[bool] = []
        self.tests: dict[str, list[tuple[float, float]]] = {"truth": [], "plain": [], "holes": []}

    def add(self, truth: Floats, plain: Floats, drawn: Floats) -> None:
        """One pair: differences by topic, and drawn ones (draws, topics)."""
        means = drawn.mean(axis=1)
        above = float((means > 0).mean() + (means == 0).mean() / 2)
        self.chance.append(max(above, 1 - above))
        self.right.append((above > 0.5) == (truth.mean() > 0))
        for name, p, way in (
            ("truth", plain_p(truth), truth),
            ("plain", plain_p(plain), plain),
            ("holes", imputed_p(drawn), drawn),
        ):
            self.tests[name].append((p, float(np.sign(way.mean()))))

    def row(self) -> list[object]:
        """Shares in percent."""
        chance, right = np.array(self.chance), np.array(self.right)
        out: list[object] = [len(chance)]
        for low, high in pairwise(EDGES):
            here = (chance >= low) & (chance < high)
            out.append(f"{right[here].mean():.0%} of {here.sum()}" if here.any() else "-")
        tests = {name: np.array(said) for name, said in self.tests.items()}
        true = tests["truth"][:, 0] < LEVEL
        for name in ("plain", "holes"):
            says = tests[name][:, 0] < LEVEL
            hits = says & true & (tests[name][:, 1] == tests["truth"][:, 1])
            out.append(f"{1 - hits.sum() / max(1, says.sum()):.1%} / {1 - hits.sum() / max(1, true.sum()):.1%}")
        return out


def compared(joined: Joined, depth: int, name: str, given: uj.Collection) -> Pairs:
    """All pairs with a run of a left-out team that gets holes."""
    measure, model = read_measure(name), Evidence(draws=DRAWS)
    occurrences = collect_occurrences(given, [model], depth=measure.depth())[0].occurrences
    assert occurrences is not None
    assert joined.groups is not None
    shape, teams = (len(joined.runs), len(joined.qrels.topics)), np.array(joined.groups)
    everyone, out = range(len(joined.runs)), Pairs()
    full = joined.view(everyone, depth=measure.depth())
    truth, known = measure.score(full).reshape(shape), (full.count(~full.judged) == 0).reshape(shape)
    for team in sorted(set(joined.groups))[:TEAMS]:
        mine = np.flatnonzero(teams == team)
        gone = joined.reached(mine, depth) & ~joined.reached(np.flatnonzero(teams != team), depth)
        left = joined.against(joined.qrels.left(joined.qrels.judged & ~gone))
        view = left.view(everyone, depth=measure.depth())
        drawn = (
            model.learn(left.qrels, occurrences.with_pool_depth(depth)).estimate(measure, view, Settings(SEED)).draws
        )
        assert drawn is not None
        drawn = drawn.reshape(*shape, -1)
        plain, holes = measure.score(view).reshape(shape), view.count(~view.judged).reshape(shape)
        for a in mine.tolist():
            for b in everyone:
                both = known[a] & known[b]
                if (teams[b] == team and b <= a) or both.sum() < LEAST_TOPICS or not holes[a, both].any():
                    continue
                if abs((truth[a] - truth[b])[both].mean()) > 0:
                    out.add((truth[a] - truth[b])[both], (plain[a] - plain[b])[both], (drawn[a] - drawn[b])[both].T)
    return out


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows = []
    for collection, depth, _ in collections():
        if collection.name in MEASURES:
            given = uj.Collection(collection.qrels, list(collection.runs), groups=collection.team_of, pool_depth=depth)
            joined = join_runs(collection.qrels, collection.runs).in_groups(Groups(collection.team_of))
            pairs = compared(joined, depth, MEASURES[collection.name], given)
            rows.append([collection.name, MEASURES[collection.name], *pairs.row()])
    bins = [f"P {low:g} to {min(1, high):g}: right" for low, high in pairwise(EDGES)]
    head = ["collection", "measure", "pairs", *bins, "plain: false / missed", "holes: false / missed"]
    save_page("hole-aware-teams", f"{PREFACE}\n{markdown_table(head, rows, left=2)}\n", seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
