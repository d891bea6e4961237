"""Do intervals from a few human and many machine topics hold? Draws topics from DL19 and DL23.

A replicate draws 10, 15 or 25 topics that people judged and 150 that only a machine did, with replacement, from those
of the collection; the truth is the mean over all of these. What labels mean is learned anew from each draw.

    python experiments/label_intervals.py --replicates 2000 --judged 200 --few 2000

writes experiments/results/label-intervals.md.
"""

from __future__ import annotations

import argparse
import itertools
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED
from label_scores import FURTHER, RankedPairs, Sampled
from label_worlds import MEASURES, PAIRS, World, dl19_world, dl23_world, held, pairs_of, scores
from pages import save_page

from unjudged.arrays import Floats, Ints
from unjudged.labels.folds import FOLDS
from unjudged.reports import layout
from unjudged.uncertainty.prediction_powered import PoweredMeans, classical, prediction_powered, published_ppi

SIZES = [10, 15, 25]
FEW = [2, 3]
SEED = 3
ASKED = 0.94
"""Of 95% intervals, over all draws."""

PAGE = """# Do intervals with labels hold? Topics

`python experiments/label_intervals.py --replicates {replicates} --judged {judged} --few {fewer}`

Share of the 95% intervals that hold the truth, over {replicates:,} replicates and all runs (means) or {pairs} pairs of
runs (differences). So many topics judged by people, {further} by the machine alone, drawn with replacement. Published:
PPI++ as in its paper, with labels as they are, and labels alone: both over the first {beside} replicates. Ours: lambda
out of fold, labels as they are or calibrated, quantiles and variances for few topics. Width: over that of the classical
interval. *Over valid*: over that of our interval without labels, which is the classical one made valid for few topics
in the same way; it is what useless labels cost.
*Least*: what the width would be over the classical one if the best lambda, and what labels mean, were known from all
topics, and intervals needed nothing for few topics. *s.e.*: Monte Carlo error of the share of ours. *worst 5%*: 5% of
the runs or pairs have a lower share with ours, or with the classical interval.

## DL19

37 runs, 43 topics. {lowest}

{dl19}

## How narrow could differences be?

The same *least* width over the classical interval, of differences with UMBRELA's labels; *as many*: with 15 judged
topics and labels of as many more as one likes. Boosted trees expect each grade from the label, how many runs have the
document and where, the topic's mean label and its size, learned on the other topics of ten parts of all 43, which is
three times what 15 topics can teach.

{bounds}

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
    """Shares that held, by row, and mean widths, by replicate."""

    shares: Floats
    noise: float
    widths: Floats

    @property
    def share(self) -> float:
        return float(self.shares.mean())

    @property
    def width(self) -> float:
        return float(self.widths.mean())

    def over(self, usual: Tried) -> float:
        """Width over that of the usual interval on the same replicates."""
        return self.width / float(usual.widths[: len(self.widths)].mean())

    @property
    def worst(self) -> float:
        return float(np.quantile(self.shares, 0.05))


OURS = "ours"
WAYS = ["classical", "published", OURS, "labels alone"]
BESIDE = 400
"""Replicates in which the published intervals and labels alone are tried, too."""
WITHOUT = ["classical", "ours without labels"]
"""Those that are the same for all sources."""
OF = ["means", "differences"]
INVERTED = {"inverted": "UMBRELA"}
"""Labels that mean the same once it is learned what they mean."""


class Cell(NamedTuple):
    """What is tried: a source's labels (empty without), a measure, means or differences, a way."""

    source: str
    measure: int
    of: str
    way: str


Wider = dict[tuple[int, str], float]
"""By how much classical intervals would have to be wider to hold as often as asked, by measure and kind."""


class Scores(NamedTuple):
    """Of runs, or their differences: by people, and in three ways by labels, of judged and of other topics."""

    human: Floats
    ways: Floats
    others: Floats

    def estimate(self, way: str, *, differences: bool) -> PoweredMeans:
        if way == "classical":
            return classical(self.human)
        if way == "labels alone":
            return classical(self.others[0])
        if way == "ours without labels":
            return prediction_powered(self.human, 0 * self.ways, 0 * self.others, differences=differences)
        if way == "published":
            return published_ppi(self.human, self.ways[0], self.others[0])
        return prediction_powered(self.human, self.ways, self.others, differences=differences)

    def between(self, first: Ints, second: Ints) -> Scores:
        """Differences of runs."""
        return Scores(*(one[..., first, :] - one[..., second, :] for one in self))


