"""Do intervals of evidence hold what they promise? Leave out each group, and calibrate on the others.

python experiments/intervals.py            # writes experiments/results/intervals.md
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from collections_at_hand import SHARED, Collection, dl19, judged_part, markdown_table, trec8
from pages import save_page
from scipy.stats import t as student

import unjudged as uj
import unjudged.holes.interval_calibration as calibration_module
from unjudged.api import read_measure
from unjudged.arrays import Flags, Floats
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Evidence, Settings
from unjudged.holes.evidence_model.left_out_groups import left_out_misses, left_out_runs
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.interval_calibration import Misses, calibrate, error_scale, widened

LEVEL = 0.9
EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 1 + 1e-9)
MODEL = Evidence()
PREFACE = """# Intervals of evidence, calibrated on left-out groups

Each group is left out in turn and its contributing runs are estimated (`left_out_groups.py`; documents that nobody
judged are left out of their rankings). Promised are 90%, draws are 200, and the pool depth is given. *held* is over
runs, and in brackets an average over groups: with the model alone / with the scale of errors that follows from the
other groups only. *width* is the mean width of the intervals of means, likewise. *scale* is what all groups together
say of errors of a run to come. RMSE is per topic / of means. Only runs and topics with something to estimate count.
"""
CURVE = """## Is P(A>B) right?

Pairs of a left-out run and one of any other, whose score is known. For each tenth of P(A>B), of the run that is said to
be the better one: the share of the pairs that are in the right order, of how many (all measures; a run's pairs hang
together, and so do those of a group).
"""
CONSTANTS = """## How much depends on the constants

Shares of means held (over runs of all measures), and of pairs of a left-out run and one of another group that are in
the right order where P(A>B) is between .7 and .8 / .8 and .9: they should be 75% and 85%. *log density* is what the
calibration gives to the error of a group to come, in standard deviations of the draws, on average over groups: the
higher, the better. *cross-conformal*: instead of the scale, the 90% quantile of the errors over the other groups and
one more at infinity, and draws that are all as much wider.
"""


def collections() -> Iterator[tuple[Collection, int, list[str]]]:
    """Each with its pool depth and measures."""
    yield dl19(), 10, ["nDCG@5", "nDCG@10", "P(rel=2)@10", "RBP(rel=2)", "AP(rel=2)"]
    base = dl19()
    diverse = uj.read_qrels(SHARED / "dl19" / "exam-questions-as-subtopics.diversity-qrels.gz")
    plain = uj.read_qrels(
        {
            topic: {
                doc: int(grade)
                for doc, grade in zip(
                    list(diverse.docs)[slice(*span)], diverse.grades[slice(*span)].tolist(), strict=True
                )
            }
            for topic, span in zip(
                diverse.topics, np.stack([diverse.offsets[:-1], diverse.offsets[1:]], 1), strict=True
            )
        }
    )
    yield Collection("DL19, best answered question as grade", plain, base.runs, base.team_of), 10, [
        "nDCG@5", "nDCG@10", "P(rel=4)@10", "RBP(rel=4)", "AP(rel=4)",
    ]  # fmt: skip
    yield trec8(), 10, ["nDCG@5", "nDCG@10", "P@10", "RBP", "AP"]
    folder = SHARED / "trec-covid-round1"
    team_of = dict(line.split()[:2] for line in (folder / "groups.tsv").read_text().splitlines() if line.strip())
    runs = tuple(uj.read_runs(folder / "runs", scores="float32"))
    qrels = uj.read_qrels(folder / "qrels.covid-round1.txt.gz")
    measures = ["nDCG@5", "nDCG@10", "P@5", "P@10", "RBP", "AP"]
    yield Collection("TREC-COVID round 1", qrels, runs, team_of), 7, measures


class LeftOut(NamedTuple):
    """What became of the groups of a collection, with one measure."""

    collection: str
    measure: str
    misses: Misses
    errors: Floats
    """Of topics with something to estimate."""
    true_means: Floats
    """Of all runs."""


def left_out(evidence: EvidenceModel, collection: Collection, name: str) -> LeftOut:
    """Leave out each group."""
    runs = list(left_out_runs(evidence, read_measure(name), ideal_follows=True))
    misses = left_out_misses(
        iter(runs), lambda draws, share: MODEL.interval(draws, None, Settings().holding(share)), LEVEL
    )
    errors = np.concatenate([(one.draws.mean(axis=1) - one.truth)[one.has_holes] for one in runs])
    parts = [judged_part(run, collection.qrels) for run in collection.runs]
    truth = uj.score(collection.qrels, parts, name, jobs=1)
    return LeftOut(collection.name, name, misses, errors, truth.means[0, 0])


def intervals(draws: Floats) -> Floats:
    """Of means."""
    return MODEL.interval(draws, None, Settings().holding(LEVEL))


def row(one: LeftOut) -> list[object]:
    """What left-out groups say about one measure."""
    misses, calibration = one.misses, calibrate(one.misses, intervals, LEVEL)
    after = intervals(calibrated(misses))
    before = intervals(misses.draws)
    off = misses.draws.mean(axis=1) - misses.truths
    weights = 1 / np.bincount(misses.groups)[misses.groups]
    of_topics = (misses.held * weights[:, None]).sum(axis=0) / weights.sum()
    return [
        one.collection,
        one.measure,
        f"{len(misses.groups)} / {calibration.groups}",
        f"{np.sqrt(np.mean(one.errors**2)):.3f} / {np.sqrt(np.mean(off**2)):.4f}",
        f"{calibration.scale:.2f}",
        f"{misses.hold(before).mean():.0%} ({calibration.held_before:.0%})"
        f" / {misses.hold(after).mean():.0%} ({calibration.held:.0%})",
        f"{np.diff(before).mean():.4f} / {np.diff(after).mean():.4f}",
        f"{of_topics[0]:.0%} / {of_topics[misses.levels.tolist().index(calibration.of_topics)]:.0%}",
    ]


# ---- other ways to calibrate


def by_group(misses: Misses, wider: Callable[[Floats, Flags], Floats]) -> Floats:
    """Draws of each group, as much wider as the others say."""
    out = misses.draws.copy()
    for group in np.unique(misses.groups).tolist():
        mine = misses.groups == group
        out[mine] = wider(misses.draws[mine], ~mine)
    return out


def calibrated(misses: Misses) -> Floats:
    """With the scale of the others' errors."""
    errors = misses.errors
    return by_group(misses, lambda draws, others: widened(draws, error_scale(errors[others], misses.groups[others])))


