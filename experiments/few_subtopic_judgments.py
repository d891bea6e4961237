"""Which system covers the subtopics best, when few documents are judged? Paper 5, sections 5.2 to 5.4, on other data.

    python experiments/few_subtopic_judgments.py            # everything, about 15 minutes on one quiet core
    python experiments/few_subtopic_judgments.py --repetitions 3

Writes experiments/results/few-subtopic-judgments.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from collections_at_hand import RESULTS, markdown_table
from diverse_collections import SEED, Diverse, ambient, dl19
from numpy.typing import NDArray
from scipy.stats import t as student

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.data.joined import join_runs
from unjudged.data.run import Run
from unjudged.data.view import View, join
from unjudged.measures import Measure, measures
from unjudged.simulate import KeepFraction, KeepHalf
from unjudged.simulate.samples import in_first_half

PERCENTS = (1, 5, 10, 15, 30, 50)
MUS = (10, 50, 250, 2500)
PAPER_MU = 2500
CUTOFF = 20
ESTABLISHED = ("alpha_nDCG", "ERR_IA", "NRBP")
OURS = ("ABSNB", "ABSRB", "DELTANB", "DELTARB")
LISTS = ("raw list", "condensed list")
WORDS = ("above", "equal", "below")
BELOW = 15
"""The paper's claim is about fewer judgments than so many percent."""


def established(name: str, rel: int) -> Measure:
    return measures.parse(f"{name}(rel={rel})" if name == "NRBP" else f"{name}(rel={rel})@{CUTOFF}")


def divergence(name: str, rel: int, mu: float) -> Measure:
    return measures.parse(f"{name}(rel={rel},mu={mu})@{CUTOFF}")


def means(measure: Measure, views: Sequence[View]) -> Floats:
    """The mean over topics of each run."""
    return np.array([measure.summarise(measure.score(view)) for view in views])


def tau(truth: Floats, estimate: Floats) -> float:
    """tau-a, which the paper prints."""
    return uj.agreement(truth, estimate).tau_a


@dataclass(frozen=True)
class Sampled:
    """tau of every method against every established measure, by percent and repetition."""

    lists: dict[tuple[str, str, int], Floats]
    """By kind of list, measure and percent: the measure on few judgments against itself on all of them."""
    ours: dict[tuple[str, float, str, int], Floats]
    """By measure, mu, established measure and percent (100: all judgments, no repetitions)."""


Halves = dict[tuple[str, str, float], Floats]
"""tau by measure, by the half that its models are from, and by mu."""
Found = tuple[Sampled, Halves]


def sample(data: Diverse, repetitions: int, percents: Sequence[int]) -> Sampled:
    views = [join(run, data.qrels) for run in data.runs]
    truth = {name: means(established(name, data.rel), views) for name in ESTABLISHED}
    tops = [run.top(CUTOFF) for run in data.runs]  # all that measures of texts look at
    lists: dict[tuple[str, str, int], list[float]] = {}
    ours: dict[tuple[str, float, str, int], list[float]] = {}
    for percent in percents:
        for repetition in range(repetitions if percent < 100 else 1):
            sampling = KeepFraction(p=f"{percent}%", draw="alike", rel=data.rel)
            left = sampling.leave(join_runs(data.qrels), seed=SEED, repetition=repetition).of(data.qrels)
            views = [join(run, left) for run in data.runs]
            for kind, shown in zip(LISTS, (views, [view.condensed() for view in views]), strict=True):
                for name in ESTABLISHED:
                    estimate = means(established(name, data.rel), shown)
                    lists.setdefault((kind, name, percent), []).append(tau(truth[name], estimate))
            views = [join(run, left) for run in tops]
            for mu in MUS:
                for one in OURS:
                    estimate = means(divergence(one, data.rel, mu), views)
                    for name in ESTABLISHED:
                        ours.setdefault((one, mu, name, percent), []).append(tau(truth[name], estimate))
        print(f"{data.name}: {percent}%", flush=True)
    return Sampled({key: np.array(v) for key, v in lists.items()}, {key: np.array(v) for key, v in ours.items()})


# ---- reuse on a disjoint collection