class Trial:
    """A collection whose topics are drawn: scores by people and by labels as they are, and what calibrates labels."""

    def __init__(self, world: World) -> None:
        self.pairs = RankedPairs.of(world)
        self.labels = {source: labels.astype(np.float64) for source, labels in world.labels.items()}
        self.human = scores(world, world.grades)
        self.machine = {source: scores(world, labels) for source, labels in world.labels.items()}
        self.topics = self.human.shape[2]

    def drawn(self, sampled: Sampled, sources: list[str]) -> dict[str, list[Scores]]:
        """Scores of each source, for each measure."""
        out: dict[str, list[Scores]] = {}
        known: dict[str, tuple[Floats, Floats]] = {}
        for source in sources:
            meant = INVERTED.get(source, source)
            if meant not in known:
                known[meant] = self.pairs.calibrated(self.labels[meant], sampled)
            out[source] = []
            for m, machine in enumerate(self.machine[source]):
                sides = []
                for topics, calibrated in zip((sampled.judged, sampled.further), known[meant], strict=True):
                    alone = machine[:, topics]
                    sides.append(np.stack([alone, (alone + calibrated[m]) / 2, calibrated[m]]))
                out[source].append(Scores(self.human[m][:, sampled.judged], *sides))
        return out

    def truth(self, measure: int, of: str) -> Floats:
        y = self.human[measure].mean(axis=1)
        if of == "means":
            return y
        first, second = pairs_of(len(y))
        return y[first] - y[second]


def try_out(
    trial: Trial, n: int, replicates: int, ways: list[str], sources: list[str]
) -> tuple[dict[Cell, Tried], Wider]:
    """Each way on the same draws of topics; and by how much classical intervals have to be wider."""
    rng, first, second = np.random.default_rng(SEED + n), *pairs_of(len(trial.human[0]))
    inside: dict[Cell, list[Floats]] = {}
    width: dict[Cell, list[float]] = {}
    off: dict[tuple[int, str], list[Floats]] = {}
    for replicate in range(replicates):
        drawn = trial.drawn(Sampled.of(rng, trial.topics, n), sources)
        tried_now = [way for way in ways if way == OURS or replicate < BESIDE]
        for s, (source, measures) in enumerate(drawn.items()):
            for m, of in itertools.product(range(len(measures)), OF):
                one = measures[m] if of == "means" else measures[m].between(first, second)
                truth = trial.truth(m, of)
                for way in [*WITHOUT, *tried_now] if s == 0 else tried_now:
                    cell = Cell("" if way in WITHOUT else source, m, of, way)
                    found = one.estimate(way, differences=of == "differences")
                    inside.setdefault(cell, []).append(held(found.low, found.high, truth))
                    width.setdefault(cell, []).append(float((found.high - found.low).mean()))
                    if way == "classical":
                        half = (found.high - found.low) / 2
                        far = np.abs(found.estimate - truth)
                        off.setdefault((m, of), []).append(np.divide(far, half, out=np.zeros_like(far), where=half > 0))
    tried = {
        cell: Tried(np.mean(rows, axis=0), float(np.mean(rows, axis=1).std()) / len(rows) ** 0.5, np.array(width[cell]))
        for cell, rows in inside.items()
    }
    return tried, {key: float(np.quantile(np.concatenate(rows), ASKED)) for key, rows in off.items()}


def least_width(y: Floats, ways: Floats, n: int, further: float = FURTHER) -> float:
    """Over that of the classical interval, with the one way and lambda that are best for all topics there are."""
    y = y - y.mean(axis=1, keepdims=True)
    found = []
    for way in ways:
        f = way - way.mean(axis=1, keepdims=True)
        square = float((f * f).sum())
        weight = float(np.clip((y * f).sum() / square, 0, 1)) if square > 1e-12 else 0.0
        explained = (y * y).sum(axis=1) - ((y - weight * f) ** 2).sum(axis=1)
        # Topics with labels alone are not infinitely many.
        left = (y * y).sum(axis=1) - explained / (1 + n / further)
        found.append(float(np.sqrt(left).sum() / np.sqrt((y * y).sum(axis=1)).sum()))
    return min(found)