def conformal(misses: Misses) -> Floats:
    """With the 90% quantile of the others' errors, in half-widths of their intervals, and one more at infinity."""
    low, high = intervals(misses.draws).T
    centre = misses.draws.mean(axis=1)
    off = misses.truths - centre
    errors = np.abs(off) / np.maximum(np.where(off > 0, high - centre, centre - low), 1e-12)

    def wider(draws: Floats, others: Flags) -> Floats:
        some, groups = errors[others], misses.groups[others]
        weights = 1 / np.bincount(groups)[groups]
        order = np.argsort(some)
        reached = np.flatnonzero(np.cumsum(weights[order]) >= LEVEL * (weights.sum() + 1) - 1e-9)
        factor = max(1.0, float(some[order[reached[0]]] if len(reached) else some.max()))
        middle = draws.mean(axis=1, keepdims=True)
        return np.asarray(middle + factor * (draws - middle))

    return by_group(misses, wider)


def log_density(misses: Misses) -> float:
    """Of the error of each group, by the scale that the others say."""
    errors, out = misses.errors, []
    for group in np.unique(misses.groups).tolist():
        mine = misses.groups == group
        scale, freedom = error_scale(errors[~mine], misses.groups[~mine]), calibration_module.FREEDOM
        out.append(student(freedom, scale=scale).logpdf(errors[mine]).mean())
    return float(np.mean(out))


CHANGES: dict[str, tuple[str, float] | None] = {
    "as it is": None,
    "prior median of the scale 0.625 (not 1.25)": ("PRIOR_SCALE", 0.625),
    "prior median of the scale 2.5 (not 1.25)": ("PRIOR_SCALE", 2.5),
    "spread of its logarithm 0.25 (not 0.5)": ("PRIOR_SPREAD", 0.25),
    "spread of its logarithm 1 (not 0.5)": ("PRIOR_SPREAD", 1.0),
    "2 degrees of freedom (not 4)": ("FREEDOM", 2.0),
    "8 degrees of freedom (not 4)": ("FREEDOM", 8.0),
}


