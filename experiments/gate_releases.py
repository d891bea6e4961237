"""How often does `gate` say that a release is worse that is not, and how often that it is not worse when it is?

python experiments/gate_releases.py            # writes experiments/results/gate-releases.md
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
from collections_at_hand import markdown_table
from left_out_teams import World, worlds
from numpy.typing import NDArray
from pages import save_page

import unjudged as uj

TOPICS, RELEASES, FEWER, SEED, DRAWS = 200, 1000, 200, 42, 200
SHARE, DEPTH, POOL, NEAREST = 0.3, 20, 60, 2
MARGIN = 0.01
MEAN, SD = -1.8, 0.75
SHIFTS = {"as of left-out teams": (MEAN, SD), "0: as good as judged ones": (0.0, 0.0), "-1": (-1.0, 0.0)}
SHIFTS |= {"-2": (-2.0, 0.0), "-3": (-3.0, 0.0)}
"""Mean and standard deviation, over releases, of how much less relevant new documents are, in log odds."""
DROPS = (0.0, -0.03)
ANSWERS = ("worse", "undecided", "not worse")
GRADE_STEPS = np.array([-0.8, -1.8, -2.8])
"""Log odds of grade 1 or more, 2 or more, 3, of a document of an average topic."""
MEASURES = {"DL19": "nDCG@10", "TREC-8": "nDCG@10"}

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]

PREFACE = f"""# Releases at the gate

## Simulated releases

Each release has {TOPICS} topics with {POOL} documents each, all judged, in four grades. The baseline ranks them with
some noise. The candidate ranks them with another noise, and at each rank, with a chance of {SHARE:.0%}, it has a
document that only it found and that nobody judged. How relevant these are: as the candidate's judged documents at the
same rank, on this topic, moved by a shift in log odds. It differs from release to release (normal with mean {MEAN}
and standard deviation {SD}, as left-out teams differ), or is the same in all of them. The candidate's noise is chosen
for each shift so that the expected difference of nDCG@10, with everything judged, is the true one. The gate does not
know the shift.

{RELEASES:,} releases where the shift differs, {FEWER} where it is the same; margin {MARGIN}, confidence .95,
{DRAWS} draws, `discounted`. *Unjudged as wrong* is the same decision with unjudged documents as not relevant.
"""
REAL = f"""## Teams left out

Each run of a left-out team is a candidate; its baselines are the {NEAREST} runs of other teams whose nDCG@10 under all
judgments is nearest to its own, and at most .05 away. What only the team found is not judged. Wrong is *worse* where
the difference under all judgments is 0 or more, and *not worse* where it is below minus the margin. *All judged* is the
gate's answer when everything is.
"""


@dataclass(frozen=True)
class Lists:
    """Grades of the documents of many topics, rank by rank, and which of them nobody judged."""

    baseline: Whole
    candidate: Whole
    new: NDArray[np.bool_]
    baseline_docs: Whole
    candidate_docs: Whole
    pool: Whole

    def difference(self) -> float:
        """Of nDCG@10 when everything is judged."""
        every = np.concatenate([self.pool, np.where(self.new, self.candidate, 0)], axis=1)
        ideal = _dcg(-np.sort(-every, axis=1))
        ideal[ideal == 0] = 1.0
        return float(((_dcg(self.candidate) - _dcg(self.baseline)) / ideal).mean())


def _dcg(grades: Whole) -> Numbers:
    found: Numbers = (grades[:, :10] / np.log2(np.arange(2, 12))).sum(axis=1)
    return found


def lists(rng: np.random.Generator, topics: int, noise: float, shift: float) -> Lists:
    """Rankings of a baseline and of a candidate with this *noise*, whose new documents have this *shift*."""
    easy = rng.normal(0, 1, topics)
    pool = _grades(rng, easy[:, None] + np.zeros((topics, POOL)))
    old = np.argsort(-(pool + 2.0 * rng.normal(size=pool.shape)), axis=1)[:, :DEPTH]
    again = np.argsort(-(pool + noise * rng.normal(size=pool.shape)), axis=1)[:, :DEPTH]
    judged = np.take_along_axis(pool, again, axis=1)
    at_rank = (judged >= 1).mean(axis=0)
    level = np.log(at_rank / (1 - at_rank)) - np.log((pool >= 1).mean() / (pool < 1).mean())
    new = rng.random((topics, DEPTH)) < SHARE
    found = _grades(rng, easy[:, None] + level + shift)
    return Lists(np.take_along_axis(pool, old, axis=1), np.where(new, found, judged), new, old, again, pool)


def _grades(rng: np.random.Generator, odds: Numbers) -> Whole:
    chance = 1 / (1 + np.exp(-(odds[..., None] + GRADE_STEPS)))
    grades: Whole = (rng.random(odds.shape)[..., None] < chance).sum(axis=-1)
    return grades


def noise_for(shift: float, drop: float) -> float:
    """The noise with which a candidate's true difference is *drop*, by halving, on the same 20,000 topics."""
    low, high = 0.05, 8.0
    for _ in range(12):
        middle = (low + high) / 2
        above = lists(np.random.default_rng(SEED), 20_000, middle, shift).difference() > drop
        low, high = (middle, high) if above else (low, middle)
    return (low + high) / 2