def of_all_sizes(
    trial: Trial, replicates: int, ways: list[str], sources: list[str], jobs: int
) -> list[tuple[dict[Cell, Tried], Wider]]:
    """What was tried with each number of topics."""
    work = partial(try_out, trial, replicates=replicates, ways=ways, sources=sources)
    if jobs == 1:
        return [work(n) for n in SIZES]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(work, SIZES))


def on_dl19(trial: Trial, replicates: int, jobs: int) -> tuple[list[list[str]], str]:
    """A line for each source, measure and number of topics; and what the lowest shares and the worst widths are."""
    lines: dict[tuple[str, int, str, int], list[str]] = {}
    shares: list[float] = []
    worst: dict[str, list[tuple[float, float, str, float, float]]] = {}
    every = Sampled(*(np.arange(trial.topics),) * 2, *(np.arange(trial.topics) % FOLDS,) * 2)
    known = trial.drawn(every, list(trial.labels))
    first, second = pairs_of(len(trial.human[0]))
    sizes = of_all_sizes(trial, replicates, WAYS[1:], list(trial.labels), jobs)
    for n, (tried, wider) in zip(SIZES, sizes, strict=True):
        for source, m, of in itertools.product(trial.labels, range(len(MEASURES)), OF):
            cells = [tried[Cell("" if way in WITHOUT else source, m, of, way)] for way in (*WAYS, WITHOUT[1])]
            usual, published, ours, _, valid = cells
            shares.append(ours.share)
            over = ours.width / usual.width, ours.width / valid.width
            worst.setdefault(of, []).append((*over, f"{source}, {MEASURES[m]}, {n} topics", usual.share, wider[m, of]))
            one = known[source][m] if of == "means" else known[source][m].between(first, second)
            widths = [published.over(usual), *over, least_width(one.human, one.ways, n)]
            numbers = [*(f"{cell.share:.3f}" for cell in cells[:4]), f"{ours.noise:.4f}", *(f"{x:.3f}" for x in widths)]
            lines[source, m, of, n] = [
                source,
                MEASURES[m],
                of,
                str(n),
                *numbers,
                f"{ours.worst:.3f}",
                f"{usual.worst:.3f}",
            ]
    below = sum(one < ASKED for one in shares)
    words = f"Of {len(shares)} lines, ours hold less than .94 in {below}; the lowest share is {min(shares):.3f}."
    for of, found in worst.items():
        over, _, where, share, wider_by = max(found)
        valid = max(one[1] for one in found)
        words += (
            f" With the worst labels ({where}), ours of {of} are {over:.3f} times as wide as the classical interval,"
            f" which holds {share:.3f} there and would have to be {wider_by:.3f} times as wide to hold .94; at most"
            f" {valid:.3f} times as wide as the valid one."
        )
    order = itertools.product(trial.labels, range(len(MEASURES)), OF, SIZES)
    return [lines[key] for key in order], words


def bounds(trial: Trial) -> list[list[str]]:
    """How narrow intervals of differences could be with UMBRELA, if all topics taught what is learned."""
    every = Sampled(*(np.arange(trial.topics),) * 2, *(np.arange(trial.topics) % FOLDS,) * 2)
    first, second = pairs_of(len(trial.human[0]))
    known = trial.drawn(every, ["UMBRELA"])["UMBRELA"]
    judges = {"UMBRELA": ["UMBRELA"], "UMBRELA and Sun": ["UMBRELA", "Sun"]}
    boosted = {name: trial.pairs.boosted([trial.labels[one] for one in of]) for name, of in judges.items()}
    lines = []
    for m, measure in enumerate(MEASURES):
        ours = known[m].between(first, second)
        found = {"labels as they are": ours.ways[:1], "the best of ours": ours.ways}
        found |= {f"boosted trees, {name}": (one[m][first] - one[m][second])[None] for name, one in boosted.items()}
        for name, ways in found.items():
            numbers = [least_width(ours.human, ways, n) for n in SIZES] + [least_width(ours.human, ways, 15, 1e9)]
            lines.append([measure, name, *(f"{x:.3f}" for x in numbers)])
    return lines