def reuse(data: Diverse, repetitions: int, mus: Sequence[float]) -> Halves:
    """tau against alpha-nDCG on the second half of the documents, with models from the first half or from the second.

    Runs return documents of the second half only. By measure, whose judgments the models are from, and mu.
    """
    taus: dict[tuple[str, str, float], list[float]] = {}
    measure, joined = established("alpha_nDCG", data.rel), join_runs(data.qrels)
    for repetition in range(repetitions):
        halves = {
            which: KeepHalf(which=which).leave(joined, seed=SEED, repetition=repetition).of(data.qrels)
            for which in ("first", "second")
        }
        runs = [_without(run, in_first_half(run.docs, seed=SEED, repetition=repetition)) for run in data.runs]
        truth = means(measure, [join(run, halves["second"]) for run in runs])
        tops = [run.top(CUTOFF) for run in runs]
        for which, qrels in halves.items():
            views = [join(run, qrels) for run in tops]
            for mu in mus:
                for one in OURS:
                    estimate = means(divergence(one, data.rel, mu), views)
                    taus.setdefault((one, which, mu), []).append(tau(truth, estimate))
    print(f"{data.name}: disjoint halves", flush=True)
    return {key: np.array(values) for key, values in taus.items()}


def _without(run: Run, gone: NDArray[np.bool_]) -> Run:
    rows = np.flatnonzero(~gone)
    offsets = np.concatenate([[0], np.cumsum(~gone)])[run.offsets].astype(np.int64)
    return Run(run.name, run.topics, offsets, run.docs.take(rows), run.scores[rows], run.source)


# ---- keeping what was computed


