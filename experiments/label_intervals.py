"""Do intervals from a few human and many machine topics hold? Draws topics from DL19 and DL23.

A replicate draws 10, 15 or 25 topics that people judged and 150 that only a machine did, with replacement, from those
of the collection; the truth is the mean over all of these.

    python experiments/label_intervals.py --replicates 2000 --judged 200

writes experiments/results/label-intervals.md.
"""

from __future__ import annotations

import argparse
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
classical interval. *s.e.*: Monte Carlo error of the share of ours. *worst 5%*: 5% of the runs or pairs have a lower
share with ours, or with the classical interval.

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
Carlo error of the lowest, and the widest intervals.

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


def estimate(way: str, y: Floats, f: Floats, rest: Floats, *, differences: bool) -> PoweredMeans:
    if way == "classical":
        return classical(y)
    if way == "labels alone":
        return classical(rest)
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


def on_dl19(world: World, replicates: int) -> tuple[list[list[str]], str]:
    """A line for each source, measure and number of topics; and what the lowest shares are."""
    human = scores(world, world.grades)
    lines, shares = [], []
    for source, labels in world.labels.items():
        machine = scores(world, labels)
        for m, measure in enumerate(MEASURES):
            for of in ("means", "differences"):
                y, f = rows_of(human[m], machine[m], of)
                for n in SIZES:
                    tried = try_out(y, f, n, replicates, WAYS, differences=of == "differences")
                    ours, usual = tried["ours"], tried["classical"]
                    shares.append(ours.share)
                    widths = [f"{tried[way].width / usual.width:.3f}" for way in ("published", "ours")]
                    held_by = [f"{tried[way].share:.3f}" for way in WAYS]
                    worst = [f"{one.worst:.3f}" for one in (ours, usual)]
                    lines.append([source, measure, of, str(n), *held_by, f"{ours.noise:.4f}", *widths, *worst])
                    print(lines[-1], flush=True)
    below = sum(one < 0.94 for one in shares)
    return lines, f"Of {len(shares)} lines, ours hold less than .94 in {below}; the lowest share is {min(shares):.3f}."


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
                tried = []
                for machine in machines:
                    y, f = rows_of(human[m], machine[m], of)
                    tried.append(try_out(y, f, n, replicates, ["classical", "ours"], differences=of == "differences"))
                shares = np.array([one["ours"].share for one in tried])
                widest = max(one["ours"].width / one["classical"].width for one in tried)
                usual, noise = tried[0]["classical"].share, tried[int(shares.argmin())]["ours"].noise
                numbers = [usual, shares.min(), float(np.median(shares)), shares.max(), noise, widest]
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
    header = ["source", "measure", "of", "topics", *WAYS, "s.e.", "width, published", "width, ours"]
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
            ["measure", "of", "topics", "classical", "lowest", "median", "highest", "s.e.", "widest"],
            on_dl23(dl23_world(SHARED), given.judged),
            2,
        ),
    )
    save_page("label-intervals", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
