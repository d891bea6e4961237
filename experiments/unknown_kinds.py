"""Do intervals hold where nobody says whether a run's kind is missing from the pool?

    python experiments/unknown_kinds.py            # writes experiments/results/unknown-kinds.md

Runs of a type, and of left-out teams, are asked about alone; several teams are new at once, and nobody says who made
which run. Each with bounds where too little is judged (`holes/missing_kinds.py`) and without.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
from collections_at_hand import markdown_table
from coverage_trials import SEED, types_left_out
from left_out_teams import Outcome, World, alone, each_team, few_teams, rms, worlds
from pages import save_page

import unjudged as uj
from unjudged.api import read_measures
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Discounted, Evidence, discount_model
from unjudged.holes.missing_kinds import ENOUGH_JUDGED, MissingKinds

MEASURES = {
    "DL19": ("nDCG@10", "P(rel=2)@10"),
    "TREC-8": ("nDCG@10", "P@10"),
    "TREC-COVID round 1": ("nDCG@5", "P@5"),
}
EVERY = {"DL19": 1, "TREC-8": 4, "TREC-COVID round 1": 4}
"""Every so manieth run, or team; all runs of types with fewer than 20."""
FEW, TIMES = 20, 3
NEW_TEAMS = 5

Cases = Sequence[tuple[str, Qrels, Sequence[Run]]]


@contextmanager
def without_precedents() -> Iterator[None]:
    """However little is judged, intervals are as usual; kinds are missing only where groups say so."""
    shown = MissingKinds._show.fget

    def show(self: MissingKinds) -> bool:
        return self._occurrences.groups_given and bool(shown is not None and shown(self))

    with patch.object(MissingKinds, "_show", property(show)), patch.object(discount_model, "ENOUGH_JUDGED", 0.0):
        yield


def cells(before: Outcome, now: Outcome) -> list[str]:
    """What intervals held, and their width, of all runs before; now, of those that have no bounds, and of all."""
    (_, held, width), (off, all_held, all_width), (of_intervals, own_width) = (
        before.means(),
        now.means(),
        now.intervals(),
    )
    own = [f"{of_intervals.mean():.0%} of {len(of_intervals)}", f"{own_width:.3f}"] if len(of_intervals) else ["-", "-"]
    with_bounds = f"{all_held.mean():.0%} ({now.held_by_group():.0%})"
    return [f"{rms(off):.4f}", f"{held.mean():.0%}", f"{width:.3f}", *own, with_bounds, f"{all_width:.3f}"]


def alone_rows(world: World) -> list[list[str]]:
    """Runs asked about alone."""
    by_name = {run.name: run for run in world.collection.runs}
    step, cases = EVERY[world.name], dict[str, Cases]()
    for case in types_left_out(world):
        runs = [by_name[name] for name in case.runs]
        cases[f"{case.name} runs"] = [(case.name, case.qrels, runs if len(runs) < FEW else runs[::step])]
    cases["single teams"] = list(each_team(world))[::step]
    cases["a pool of one team"] = list(few_teams(world, 1, 12, SEED, 4 * step))
    rows = []
    for words, some in cases.items():
        (now,) = alone(world, [Discounted()], some)
        with without_precedents():
            (before,) = alone(world, [Discounted()], some)
        for m, measure in enumerate(world.measures):
            rows.append([world.name, words, measure, str(len(now[m].mean)), *cells(before[m], now[m])])
    return rows


def together_rows(world: World) -> list[list[str]]:
    """Several teams are new at once, all runs are known, and nobody says who made which."""
    collection, team_of, rng = world.collection, world.collection.team_of, np.random.default_rng(SEED)
    depth, models = deepest_rank(read_measures(world.measures[:1])), [Discounted(), Evidence(), "joint"]
    given = uj.Collection(collection.qrels, list(collection.runs), pool_depth=world.depth, jobs=1)
    every = collect_occurrences(given, [Evidence()], depth=depth)[0]
    now, before = ([Outcome() for _ in models] for _ in range(2))
    for time in range(TIMES):
        left_out = set(rng.permutation(collection.teams)[:NEW_TEAMS].tolist())
        runs = [run.name for run in collection.runs if team_of[run.name] in left_out]
        qrels = world.without_runs(runs)
        for outcomes, context in ((now, None), (before, without_precedents())):
            # What models learned is kept with the judgments: these are others.
            informed = every.replaced(qrels=replace(qrels))
            if context is None:
                scores = informed.score(world.measures[0], holes=models)
            else:
                with context:
                    scores = informed.score(world.measures[0], holes=models)
            for h, run in ((h, run) for h in range(len(models) - 1) for run in runs):
                outcomes[h].add(world, scores, h, 0, run, (str(time), team_of[run]), joint=len(models) - 1)
    return [
        [world.name, model.name, world.measures[0], str(len(now[h].mean)), *cells(before[h], now[h])]
        for h, model in enumerate(models[:-1])
    ]


INTRODUCTION = (
    "Judgments are left out, and documents that nobody ever judged are taken out of the runs first, so that the truth"
    " is known. 90% intervals of means. *without*: intervals as they are where enough is judged, whatever is. *now*:"
    f" means have bounds where less than {ENOUGH_JUDGED:.0%} of the first 10 documents are judged, and runs that were"
    " not in the pool and return the same unjudged documents share a shift, and have bounds where nobody says who made"
    " them. *now*: of the runs that have intervals; *with bounds*: of all, in brackets teams counting alike."
)
ALONE = (
    "`discounted`, each run by itself. *Runs of a type*: what only runs of that type have within the depth of the pool"
    " is not judged. *Single teams*: one left out after the other. *A pool of one team*: 12 teams at random, all other"
    " runs are new (nDCG then lacks what no run at hand has found in the ideal ranking, so that it is too high with any"
    " model). Of TREC-8 and TREC-COVID every fourth run or team, of types with fewer than 20 runs all."
)
TOGETHER = (
    f"{NEW_TEAMS} teams of DL19 at random are new at once, {TIMES} times; all runs are known, and nobody says who made"
    " which one."
)


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    every = [replace(one, measures=MEASURES[one.name]) for one in worlds() if one.name in MEASURES]
    numbers = ["runs", "RMSE", "without: held", "width", "now: held", "width", "with bounds: held", "width"]
    alone_table = markdown_table(
        ["collection", "new", "measure", *numbers], [row for one in every for row in alone_rows(one)], left=3
    )
    together_table = markdown_table(["collection", "model", "measure", *numbers], together_rows(every[0]), left=3)
    title = "# Runs of which nobody says whether their kind is missing from the pool"
    text = [title, INTRODUCTION, "## Alone", ALONE, alone_table, "## Several new teams without groups", TOGETHER]
    save_page("unknown-kinds", "\n\n".join([*text, together_table]), seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
