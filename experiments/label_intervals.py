"""Do intervals from a few human and many machine topics hold? Draws topics from DL19 and DL23.

A replicate draws 10, 15 or 25 topics that people judged and 150 that only a machine did, with replacement, from those
of the collection; the truth is the mean over all of these.

    python experiments/label_intervals.py --replicates 2000 --judged 200

writes experiments/results/label-intervals.md.
"""

from __future__ import annotations

import argparse
import itertools
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED
from label_worlds import MEASURES, PAIRS, World, dl19_world, dl23_world, held, pairs_of, scores
from pages import save_page

from unjudged.arrays import Floats
from unjudged.reports import layout
from unjudged.uncertainty.prediction_powered import PoweredMeans, classical, prediction_powered, published_ppi

SIZES = [10, 15, 25]
FURTHER = 150
FEW = [2, 3]
SEED = 3

PAGE = """# Do intervals with labels hold? Topics

`python experiments/label_intervals.py --replicates {replicates} --judged {judged}`

Share of the 95% intervals that hold the truth, over {replicates:,} replicates and all runs (means) or {pairs} pairs of
runs (differences). So many topics judged by people, {further} by the machine alone, drawn with replacement. Published:
PPI++ as in its paper; ours: lambda out of fold, quantiles and variances for few topics. Width: over that of the
classical interval. *Over valid*: over that of our interval without labels, which is the classical one made valid for
few topics in the same way; it is what useless labels cost. *Least*: what the width would be over the classical one if
the best lambda were known, and intervals needed nothing for few topics. *s.e.*: Monte Carlo error of the share of ours.
*worst 5%*: 5% of the runs or pairs have a lower share with ours, or with the classical interval.

## DL19

37 runs, 43 topics. {lowest}

{dl19}

## Few runs

Pairs among so many of the 37 runs, drawn anew in each replicate: with one pair, or three, there is less to learn
variances and shapes from. nDCG@10.

{few}

## The 33 judges of LLMJudge

DL23, 25 topics. Each judge's labels order the passages, which makes 33 runs; each judge is the source of labels for all
of them, its own among them. Over the 33 sources: the lowest, median and highest share of {judged} replicates, the Monte
Carlo error of the lowest, and the widest intervals over the classical and over the valid one.

{judges}
"""


class Tried(NamedTuple):
    """Shares that held, by row, and mean widths."""

    shares: Floats
    noise: float
    width: float

    @property
    def share(self) -> float:
        return float(self.shares.mean())

    @property
    def worst(self) -> float:
        return float(np.quantile(self.shares, 0.05))


WAYS = ["classical", "published", "ours", "labels alone"]
WITHOUT = ["classical", "ours without labels"]
"""Those that are the same for all sources."""


def estimate(way: str, y: Floats, f: Floats, rest: Floats, *, differences: bool) -> PoweredMeans:
    if way == "classical":
        return classical(y)
    if way == "labels alone":
        return classical(rest)
    if way == "ours without labels":
        return prediction_powered(y, 0 * f, 0 * rest, differences=differences)
    if way == "published":
        return published_ppi(y, f, rest)
    return prediction_powered(y, f, rest, differences=differences)


def try_out(y: Floats, f: Floats, n: int, replicates: int, ways: list[str], *, differences: bool) -> dict[str, Tried]:
    """Each way on the same draws of topics."""
    rng, truth, topics = np.random.default_rng(SEED + n), y.mean(axis=1), y.shape[1]
    inside = {way: np.zeros((replicates, len(y))) for way in ways}
    width = dict.fromkeys(ways, 0.0)
    for i in range(replicates):
        drawn, further = rng.integers(0, topics, n), rng.integers(0, topics, FURTHER)
        for way in ways:
            found = estimate(way, y[:, drawn], f[:, drawn], f[:, further], differences=differences)
            inside[way][i] = held(found.low, found.high, truth)
            width[way] += float((found.high - found.low).mean()) / replicates
    return {
        way: Tried(inside[way].mean(axis=0), float(inside[way].mean(axis=1).std()) / replicates**0.5, width[way])
        for way in ways
    }


def rows_of(human: Floats, machine: Floats, of: str) -> tuple[Floats, Floats]:
    if of == "means":
        return human, machine
    first, second = pairs_of(len(human))
    return human[first] - human[second], machine[first] - machine[second]


def least_width(y: Floats, f: Floats, n: int) -> float:
    """Over that of the classical interval, with the one lambda that is best for all topics there are."""
    y, f = (one - one.mean(axis=1, keepdims=True) for one in (y, f))
    square = float((f * f).sum())
    weight = float(np.clip((y * f).sum() / square, 0, 1)) if square > 1e-12 else 0.0
    explained = (y * y).sum(axis=1) - ((y - weight * f) ** 2).sum(axis=1)
    # Topics with labels alone are not infinitely many.
    left = (y * y).sum(axis=1) - explained / (1 + n / FURTHER)
    return float(np.sqrt(left).sum() / np.sqrt((y * y).sum(axis=1)).sum())


