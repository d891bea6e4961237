"""How good is `discounted` for one run and somebody else's judgments, and how much depends on its constants?

    python experiments/discounted.py            # writes experiments/results/discounted.md

One team is left out after the other, and each of its runs is scored alone: nothing is known but the run and what is
left of the judgments. Constants are taken from the other tracks.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from collections_at_hand import markdown_table
from left_out_teams import Outcome, World, alone, each_team, few_teams, rms, worlds
from pages import save_page
from scipy.optimize import minimize

import unjudged as uj
import unjudged.holes.discount_model as discount_model_module
from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.data.view import join
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Discounted
from unjudged.holes.discount_model import DISCOUNT, Discount, DiscountModel, discount_model

DRAWS, SEED = 300, 42
GRID = np.linspace(-7, 4, 221)
POOLS = (1, 3, 8, 15)
REPETITIONS, EVERY = 12, 8
SLOPES, TEAMS = (1.0, 0.2), 10
"""Standard deviations of the prior distributions of both slopes, and as how many teams a track counts."""


class With(Discounted):
    """`discounted` with other constants."""

    discount = DISCOUNT

    def learned_from_runs(self, qrels: Qrels, occurrences: OccurrencesInRuns) -> DiscountModel:
        return discount_model(qrels, occurrences, self.discount)


def with_constants(discount: Discount) -> With:
    """The model with these constants."""
    kind = type("With", (With,), {"discount": discount})
    return kind(draws=DRAWS)


# ---- constants from other tracks


@dataclass(frozen=True)
class Likelihoods:
    """Of the grades of holes: for each run and each shift of the grid, with what the mean of the shift depends on."""

    values: Floats
    share: Floats
    pool: Floats
    """Logarithm of the judgments for each topic, over 100."""
    weight: Floats
    """Runs of one team that are left out together count as one."""


def likelihoods(world: World, cases: Iterable[tuple[str, Qrels, Sequence[Run]]]) -> Likelihoods:
    """Those of the runs of some cases."""
    full, rows, groups = world.collection.qrels, [], []
    depth = min(10, world.depth)
    for case, qrels, runs in cases:
        pool = np.log(qrels.judged.sum() / len(qrels.topics) / 100)
        for run in runs:
            view, truth = join(run, qrels, depth=depth), join(run, full, depth=depth)
            holes = np.flatnonzero(~view.judged)
            if not len(holes):
                continue
            informed = collect_occurrences(uj.Collection(qrels, [run]), [Discounted()], depth=depth)[0]
            own = DiscountModel(qrels, informed.occurrences).own_grades(0)
            log_odds = own.at(view.topics[view.ranking[holes]], view.rank[holes])
            reached = 1 / (1 + np.exp(-(log_odds[None] + GRID[:, None, None])))
            edge = np.ones((len(GRID), len(holes), 1))
            padded = np.concatenate([edge, reached, 0 * edge], axis=2)
            place, level = np.arange(len(holes)), truth.levels[holes]
            chance = padded[:, place, level] - padded[:, place, level + 1]
            rows.append((np.log(np.maximum(chance, 1e-12)).sum(axis=1), own.share_judged, pool))
            groups.append((case, world.collection.team_of[run.name]))
    values, share, pools = (np.array(column) for column in zip(*rows, strict=True))
    weight = 1 / np.array([groups.count(one) for one in groups])
    return Likelihoods(values, share, pools, weight / weight.sum())


def log_likelihood(of: Likelihoods, discount: Discount) -> float:
    """Mean over teams of the logarithm of the chance of what was found, over all shifts."""
    mean = discount.usual_mean + discount.per_share * (of.share - 0.7) + discount.per_pool * of.pool
    prior = np.exp(-0.5 * ((GRID - mean[:, None]) / discount.sd) ** 2)
    prior /= prior.sum(axis=1, keepdims=True)
    highest = of.values.max(axis=1, keepdims=True)
    chance = np.log((np.exp(of.values - highest) * prior).sum(axis=1)) + highest[:, 0]
    return float(of.weight @ chance)


def fitted(tracks: Sequence[Sequence[Likelihoods]], *, constant: bool = False) -> Discount:
    """The constants that make what was found most likely, every track and every part of it with the same weight.

    A track counts as TEAMS teams beside normal prior distributions of the slopes about 0: two tracks alone would have
    them steeper than what holds in a third (pools there are of other sizes).
    """

    def discount(x: Floats) -> Discount:
        slopes = (0.0, 0.0) if constant else x[2:]
        return Discount(None, float(np.exp(x[1])), float(x[0]), *map(float, slopes))

    def loss(x: Floats) -> float:
        likely = sum(float(np.mean([log_likelihood(part, discount(x)) for part in parts])) for parts in tracks)
        pull = 0.0 if constant else (x[2] / SLOPES[0]) ** 2 + (x[3] / SLOPES[1]) ** 2
        return float(pull) / (2 * TEAMS) - likely

    start = np.array([-1.5, -0.4] if constant else [-1.5, -0.4, 0.0, 0.0])
    simplex = np.vstack([start, *(start + step for step in np.diag([0.4, 0.3, 1.0, -0.2][: len(start)]))])
    options = {"initial_simplex": simplex, "xatol": 0.005, "fatol": 1e-4}
    return discount(minimize(loss, start, method="Nelder-Mead", options=options).x)


def shown(discount: Discount) -> list[str]:
    """The constants as the table prints them."""
    numbers = (discount.usual_mean, discount.per_share, discount.per_pool, discount.sd)
    return [f"{number:+.2f}" for number in numbers[:3]] + [f"{numbers[3]:.2f}"]


def constants_table(parts: dict[str, list[Likelihoods]]) -> tuple[str, dict[str, Discount]]:
    """What is learned from all tracks, and without each; and how likely that makes what was found in the one left."""
    rows, without = [], {}
    for track in parts:
        rest = [some for other, some in parts.items() if other != track]
        without[track] = fitted(rest)
        tried = (without[track], fitted(rest, constant=True), Discount(None, 0.75, -1.75, 0.0, 0.0), DISCOUNT)
        likely = [np.mean([log_likelihood(part, one) for part in parts[track]]) for one in tried]
        rows.append([f"all but {track}", *shown(without[track]), *(f"{one:.2f}" for one in likely)])
    every = fitted(list(parts.values()))
    rows.append(["all", *shown(every), *[""] * 4])
    rows.append(["as shipped", *shown(DISCOUNT), *[""] * 4])
    head = ["learned from", "mean", "per share", "per pool", "sd", "these", "one mean", "-1.75, 0.75", "as shipped"]
    return markdown_table(head, rows), without


# ---- how good it is


def row_of(outcome: Outcome) -> list[str]:
    """Error, bias, and what intervals hold: topics, then means."""
    cells = []
    for off, (held, width) in ((outcome.topics()[0], outcome.topics()[1:]), (outcome.means()[0], outcome.intervals())):
        cells += [f"{rms(off):.4f}", f"{off.mean():+.4f}", percent(held), f"{width:.4f}"]
    cells[-2] += f" of {len(outcome.intervals()[0])}"
    return [*cells, percent(outcome.means()[1])]


def percent(held: Floats) -> str:
    """A share, if there is anything."""
    return f"{100 * held.mean():.0f}%" if len(held) else "-"


COLUMNS = ["topics: RMSE", "bias", "held", "width", "means: RMSE", "bias", "held", "width", "with bounds"]
MODELS = ("nonrelevant", "bounds", "bootstrap", "discounted, other tracks", "discounted", "ideal=fixed")


def quality_table(world: World, elsewhere: Discount) -> str:
    """All measures and models."""
    models = [
        "bounds",
        f"bootstrap(draws={DRAWS})",
        with_constants(elsewhere),
        with_constants(DISCOUNT),
        Discounted(draws=DRAWS, ideal="fixed"),
    ]
    trials = alone(world, models, each_team(world))
    rows = []
    for m, measure in enumerate(world.measures):
        for name, of_model in zip(MODELS[1:], trials, strict=True):
            outcome = of_model[m]
            pairs = f"{int(np.concatenate(outcome.holes).sum()):,} / {len(outcome.mean)}"
            rows.append([measure, name, pairs, *row_of(outcome)])
    return markdown_table(["measure", "model", "topics / means", *COLUMNS], rows, left=2)


CHANGES: dict[str, dict[str, float]] = {
    "as shipped": {},
    "mean -0.3": {"usual_mean": DISCOUNT.usual_mean - 0.3},
    "mean +0.3": {"usual_mean": DISCOUNT.usual_mean + 0.3},
    "per share 0": {"per_share": 0.0},
    "per share 3": {"per_share": 3.0},
    "per pool 0": {"per_pool": 0.0},
    "per pool -0.5": {"per_pool": -0.5},
    "sd 0.5": {"sd": 0.5},
    "sd 0.85": {"sd": 0.85},
    "-1.75, sd 0.75": {"usual_mean": -1.75, "per_share": 0.0, "per_pool": 0.0, "sd": 0.75},
}
OTHER_CONSTANTS = (
    ("ENOUGH_JUDGED", 0.0),
    ("ENOUGH_JUDGED", 0.65),
    ("ENOUGH_JUDGED", 0.85),
    ("SHRINKAGE", 2.0),
    ("SHRINKAGE", 8.0),
    ("_TOP", 5),
    ("_TOP", 20),
    ("_TOP", 1000),
)
DEEP = (("DL19", "AP(rel=2)"), ("TREC-8, depth 100", "AP"))
TRIED = ("DL19", "TREC-8", "TREC-COVID round 1")


def sensitivity_table(some: Sequence[World], deep: Sequence[World]) -> str:
    """One constant changed at a time: error of means, and which share of them is held."""
    rows = [[name, *_tried([*some, *deep], replace(DISCOUNT, **change))] for name, change in CHANGES.items()]
    for name, value in OTHER_CONSTANTS:
        usual = getattr(discount_model_module, name)
        setattr(discount_model_module, name, value)
        # How far down documents count alike only matters to what reads further.
        cells = _tried(some, DISCOUNT) if name != "_TOP" else ["as above" for _ in some]
        rows.append([f"{name.strip('_').lower()} {value:g} (not {usual:g})", *cells, *_tried(deep, DISCOUNT)])
        setattr(discount_model_module, name, usual)
    return markdown_table(["changed", *(f"{one.name}, {one.measures[0]}" for one in (*some, *deep))], rows)


def _tried(some: Sequence[World], discount: Discount) -> list[str]:
    cells = []
    for one in some:
        ((outcome,),) = alone(one, [with_constants(discount)], each_team(one))
        held, width = outcome.intervals()
        cells.append(f"{rms(outcome.means()[0]):.4f}, {percent(held)} ({width:.3f})")
    return cells


def small_pools_table(some: Sequence[World], without: dict[str, Discount]) -> str:
    """A pool of a few teams; all other runs are new."""
    rows = []
    for one in some:
        for number in POOLS:
            if number >= len(one.collection.teams):
                continue
            every = 2 if one.origin == "dl19" else EVERY
            cases = list(few_teams(one, number, REPETITIONS, SEED, every))
            models = [f"bootstrap(draws={DRAWS})", with_constants(without[one.origin]), with_constants(DISCOUNT)]
            trials = alone(one, models, cases)
            for m, measure in enumerate(one.measures):
                for name, of_model in zip((MODELS[2], *MODELS[3:5]), trials, strict=True):
                    outcome = of_model[m]
                    (off, every_held, _), (held, width) = outcome.means(), outcome.intervals()
                    cells = [f"{rms(off):.3f}", f"{off.mean():+.3f}", f"{percent(held)} of {len(held)}", f"{width:.3f}"]
                    rows.append([f"{one.name}, {measure}", number, name, len(off), *cells, percent(every_held)])
    head = ["collection, measure", "teams", "model", "means", "RMSE", "bias", "held", "width", "with bounds"]
    return markdown_table(head, rows, left=3)


# ---- the page


def write(every: Sequence[World]) -> str:
    """All tables."""
    parts: dict[str, list[Likelihoods]] = {}
    for one in every:
        if one.depth > 10 or "best" in one.name:
            continue
        say(f"{one.name}: shifts")
        some = parts.setdefault(one.origin, [])
        some.append(likelihoods(one, each_team(one)))
        if "," not in one.name:
            pools = [number for number in POOLS if number < len(one.collection.teams)]
            step = 2 if one.origin == "dl19" else EVERY
            cases = chain.from_iterable(few_teams(one, number, REPETITIONS, SEED, step) for number in pools)
            some.append(likelihoods(one, cases))
    table, without = constants_table(parts)
    text = ["## Constants", CONSTANTS, table]
    for one in every:
        say(f"{one.name}: every team left out")
        text += [f"## {one.name}", quality_table(one, without[one.origin])]
    by_name = {one.name: one for one in every}
    say("constants changed")
    chosen = [replace(by_name[name], measures=("nDCG@5" if "COVID" in name else "nDCG@10",)) for name in TRIED]
    deep = [replace(by_name[name], measures=(one,)) for name, one in DEEP]
    text += ["## One constant changed", CHANGED, sensitivity_table(chosen, deep)]
    say("small pools")
    for_pools = [
        replace(by_name[name], measures=measures)
        for name, measures in zip(
            TRIED, (("P(rel=2)@10", "nDCG@10"), ("P@10", "nDCG@10"), ("P@5", "nDCG@5")), strict=True
        )
    ]
    text += ["## Small pools", SMALL_POOLS, small_pools_table(for_pools, without)]
    return "\n\n".join(text)


INTRODUCTION = (
    "One team is left out after the other: documents that only its runs have in their top ranks (down to the pool's"
    " depth) lose their judgments. Each of its runs is then scored alone. *Topics* are those with a hole, *means* those"
    " of runs with one; intervals promise 90%. Documents that nobody ever judged are taken out of the runs first, so"
    " that the truth is known. *held* and *width* of means are those of runs that have intervals: where less than 75%"
    " of a run's first 10 documents are judged, its mean has bounds instead; *with bounds* is the share held of all."
)
CONSTANTS = (
    "The mean of the shift is *mean* + *per share* (share of the top 10 that is judged - 0.7) + *per pool* ln(judgments"
    " for each topic / 100). Learned by maximum likelihood from left-out teams and from small pools (below), both with"
    " the same weight, and a weak pull of both slopes to 0; then the log likelihood per run of the track that was left"
    " out, with these constants, with one mean learned for all runs, with -1.75 and 0.75, and as shipped."
)
CHANGED = "RMSE of means, share held of means that have intervals, and width, with one constant other than shipped."
SMALL_POOLS = (
    "A pool of a few teams at random, 12 times (seed 42); all other runs are new, of which every eighth is taken (DL19:"
    " every second). Runs of one pool are wrong together, so 12 pools say little about a tenth. nDCG is measured with"
    " the ideal ranking of all judgments, of which small pools have a part: what the run itself does not return is"
    " missing from the ideal ranking, so nDCG is too high with any model. P is not."
)


def say(words: str) -> None:
    """How far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {words}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args(arguments)
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    page = write(list(worlds()))
    title = "# One run and somebody else's judgments: `discounted`"
    save_page("discounted", "\n\n".join([title, INTRODUCTION, page]), seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