def constants_table(every: list[LeftOut]) -> str:
    """One constant changed at a time, and the other ways."""
    rows = []
    for words, change in CHANGES.items():
        usual = None if change is None else getattr(calibration_module, change[0])
        if change is not None:
            setattr(calibration_module, *change)
            calibration_module._tails.cache_clear()
        rows += tried(words, every, calibrated, log_density)
        if change is not None:
            setattr(calibration_module, change[0], usual)
            calibration_module._tails.cache_clear()
    rows += tried("cross-conformal", every, conformal, None)
    rows += tried("the model alone", every, lambda misses: misses.draws, None)
    names = list(dict.fromkeys(one.collection for one in every))
    return markdown_table(["changed", *names, "log density"], rows)


def tried(
    words: str, every: list[LeftOut], wider: Callable[[Misses], Floats], density: Callable[[Misses], float] | None
) -> list[list[str]]:
    """A row of the table."""
    cells = []
    for name in dict.fromkeys(one.collection for one in every):
        held, chances, rights = [], [], []
        for one in (one for one in every if one.collection == name):
            draws = wider(one.misses)
            held += one.misses.hold(intervals(draws)).tolist()
            chance, right = pairs(one, draws)
            chances.append(chance)
            rights.append(right)
        chance, right = np.concatenate(chances), np.concatenate(rights)
        shares = [f"{right[(chance >= low) & (chance < high)].mean():.0%}" for low, high in list(pairwise(EDGES))[2:4]]
        cells.append(f"{np.mean(held):.0%}; {' / '.join(shares)}")
    return [[words, *cells, "" if density is None else f"{np.mean([density(one.misses) for one in every]):.3f}"]]


def curve_table(every: list[LeftOut]) -> str:
    """For each tenth of P(A>B), how often it is right."""
    rows = []
    for name in dict.fromkeys(one.collection for one in every):
        some = [pairs(one, calibrated(one.misses)) for one in every if one.collection == name]
        chance, right = (np.concatenate(column) for column in zip(*some, strict=True))
        cells = []
        for low, high in pairwise(EDGES):
            here = (chance >= low) & (chance < high)
            cells.append(f"{right[here].mean():.0%} of {here.sum():,}")
        rows.append([name, *cells])
    return markdown_table(["collection", *(f"{low:.1f} to {min(high, 1):.1f}" for low, high in pairwise(EDGES))], rows)


def pairs(one: LeftOut, draws: Floats) -> tuple[Floats, Flags]:
    """P(A>B) for the better one of each left-out run and each other, whose score is known; and whether it is."""
    chances, rights = [], []
    for drawn, truth in zip(draws, one.misses.truths.tolist(), strict=True):
        others = one.true_means[np.abs(one.true_means - truth) > 1e-9]
        above = (drawn[:, None] > others).mean(axis=0)
        chances.append(np.maximum(above, 1 - above))
        rights.append((above > 0.5) == (truth > others))
    return np.concatenate(chances), np.concatenate(rights)


def main() -> None:
    """Write the page."""
    every = []
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    for collection, depth, measures in collections():
        given = uj.Collection(collection.qrels, list(collection.runs), groups=collection.team_of, pool_depth=depth)
        informed = collect_occurrences(given, [Evidence()], depth=None)[0]
        assert informed.occurrences is not None
        evidence = EvidenceModel(informed.qrels, informed.occurrences, depth)
        every += [left_out(evidence, collection, name) for name in measures]
    head = ["collection", "measure", "runs / groups", "RMSE", "scale", "means held", "width", "topics held"]
    table = markdown_table(head, map(row, every), left=2)
    tables = f"{table}\n\n{CURVE}\n{curve_table(every)}\n\n{CONSTANTS}\n{constants_table(every)}"
    save_page("intervals", f"{PREFACE}\n{tables}\n", seeds="seed 42")


if __name__ == "__main__":
    main()