def of_few_runs(trial: Trial, replicates: int) -> list[list[str]]:
    """Differences among few runs, each replicate with other ones."""
    lines = []
    tried: dict[tuple[str, int, int], list[Floats]] = {}
    sources = ["UMBRELA", "constant"]
    for n in SIZES:
        rng = np.random.default_rng(SEED + n)
        for _ in range(replicates):
            drawn = trial.drawn(Sampled.of(rng, trial.topics, n), sources)
            for runs in FEW:
                chosen = rng.choice(len(trial.human[0]), runs, replace=False)
                first, second = (chosen[one] for one in np.triu_indices(runs, 1))
                truth = trial.human[0].mean(axis=1)
                for source in sources:
                    one = drawn[source][0].between(first, second)
                    both = [one.estimate(way, differences=True) for way in ("classical", "ours")]
                    shares = [held(x.low, x.high, truth[first] - truth[second]).mean() for x in both]
                    widths = [(x.high - x.low).mean() for x in both]
                    tried.setdefault((source, runs, n), []).append(np.array([*shares, *widths]))
    for source, runs, n in itertools.product(sources, FEW, SIZES):
        rows = np.array(tried[source, runs, n])
        mean, noise = rows.mean(axis=0), float(rows[:, 1].std()) / replicates**0.5
        numbers = [f"{mean[0]:.3f}", f"{mean[1]:.3f}", f"{noise:.4f}", f"{mean[3] / mean[2]:.3f}"]
        lines.append([source, str(runs), str(n), *numbers])
    return lines


def on_dl23(trial: Trial, replicates: int, jobs: int) -> list[list[str]]:
    """A line for each measure and number of topics, over all judges."""
    lines: dict[tuple[int, str, int], list[str]] = {}
    sizes = of_all_sizes(trial, replicates, [OURS], list(trial.labels), jobs)
    for n, (tried, _) in zip(SIZES, sizes, strict=True):
        for m, of in itertools.product(range(len(MEASURES)), OF):
            ours = [tried[Cell(source, m, of, OURS)] for source in trial.labels]
            shares, widest = np.array([one.share for one in ours]), max(one.width for one in ours)
            without = [tried[Cell("", m, of, way)] for way in WITHOUT]
            noise = ours[int(shares.argmin())].noise
            numbers = [without[0].share, shares.min(), float(np.median(shares)), shares.max(), noise]
            numbers += [widest / one.width for one in without]
            lines[m, of, n] = [MEASURES[m], of, str(n), *(f"{one:.3f}" for one in numbers)]
    return [lines[key] for key in itertools.product(range(len(MEASURES)), OF, SIZES)]


def table(header: list[str], rows: list[list[str]], words: int) -> str:
    return layout.markdown(layout.Table(header, rows, words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--judged", type=int, default=200, help="replicates with each of the 33 judges")
    parser.add_argument("--few", type=int, default=2000, help="replicates of few runs")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    replicates = given.replicates
    trial = Trial(dl19_world(SHARED))
    lines, lowest = on_dl19(trial, replicates, given.jobs)
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
        fewer=given.few,
        pairs=PAIRS,
        further=FURTHER,
        beside=min(BESIDE, replicates),
        lowest=lowest,
        dl19=table([*header, "worst 5%, ours", "worst 5%, classical"], lines, 3),
        bounds=table(["measure", "what expects grades", *map(str, SIZES), "as many"], bounds(trial), 2),
        few=table(
            ["source", "runs", "topics", "classical", "ours", "s.e.", "width, ours"], of_few_runs(trial, given.few), 1
        ),
        judges=table(
            ["measure", "of", "topics", "classical", "lowest", "median", "highest", "s.e.", "widest", "over valid"],
            on_dl23(Trial(dl23_world(SHARED)), given.judged, given.jobs),
            2,
        ),
    )
    save_page("label-intervals", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