def on_dl19(world: World, replicates: int) -> tuple[list[list[str]], str]:
    """A line for each source, measure and number of topics; and what the lowest shares and the worst widths are."""
    human = scores(world, world.grades)
    lines, shares, worst = [], [], {"classical": 0.0, "ours without labels": 0.0}
    without: dict[tuple[int, str, int], dict[str, Tried]] = {}
    for source, labels in world.labels.items():
        machine = scores(world, labels)
        for m, of, n in itertools.product(range(len(MEASURES)), ("means", "differences"), SIZES):
            y, f = rows_of(human[m], machine[m], of)
            differences = of == "differences"
            if (m, of, n) not in without:
                without[m, of, n] = try_out(y, f, n, replicates, WITHOUT, differences=differences)
            tried = without[m, of, n] | try_out(y, f, n, replicates, WAYS[1:], differences=differences)
            ours, usual = tried["ours"], tried["classical"]
            shares.append(ours.share)
            over = {way: ours.width / tried[way].width for way in WITHOUT}
            worst = {way: max(worst[way], over[way]) for way in WITHOUT}
            widths = [tried["published"].width / usual.width, *over.values(), least_width(y, f, n)]
            held_by = [f"{tried[way].share:.3f}" for way in WAYS]
            fewest = [f"{one.worst:.3f}" for one in (ours, usual)]
            numbers = [*held_by, f"{ours.noise:.4f}", *(f"{one:.3f}" for one in widths), *fewest]
            lines.append([source, MEASURES[m], of, str(n), *numbers])
            print(lines[-1], flush=True)
    below = sum(one < 0.94 for one in shares)
    return lines, (
        f"Of {len(shares)} lines, ours hold less than .94 in {below}; the lowest share is {min(shares):.3f}. With the"
        f" worst labels, ours are {worst['classical']:.3f} times as wide as the classical interval, and"
        f" {worst['ours without labels']:.3f} times as wide as the valid one."
    )


def of_few_runs(world: World, replicates: int) -> list[list[str]]:
    """Differences among few runs, each replicate with other ones."""
    human = scores(world, world.grades)[0]
    lines = []
    for source in ("UMBRELA", "constant"):
        machine = scores(world, world.labels[source])[0]
        for runs in FEW:
            for n in SIZES:
                rng, inside, widths = np.random.default_rng(SEED + n), [], []
                for _ in range(replicates):
                    chosen = rng.choice(len(human), runs, replace=False)
                    first, second = (chosen[one] for one in np.triu_indices(runs, 1))
                    y, f = human[first] - human[second], machine[first] - machine[second]
                    drawn, further = (rng.integers(0, y.shape[1], size) for size in (n, FURTHER))
                    both = [
                        estimate(way, y[:, drawn], f[:, drawn], f[:, further], differences=True)
                        for way in ("classical", "ours")
                    ]
                    inside.append([held(one.low, one.high, y.mean(axis=1)).mean() for one in both])
                    widths.append([(one.high - one.low).mean() for one in both])
                share, width = np.mean(inside, axis=0), np.mean(widths, axis=0)
                noise = float(np.std(inside, axis=0)[1]) / replicates**0.5
                numbers = [f"{share[0]:.3f}", f"{share[1]:.3f}", f"{noise:.4f}", f"{width[1] / width[0]:.3f}"]
                lines.append([source, str(runs), str(n), *numbers])
    return lines


def on_dl23(world: World, replicates: int) -> list[list[str]]:
    """A line for each measure and number of topics, over all judges."""
    human = scores(world, world.grades)
    machines = [scores(world, labels) for labels in world.labels.values()]
    lines = []
    for m, measure in enumerate(MEASURES):
        for of in ("means", "differences"):
            for n in SIZES:
                differences = of == "differences"
                of_sources = [rows_of(human[m], machine[m], of) for machine in machines]
                without = try_out(*of_sources[0], n, replicates, WITHOUT, differences=differences)
                tried = [try_out(*one, n, replicates, ["ours"], differences=differences)["ours"] for one in of_sources]
                shares, widest = np.array([one.share for one in tried]), max(one.width for one in tried)
                widths = [widest / without[way].width for way in WITHOUT]
                usual, noise = without["classical"].share, tried[int(shares.argmin())].noise
                numbers = [usual, shares.min(), float(np.median(shares)), shares.max(), noise, *widths]
                lines.append([measure, of, str(n), *(f"{one:.3f}" for one in numbers)])
                print(lines[-1], flush=True)
    return lines


def table(header: list[str], rows: list[list[str]], words: int) -> str:
    return layout.markdown(layout.Table(header, rows, words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--judged", type=int, default=200, help="replicates with each of the 33 judges")
    given = parser.parse_args()
    replicates = given.replicates
    world = dl19_world(SHARED)
    lines, lowest = on_dl19(world, replicates)
    header = [
        "source",
        "measure",
        "of",
        "topics",
        *WAYS,
        "s.e.",
        "width, published",
        "width, ours",
        "over valid",
        "least",
    ]
    text = PAGE.format(
        replicates=replicates,
        judged=given.judged,
        pairs=PAIRS,
        further=FURTHER,
        lowest=lowest,
        dl19=table([*header, "worst 5%, ours", "worst 5%, classical"], lines, 3),
        few=table(
            ["source", "runs", "topics", "classical", "ours", "s.e.", "width, ours"], of_few_runs(world, replicates), 1
        ),
        judges=table(
            ["measure", "of", "topics", "classical", "lowest", "median", "highest", "s.e.", "widest", "over valid"],
            on_dl23(dl23_world(SHARED), given.judged),
            2,
        ),
    )
    save_page("label-intervals", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
