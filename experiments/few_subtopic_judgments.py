"""Which system covers the subtopics best, when few documents are judged? Paper 5, sections 5.2 to 5.4, on other data.

    python experiments/few_subtopic_judgments.py            # everything, about 20 minutes on one core
    python experiments/few_subtopic_judgments.py --repetitions 3

Writes experiments/results/few-subtopic-judgments.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from collections_at_hand import RESULTS, markdown_table
from diverse_collections import SEED, Diverse, ambient, dl19
from numpy.typing import NDArray
from scipy.stats import t as student

import unjudged as uj
from unjudged.data.joined import join_runs
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import join
from unjudged.measures import Measure, measures
from unjudged.simulate import KeepFraction, KeepHalf
from unjudged.simulate.samples import in_first_half

Floats = NDArray[np.float64]

PERCENTS = (1, 2, 5, 10, 15, 30, 50)
MUS = (10, 50, 250, 1000, 2500, 10_000)
PAPER_MU = 2500
CUTOFF = 20
ESTABLISHED = ("alpha_nDCG", "ERR_IA", "NRBP")
OURS = ("ABSNB", "ABSRB", "DELTANB", "DELTARB")
LISTS = ("raw list", "condensed list")
BELOW = 15
"""The paper's claim is about fewer judgments than so many percent."""


def established(name: str, rel: int) -> Measure:
    return measures.parse(f"{name}(rel={rel})" if name == "NRBP" else f"{name}(rel={rel})@{CUTOFF}")


def divergence(name: str, rel: int, mu: float) -> Measure:
    return measures.parse(f"{name}(rel={rel},mu={mu})@{CUTOFF}")


def means(measure: Measure, runs: Sequence[Run], qrels: Qrels, *, condensed: bool = False) -> Floats:
    views = (join(run, qrels) for run in runs)
    values = (measure.score(view.condensed() if condensed else view) for view in views)
    return np.array([measure.summarise(value) for value in values])


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


def sample(data: Diverse, repetitions: int) -> Sampled:
    truth = {name: means(established(name, data.rel), data.runs, data.qrels) for name in ESTABLISHED}
    tops = [run.top(CUTOFF) for run in data.runs]  # all that measures of texts look at
    lists: dict[tuple[str, str, int], list[float]] = {}
    ours: dict[tuple[str, float, str, int], list[float]] = {}
    for percent in (*PERCENTS, 100):
        for repetition in range(repetitions if percent < 100 else 1):
            sampling = KeepFraction(p=f"{percent}%", draw="alike", rel=data.rel)
            left = sampling.leave(join_runs(data.qrels), seed=SEED, repetition=repetition).of(data.qrels)
            for name in ESTABLISHED:
                measure = established(name, data.rel)
                for kind in LISTS:
                    found = means(measure, data.runs, left, condensed=kind == LISTS[1])
                    lists.setdefault((kind, name, percent), []).append(tau(truth[name], found))
            views = [join(run, left) for run in tops]
            for mu in MUS:
                for one in OURS:
                    measure = divergence(one, data.rel, mu)
                    found = np.array([measure.summarise(measure.score(view)) for view in views])
                    for name in ESTABLISHED:
                        ours.setdefault((one, mu, name, percent), []).append(tau(truth[name], found))
        print(f"{data.name}: {percent}%", flush=True)
    return Sampled({key: np.array(v) for key, v in lists.items()}, {key: np.array(v) for key, v in ours.items()})


# ---- reuse on a disjoint collection


def reuse(data: Diverse, repetitions: int, mus: Sequence[float]) -> dict[tuple[str, str, float], Floats]:
    """tau against alpha-nDCG on the second half of the documents, with models from the first half or from the second.

    Runs return documents of the second half only. By measure, whose judgments the models are from, and mu.
    """
    found: dict[tuple[str, str, float], list[float]] = {}
    measure, joined = established("alpha_nDCG", data.rel), join_runs(data.qrels)
    for repetition in range(repetitions):
        halves = {
            which: KeepHalf(which=which).leave(joined, seed=SEED, repetition=repetition).of(data.qrels)
            for which in ("first", "second")
        }
        runs = [_without(run, in_first_half(run.docs, seed=SEED, repetition=repetition)) for run in data.runs]
        truth = means(measure, runs, halves["second"])
        tops = [run.top(CUTOFF) for run in runs]
        for which, qrels in halves.items():
            views = [join(run, qrels) for run in tops]
            for mu in mus:
                for one in OURS:
                    scored = divergence(one, data.rel, mu)
                    estimate = np.array([scored.summarise(scored.score(view)) for view in views])
                    found.setdefault((one, which, mu), []).append(tau(truth, estimate))
    print(f"{data.name}: disjoint halves", flush=True)
    return {key: np.array(values) for key, values in found.items()}


def _without(run: Run, gone: NDArray[np.bool_]) -> Run:
    rows = np.flatnonzero(~gone)
    bounds = np.concatenate([[0], np.cumsum(~gone)])[run.bounds].astype(np.int64)
    return Run(run.name, run.topics, bounds, run.docs.take(rows), run.scores[rows], run.source)


