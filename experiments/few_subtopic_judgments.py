"""Which system covers the subtopics best, when few documents are judged? Paper 5, sections 5.2 to 5.4, on other data.

    python experiments/few_subtopic_judgments.py            # everything, about six minutes on one core
    python experiments/few_subtopic_judgments.py --repetitions 5

Writes experiments/results/few-subtopic-judgments.md.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from collections_at_hand import markdown_table
from diverse_collections import SEED, Diverse, ambient, dl19
from pages import save_page
from scipy.stats import t as student

import unjudged as uj
from unjudged.arrays import Floats
from unjudged.measures import measures
from unjudged.measures.smoothing import fitted_mu

PERCENTS = (1, 5, 10, 15, 30, 50)
MUS = ("10", "50", "250", "2500", "fitted")
PAPER_MU = "2500"
CUTOFF = 20
ESTABLISHED = ("alpha_nDCG", "ERR_IA", "NRBP")
OURS = ("ABSNB", "ABSRB", "DELTANB", "DELTARB")
LISTS = {"raw list": "nonrelevant", "condensed list": "condensed"}
WORDS = ("above", "equal", "below")
BELOW = 15
"""The paper's claim is about fewer judgments than so many percent."""

Key = tuple[str, str, str, str]
"""Degradation, measure, hole model, truth."""


def established(name: str, rel: int) -> str:
    return f"{name}(rel={rel})" if name == "NRBP" else f"{name}(rel={rel})@{CUTOFF}"


def divergence(name: str, rel: int, mu: str) -> str:
    return f"{name}(rel={rel},mu={mu})@{CUTOFF}"


@dataclass(frozen=True)
class Tried:
    """tau-a of every method against every established measure, draw by draw."""

    taus: dict[Key, Floats]
    data: Diverse

    def of_list(self, kind: str, name: str, percent: int) -> Floats:
        measure = established(name, self.data.rel)
        return self._of(percent, measure, LISTS[kind], measure)

    def of_text(self, one: str, mu: str, name: str, percent: int) -> Floats:
        truth = established(name, self.data.rel)
        return self._of(percent, divergence(one, self.data.rel, mu), "nonrelevant", truth)

    def of_half(self, one: str, mu: str, which: str) -> Floats:
        how = "OtherHalf" if which == "other" else f"OtherHalf({which!r})"
        truth = established("alpha_nDCG", self.data.rel)
        return self.taus[how, printed(divergence(one, self.data.rel, mu)), "nonrelevant", printed(truth)]

    def _of(self, percent: int, measure: str, holes: str, truth: str) -> Floats:
        how = f"KeepFraction({percent / 100:g},draw='alike'" + (f",rel={self.data.rel})" if self.data.rel > 1 else ")")
        return self.taus[how, printed(measure), holes, printed(truth)]


def printed(measure: str) -> str:
    """A measure as results have it."""
    return str(measures.parse(measure))


def ask(data: Diverse, asked: Iterable[str], truths: Iterable[str], degrade: Iterable[str], repeat: int) -> dict:
    """tau-a of each draw, by what it is about."""
    result = uj.reuse(
        data.qrels,
        data.runs,
        list(asked),
        truth=list(truths),
        degrade=list(degrade),
        holes=list(LISTS.values()),
        texts=data.qrels.texts,
        never_judged="nonrelevant",  # as in the paper: whole runs
        repeat=repeat,
        seed=SEED,
        jobs=1,
    )
    taus: dict[Key, list[float]] = {}
    rows = [*result.tables.repetitions, *(row for row in result.correlations() if row.repetitions == 1)]
    for row in rows:
        values = taus.setdefault((row.degradation, row.measure, row.holes, row.truth), [])
        values += [row.tau_a] if len(values) < repeat else []
    return {key: np.array(values) for key, values in taus.items()}


def try_all(data: Diverse, repeat: int) -> Tried:
    names = [established(name, data.rel) for name in ESTABLISHED]
    texts = [divergence(one, data.rel, mu) for one in OURS for mu in MUS]
    samples = [f"KeepFraction({percent}%,draw=alike,rel={data.rel})" for percent in PERCENTS]
    every = [f"KeepFraction(100%,draw=alike,rel={data.rel})"]
    taus: dict[Key, Floats] = {}
    for degrade, draws in ((samples, repeat), (every, 1)):
        for name in names:
            taus |= ask(data, [name], [name], degrade, draws)
        taus |= ask(data, texts, names, degrade, draws)
    taus |= ask(data, texts, names[:1], ["OtherHalf", "OtherHalf(same)"], repeat)
    print(data.name, flush=True)
    return Tried(taus, data)


# ---- words and tables