def _save(path: Path, results: dict[str, Found]) -> None:
    tables = {name: (one.lists, one.ours, halves) for name, (one, halves) in results.items()}
    rows = [
        [name, kind, list(key), values.tolist()]
        for name, kinds in tables.items()
        for kind, table in enumerate(kinds)
        for key, values in table.items()
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")


def _load(path: Path) -> dict[str, Found]:
    tables: dict[str, tuple[dict, dict, dict]] = {name: ({}, {}, {}) for name in LOADERS}
    for name, kind, key, values in json.loads(path.read_text(encoding="utf-8")):
        tables[name][kind][tuple(key)] = np.array(values)
    return {name: (Sampled(lists, ours), halves) for name, (lists, ours, halves) in tables.items()}


# ---- words and tables


def half_width(values: Floats) -> float:
    """Of the 95% t interval of the mean."""
    n = len(values)
    return 0.0 if n < 2 else float(student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def cell(values: Floats) -> str:
    width = f" ±{half_width(values):.2f}".replace("0.", ".") if len(values) > 1 else ""
    return f"{values.mean():.2f}".replace("0.", ".", 1) + width


def tau_table(sampled: Sampled, name: str) -> str:
    rows = [[kind, *(cell(sampled.lists[kind, name, p]) for p in (*PERCENTS, 100))] for kind in LISTS]
    for one in OURS:
        for mu in MUS:
            row = [cell(sampled.ours[one, mu, name, p]) for p in (*PERCENTS, 100)]
            rows.append([f"{one}, mu = {mu:,}", *row])
    return markdown_table(["method", *(f"{p}%" for p in PERCENTS), "100%"], rows)


def best_list(sampled: Sampled, name: str, percent: int) -> Floats:
    """The better of the two lists, by its mean: what a user of the established measure would choose."""
    return max((sampled.lists[kind, name, percent] for kind in LISTS), key=lambda values: float(values.mean()))


def verdict(sampled: Sampled, one: str, mu: float, name: str, percent: int) -> tuple[str, str]:
    apart = sampled.ours[one, mu, name, percent] - best_list(sampled, name, percent)
    width = half_width(apart)
    word = "above" if apart.mean() > width else "below" if apart.mean() < -width else "equal"
    return word, f"{apart.mean():+.2f} ±{width:.2f}".replace("0.", ".")


def claim_table(sampled: Sampled, mu: float) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = [
        [f"{one} / {name}", *(" ".join(reversed(verdict(sampled, one, mu, name, p))) for p in few)]
        for name in ESTABLISHED
        for one in OURS
    ]
    return markdown_table(["measure / truth", *(f"{p}%" for p in few)], rows)


def tally(sampled: Sampled, mu: float) -> Counter[str]:
    """How many of the comparisons below 15% come out above, equal and below."""
    few = [p for p in PERCENTS if p < BELOW]
    return Counter(verdict(sampled, one, mu, name, p)[0] for one in OURS for name in ESTABLISHED for p in few)


def claim(sampled: Sampled, mu: float) -> str:
    """The paper's claim, in words."""
    words = tally(sampled, mu)
    return (
        f"Of {words.total()} comparisons below {BELOW}% (four measures, three truths), the measures of texts are above"
        f" the better list in {words['above']}, equal in {words['equal']} and below in {words['below']}."
    )


def mu_table(sampled: Sampled) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = []
    for mu in MUS:
        taus = [np.mean([sampled.ours[one, mu, n, p].mean() for one in OURS for n in ESTABLISHED]) for p in (*few, 100)]
        rows.append(
            [f"{mu:,}", *(f"{value:.3f}" for value in taus), " / ".join(str(tally(sampled, mu)[w]) for w in WORDS)]
        )
    head = ["mu", *(f"{p}%" for p in (*few, 100)), f"below {BELOW}%: above / equal / below the better list"]
    return markdown_table(head, rows)


def reuse_table(halves: Halves, mus: Sequence[float]) -> str:
    rows = [
        [f"{one}, mu = {mu:,}", cell(halves[one, "first", mu]), cell(halves[one, "second", mu])]
        for one in OURS
        for mu in mus
    ]
    return markdown_table(["measure", "models from the other half", "models from the same half"], rows)


def section(data: Diverse, sampled: Sampled, disjoint: Halves) -> str:
    parts = [
        f"## {data.name}\n\n{data.words} Mean length of a text: {data.mean_length:.0f} words.",
        "### Which mu?\n\nMean tau-a over the four measures and the three truths.\n\n" + mu_table(sampled),
        f"### Against the better list, mu = {PAPER_MU:,} (the paper's)\n\n{claim(sampled, PAPER_MU)} The table has the"
        f" mean difference of tau-a, paired by sample, with its 95% interval.\n\n{claim_table(sampled, PAPER_MU)}",
        f"### Against the better list, mu = 50\n\n{claim(sampled, 50)}\n\n{claim_table(sampled, 50)}",
        *(f"### tau-a against {name}\n\n{tau_table(sampled, name)}" for name in ESTABLISHED),
        "### Reuse: models from one half of the documents, runs over the other\n\n"
        f"tau-a against alpha-nDCG@{CUTOFF} of the second half.\n\n" + reuse_table(disjoint, MUS),
    ]
    return "\n\n".join(parts)


LOADERS: dict[str, Callable[[], Diverse]] = {"dl19": dl19, "ambient": ambient}
PARTS = (PERCENTS[:3], (*PERCENTS[3:], 100), ())
"""What one process works on: some percentages, or (for none) the disjoint halves."""


def work(name: str, percents: Sequence[int], repetitions: int) -> Found:
    data = LOADERS[name]()
    if percents:
        return sample(data, repetitions, percents), {}
    return Sampled({}, {}), reuse(data, repetitions, MUS)


def joined(parts: Sequence[Found]) -> Found:
    """What several processes found, as one."""
    lists, ours, halves = ({}, {}, {})
    for one, disjoint in parts:
        lists |= one.lists
        ours |= one.ours
        halves |= disjoint
    return Sampled(lists, ours), halves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--taus", type=Path, help="a file to keep all taus in; where it exists, only the text is written"
    )
    given = parser.parse_args()
    if given.taus and given.taus.exists():
        results = _load(given.taus)
    else:
        with ProcessPoolExecutor(given.jobs) as pool:
            running = {name: [pool.submit(work, name, part, given.repetitions) for part in PARTS] for name in LOADERS}
            results = {name: joined([one.result() for one in parts]) for name, parts in running.items()}
        if given.taus:
            _save(given.taus, results)
    sections = [section(load(), *results[name]) for name, load in LOADERS.items()]
    body = "\n\n".join([HEAD.format(repetitions=given.repetitions), *sections])
    (RESULTS / "few-subtopic-judgments.md").write_text(body + "\n", encoding="utf-8")


HEAD = """# Diversity with few judgments

Made by `experiments/few_subtopic_judgments.py`; do not edit. What follows from it is in `docs/texts.md`.

The question is that of Hui, Berberich and Mele (ICTIR 2017): p% of each topic's judgments are left, drawn
{repetitions} times; how well does a method then rank the systems, compared with an established measure on all
judgments? *Raw list* is the established measure on what is left, unjudged documents counting as not relevant;
*condensed list* drops them first; the other methods are the measures of texts, whose models are made of the relevant
documents that are left.
Sizes are exact (`unjudged.simulate.KeepFraction`), the cut-off is 20 (NRBP reads whole runs), theta is 0.8, and tau is
tau-a.

Intervals are 95% t intervals of the mean over the samples: they say how sure the mean is, for these topics and these
systems, and nothing about others. *Above* and *below* mean that the interval of the paired difference from the better
of the two lists leaves 0 out."""


if __name__ == "__main__":
    main()