# ---- words and tables


def half_width(values: Floats) -> float:
    """Of the 95% t interval of the mean."""
    n = len(values)
    return 0.0 if n < 2 else float(student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def cell(values: Floats) -> str:
    width = f" ±{half_width(values):.2f}".replace("0.", ".") if len(values) > 1 else ""
    return f"{values.mean():.2f}".replace("0.", ".", 1) + width


def tau_table(found: Sampled, name: str) -> str:
    rows: list[list[str]] = [[kind, *(cell(found.lists[kind, name, p]) for p in PERCENTS), "1"] for kind in LISTS]
    rows[1][-1] = cell(found.lists[LISTS[1], name, 100])
    for one in OURS:
        for mu in MUS:
            row = [cell(found.ours[one, mu, name, p]) for p in (*PERCENTS, 100)]
            rows.append([f"{one}, mu = {mu:,}", *row])
    return markdown_table(["method", *(f"{p}%" for p in PERCENTS), "100%"], rows)


def best_list(found: Sampled, name: str, percent: int) -> Floats:
    """The better of the two lists, by its mean: what a user of the established measure would choose."""
    return max((found.lists[kind, name, percent] for kind in LISTS), key=lambda values: float(values.mean()))


def verdict(found: Sampled, one: str, mu: float, name: str, percent: int) -> tuple[str, str]:
    apart = found.ours[one, mu, name, percent] - best_list(found, name, percent)
    width = half_width(apart)
    word = "above" if apart.mean() > width else "below" if apart.mean() < -width else "equal"
    return word, f"{apart.mean():+.2f} ±{width:.2f}".replace("0.", ".")


def claim_table(found: Sampled, mu: float) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = [
        [f"{one} / {name}", *(" ".join(reversed(verdict(found, one, mu, name, p))) for p in few)]
        for name in ESTABLISHED
        for one in OURS
    ]
    return markdown_table(["measure / truth", *(f"{p}%" for p in few)], rows)


def tally(found: Sampled, mu: float) -> str:
    """How many of the comparisons below 15% come out above, equal and below."""
    few = [p for p in PERCENTS if p < BELOW]
    words = [verdict(found, one, mu, name, p)[0] for one in OURS for name in ESTABLISHED for p in few]
    return f"{words.count('above')} / {words.count('equal')} / {words.count('below')}"


def mu_table(found: Sampled) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = []
    for mu in MUS:
        taus = [np.mean([found.ours[one, mu, n, p].mean() for one in OURS for n in ESTABLISHED]) for p in (*few, 100)]
        rows.append([f"{mu:,}", *(f"{value:.3f}" for value in taus), tally(found, mu)])
    head = ["mu", *(f"{p}%" for p in (*few, 100)), f"below {BELOW}%: above / equal / below the better list"]
    return markdown_table(head, rows)


def reuse_table(found: dict[tuple[str, str, float], Floats], mus: Sequence[float]) -> str:
    rows = [
        [f"{one}, mu = {mu:,}", cell(found[one, "first", mu]), cell(found[one, "second", mu])]
        for one in OURS
        for mu in mus
    ]
    return markdown_table(["measure", "models from the other half", "models from the same half"], rows)


def section(data: Diverse, found: Sampled, disjoint: dict[tuple[str, str, float], Floats]) -> str:
    parts = [
        f"## {data.name}\n\n{data.words} Mean length of a text: {data.mean_length:.0f} words.",
        "### Which mu?\n\nMean tau-a over the four measures and the three truths.\n\n" + mu_table(found),
        f"### Against the better list, mu = {PAPER_MU:,} (the paper's)\n\n"
        "Mean difference of tau-a, paired by sample, with its 95% interval.\n\n" + claim_table(found, PAPER_MU),
        "### Against the better list, mu = 50\n\n" + claim_table(found, 50),
        *(f"### tau-a against {name}\n\n{tau_table(found, name)}" for name in ESTABLISHED),
        "### Reuse: models from one half of the documents, runs over the other\n\n"
        f"tau-a against alpha-nDCG@{CUTOFF} of the second half.\n\n" + reuse_table(disjoint, MUS),
    ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30)
    given = parser.parse_args()
    loaders: list[Callable[[], Diverse]] = [dl19, ambient]
    sections = []
    for load in loaders:
        data = load()
        sections.append(section(data, sample(data, given.repetitions), reuse(data, given.repetitions, MUS)))
    text = (RESULTS / "few-subtopic-judgments.head.md").read_text() if False else HEAD
    body = "\n\n".join([text.format(repetitions=given.repetitions), *sections])
    (RESULTS / "few-subtopic-judgments.md").write_text(body + "\n", encoding="utf-8")


HEAD = """# Diversity with few judgments

Made by `experiments/few_subtopic_judgments.py`; do not edit."""


if __name__ == "__main__":
    main()