def release(one: Lists) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and two runs."""
    qrels = {f"{t}": {f"d{i}": int(grade) for i, grade in enumerate(row)} for t, row in enumerate(one.pool)}
    scores = list(map(float, range(DEPTH, 0, -1)))
    old = {f"{t}": dict(zip([f"d{i}" for i in row], scores, strict=True)) for t, row in enumerate(one.baseline_docs)}
    new = {
        f"{t}": dict(zip([f"n{r}" if one.new[t, r] else f"d{i}" for r, i in enumerate(row)], scores, strict=True))
        for t, row in enumerate(one.candidate_docs)
    }
    return qrels, {"old": old, "new": new}


def simulated(kind: str, drop: float, number: int) -> list[object]:
    """A row: what became of releases with a true difference."""
    mean, sd = SHIFTS[kind]
    grid = np.linspace(mean - 3 * sd, mean + 3 * sd, 13) if sd else np.array([mean])
    noise = [noise_for(shift, drop) for shift in grid]
    gate, wrong = Counter[str](), Counter[str]()
    judged = []
    for number_of in range(number):
        rng = np.random.default_rng([SEED, number_of])
        shift = float(np.clip(rng.normal(mean, sd), grid[0], grid[-1]))
        one = lists(rng, TOPICS, float(np.interp(shift, grid, noise)), shift)
        result = uj.gate(*release(one), "nDCG@10", margin=MARGIN, draws=DRAWS, seed=number_of)
        (row,) = result.measures()
        gate[row.answer] += 1
        wrong[row.plain_answer] += 1
        judged.append(row.judged_candidate or 0.0)
    shares = [f"{count[answer] / number:.1%}" for count in (gate, wrong) for answer in ANSWERS]
    return [kind, f"{drop:g}", f"{number:,}", f"{np.mean(judged):.0%}", *shares]


def real(world: World, measure: str) -> list[object]:
    """A row: what became of runs of left-out teams."""
    collection = world.collection
    runs = {run.name: run for run in collection.runs}
    truth = uj.score(collection.qrels, list(runs.values()), measure).mean()
    found: dict[str, Counter[str]] = {"all": Counter(), "gate": Counter(), "plain": Counter()}
    wrong = Counter[str]()
    pairs = 0
    for team in collection.teams:
        left = collection.without(team, world.depth)
        for mine in collection.runs_of(team):
            near = [name for name in runs if collection.team_of[name] != team]
            near = [name for name in near if abs(truth[name, measure] - truth[mine.name, measure]) < 0.05]
            for name in sorted(near, key=lambda one: abs(truth[one, measure] - truth[mine.name, measure]))[:NEAREST]:
                two = [runs[name], runs[mine.name]]
                (row,) = uj.gate(left, two, measure, margin=MARGIN, draws=DRAWS, seed=SEED).measures()
                (full,) = uj.gate(collection.qrels, two, measure, margin=MARGIN, draws=DRAWS, seed=SEED).measures()
                difference = truth[mine.name, measure] - truth[name, measure]
                pairs += 1
                found["all"][full.answer] += 1
                found["gate"][row.answer] += 1
                found["plain"][row.plain_answer] += 1
                for kind, answer in (("gate", row.answer), ("plain", row.plain_answer)):
                    wrong[f"{kind} worse"] += answer == "worse" and difference >= 0
                    wrong[f"{kind} not worse"] += answer == "not worse" and difference < -MARGIN
    cells = [" / ".join(f"{found[kind][answer] / pairs:.0%}" for answer in ANSWERS) for kind in found]
    mistakes = [
        f"{wrong[f'{kind} worse'] / pairs:.1%} / {wrong[f'{kind} not worse'] / pairs:.1%}" for kind in ("gate", "plain")
    ]
    return [world.name, measure, f"{pairs:,}", *cells, *mistakes]


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    rows = []
    for kind, (_, differs) in SHIFTS.items():
        for drop in DROPS:
            rows.append(simulated(kind, drop, RELEASES if differs else FEWER))
            sys.stderr.write(f"{rows[-1]}\n")
    ends = [f"{who}: {answer}" for who in ("gate", "unjudged as wrong") for answer in ANSWERS]
    table = markdown_table(["shift", "true difference", "releases", "judged@10", *ends], rows, left=1)
    others = []
    for world in worlds():
        if world.name in MEASURES:
            others.append(real(world, MEASURES[world.name]))
            sys.stderr.write(f"{others[-1]}\n")
    three = " / ".join(ANSWERS)
    head = ["collection", "measure", "pairs", *(f"{who}: {three}" for who in ("all judged", "gate", "as wrong"))]
    head += [f"{who}: wrong worse / not worse" for who in ("gate", "as wrong")]
    text = f"{PREFACE}\n{table}\n\n{REAL}\n{markdown_table(head, others, left=2)}\n"
    save_page("gate-releases", text, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
