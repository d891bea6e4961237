"""How much do errors and intervals of evidence depend on each of its constants?

python experiments/evidence_constants.py            # writes experiments/results/evidence-constants.md
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import islice
from types import ModuleType

import numpy as np
from collections_at_hand import markdown_table
from intervals import LEVEL, MODEL, Evidence, calibrated, collections, intervals
from pages import save_page

import unjudged as uj
import unjudged.holes.evidence_model.model as model
import unjudged.holes.evidence_model.ordinal as ordinal
import unjudged.holes.evidence_model.pool_contributions as contributions
import unjudged.holes.evidence_model.variance_components as components
from unjudged.api import read_measure
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Settings
from unjudged.holes.evidence_model.left_out_groups import left_out_misses, left_out_runs

CONSTANTS: tuple[tuple[ModuleType, str, str], ...] = (
    (ordinal, "RIDGE", "precision of the weights' prior distribution"),
    (model, "_POOL", "examples' worth of the pool's grades"),
    (contributions, "FUSION", "constant of reciprocal rank fusion"),
    (contributions, "_LEAST_SUPPORT", "support that a document without any has"),
    (contributions, "_MARGIN", "margin of log odds of mean grades"),
    (contributions, "_RUN_SHRINKAGE", "documents of a run's average that join those on a topic"),
    (contributions, "_POOL_SHRINKAGE", "documents of the collection that join those of a topic"),
    (contributions, "_ELSEWHERE", "ranks within which a document is counted on other topics"),
    (components, "PRIOR_RUN", "prior median of the scale of runs"),
    (components, "PRIOR_CELL", "prior median of the scale of runs on a topic"),
    (components, "PRIOR_SPREAD", "spread of the logarithms of both"),
)
MEASURES = {"DL19": "nDCG@10", "TREC-COVID round 1": "nDCG@5"}
RUNS, DRAWS = 40, 100
PREFACE = f"""# Constants of evidence, halved and doubled

RMSE per topic / of means, and the share of the means that 90% intervals hold, calibrated on the other groups, with one
constant other than shipped. Groups are left out as in intervals.md; the first {RUNS} runs of left-out groups, {DRAWS}
draws. Constants of the calibration are in [intervals.md](intervals.md).
"""

Given = tuple[str, Qrels, OccurrencesInRuns, int]


def given() -> Iterator[Given]:
    """Judgments, where runs have documents, and the pool's depth."""
    for collection, depth, _ in collections():
        if collection.name in MEASURES:
            one = uj.Collection(collection.qrels, list(collection.runs), groups=collection.team_of, pool_depth=depth)
            informed = collect_occurrences(one, [Evidence()], depth=None)[0]
            assert informed.occurrences is not None
            yield collection.name, informed.qrels, informed.occurrences, depth


def cell(one: Given) -> str:
    """What becomes of left-out runs."""
    name, qrels, occurrences, depth = one
    evidence = model.EvidenceModel(qrels, occurrences, depth)
    measure = read_measure(MEASURES[name])
    runs = list(islice(left_out_runs(evidence, measure, ideal_follows=True, draws=DRAWS), RUNS))
    misses = left_out_misses(
        iter(runs), lambda draws, share: MODEL.interval(draws, None, Settings().holding(share)), LEVEL
    )
    topics = np.concatenate([(run.draws.mean(axis=1) - run.truth)[run.has_holes] for run in runs])
    means = misses.draws.mean(axis=1) - misses.truths
    held = misses.hold(intervals(calibrated(misses))).mean()
    return f"{np.sqrt(np.mean(topics**2)):.4f} / {np.sqrt(np.mean(means**2)):.4f}, {held:.0%}"


def main() -> None:
    """Write the page."""
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    every = list(given())
    rows = [["as shipped", "", *map(cell, every)]]
    for module, name, words in CONSTANTS:
        usual = getattr(module, name)
        for changed in (usual / 2, usual * 2):
            setattr(module, name, changed)
            rows.append([words, f"{changed:g} (not {usual:g})", *map(cell, every)])
        setattr(module, name, usual)
    head = ["constant", "changed to", *(f"{one[0]}, {MEASURES[one[0]]}" for one in every)]
    save_page("evidence-constants", f"{PREFACE}\n{markdown_table(head, rows, left=2)}\n", seeds="seed 42")


if __name__ == "__main__":
    main()