def half_width(values: Floats) -> float:
    """Of the 95% t interval of the mean."""
    n = len(values)
    return 0.0 if n < 2 else float(student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def cell(values: Floats) -> str:
    width = f" ±{half_width(values):.2f}".replace("0.", ".") if len(values) > 1 else ""
    return f"{values.mean():.2f}".replace("0.", ".", 1) + width


def tau_table(tried: Tried, name: str) -> str:
    rows = [[kind, *(cell(tried.of_list(kind, name, p)) for p in (*PERCENTS, 100))] for kind in LISTS]
    for one in OURS:
        for mu in MUS:
            row = [cell(tried.of_text(one, mu, name, p)) for p in (*PERCENTS, 100)]
            rows.append([f"{one}, mu = {mu}", *row])
    return markdown_table(["method", *(f"{p}%" for p in PERCENTS), "100%"], rows)


def best_list(tried: Tried, name: str, percent: int) -> Floats:
    """The better of the two lists, by its mean: what a user of the established measure would choose."""
    return max((tried.of_list(kind, name, percent) for kind in LISTS), key=lambda values: float(values.mean()))


def verdict(tried: Tried, one: str, mu: str, name: str, percent: int) -> tuple[str, str]:
    apart = tried.of_text(one, mu, name, percent) - best_list(tried, name, percent)
    width = half_width(apart)
    word = "above" if apart.mean() > width else "below" if apart.mean() < -width else "equal"
    return word, f"{apart.mean():+.2f} ±{width:.2f}".replace("0.", ".")


def claim_table(tried: Tried, mu: str) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = [
        [f"{one} / {name}", *(" ".join(reversed(verdict(tried, one, mu, name, p))) for p in few)]
        for name in ESTABLISHED
        for one in OURS
    ]
    return markdown_table(["measure / truth", *(f"{p}%" for p in few)], rows)


def tally(tried: Tried, mu: str) -> Counter[str]:
    """How many of the comparisons below 15% come out above, equal and below."""
    few = [p for p in PERCENTS if p < BELOW]
    return Counter(verdict(tried, one, mu, name, p)[0] for one in OURS for name in ESTABLISHED for p in few)


def claim(tried: Tried, mu: str) -> str:
    """The paper's claim, in words."""
    words = tally(tried, mu)
    return (
        f"Of {words.total()} comparisons below {BELOW}% (four measures, three truths), the measures of texts are above"
        f" the better list in {words['above']}, equal in {words['equal']} and below in {words['below']}."
    )


def mu_table(tried: Tried) -> str:
    few = [p for p in PERCENTS if p <= BELOW]
    rows = []
    for mu in MUS:
        taus = [
            np.mean([tried.of_text(one, mu, n, p).mean() for one in OURS for n in ESTABLISHED]) for p in (*few, 100)
        ]
        rows.append([mu, *(f"{value:.3f}" for value in taus), " / ".join(str(tally(tried, mu)[w]) for w in WORDS)])
    head = ["mu", *(f"{p}%" for p in (*few, 100)), f"below {BELOW}%: above / equal / below the better list"]
    return markdown_table(head, rows)


def reuse_table(tried: Tried) -> str:
    rows = [
        [f"{one}, mu = {mu}", cell(tried.of_half(one, mu, "other")), cell(tried.of_half(one, mu, "same"))]
        for one in OURS
        for mu in MUS
    ]
    return markdown_table(["measure", "models from the other half", "models from the same half"], rows)


def section(tried: Tried, fitted: float) -> str:
    data = tried.data
    parts = [
        f"## {data.name}\n\n{data.words} Mean length of a text: {data.mean_length:.0f} words; mu fitted to them:"
        f" {fitted:.0f}.",
        "### Which mu?\n\nMean tau-a over the four measures and the three truths.\n\n" + mu_table(tried),
        f"### Against the better list, mu = {PAPER_MU} (the paper's)\n\n{claim(tried, PAPER_MU)} The table has the"
        f" mean difference of tau-a, paired by sample, with its 95% interval.\n\n{claim_table(tried, PAPER_MU)}",
        *(
            f"### Against the better list, mu = {mu}\n\n{claim(tried, mu)}\n\n{claim_table(tried, mu)}"
            for mu in ("50", "fitted")
        ),
        *(f"### tau-a against {name}\n\n{tau_table(tried, name)}" for name in ESTABLISHED),
        "### Reuse: models from one half of the documents, runs over the other\n\n"
        f"tau-a against alpha-nDCG@{CUTOFF} of the second half.\n\n" + reuse_table(tried),
    ]
    return "\n\n".join(parts)


HEAD = """# Diversity with few judgments

What follows from this page is in [docs/texts.md](../../docs/texts.md).

The question is that of Hui, Berberich and Mele (ICTIR 2017): p% of each topic's judgments are left, drawn
{repetitions} times; how well does a method then rank the systems, compared with an established measure on all
judgments? *Raw list* is the established measure on what is left, unjudged documents counting as not relevant;
*condensed list* drops them first; the other methods are the measures of texts, whose models are made of the relevant
documents that are left. All of it is `unjudged reuse --never-judged nonrelevant --degrade 'KeepFraction(p,draw=alike)'`
and, for the halves, `--degrade OtherHalf`. Sizes are exact, the cut-off is 20 (NRBP reads whole runs), theta is 0.8,
and tau is tau-a. `mu = fitted` is chosen by leave-one-out cross-validation on the texts.

Intervals are 95% t intervals of the mean over the samples: they say how sure the mean is, for these topics and these
systems, and nothing about others. *Above* and *below* mean that the interval of the paired difference from the better
of the two lists leaves 0 out."""
LOADERS: tuple[Callable[[], Diverse], ...] = (dl19, ambient)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=30)
    given = parser.parse_args()
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    sections = []
    for load in LOADERS:
        data = load()
        sections.append(section(try_all(data, given.repetitions), fitted_mu(data.qrels)))
    body = "\n\n".join([HEAD.format(repetitions=given.repetitions), *sections])
    save_page("few-subtopic-judgments", body, seeds=f"seed {SEED}")


if __name__ == "__main__":
    main()
