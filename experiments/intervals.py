"""Do intervals of evidence hold what they promise? Leave out each group, and calibrate on the others.

python experiments/intervals.py            # writes experiments/results/intervals.md
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from collections_at_hand import SHARED, Collection, dl19, markdown_table, trec8
from pages import save_page

import unjudged as uj
from unjudged.api import read_measure
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Evidence, Settings
from unjudged.holes.calibration import calibrate, conformal_factor
from unjudged.holes.evidence_model.left_out_groups import left_out_misses, left_out_runs
from unjudged.holes.evidence_model.model import EvidenceModel

LEVEL = 0.9
PREFACE = """# Intervals of evidence, calibrated on left-out groups

Each group is left out in turn and its contributing runs are estimated (`left_out_groups.py`; documents that nobody
judged are left out of their rankings). Promised are 90%, draws are 200, and the pool depth is given. *held* is an
average over groups: with the model alone / with the factor that follows from the other groups only. *width* is the mean
width of the intervals of means, likewise. *factor* is what all groups together say, for a run to come. RMSE is per
topic / of means. Only runs and topics with something to estimate count.
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
    yield Collection("TREC-COVID round 1", qrels, runs, team_of), 7, ["nDCG@5", "nDCG@10", "P@5", "RBP", "AP"]


def row(evidence: EvidenceModel, collection: Collection, name: str) -> list[object]:
    """What left-out groups say about one measure."""
    runs = list(left_out_runs(evidence, read_measure(name), ideal_follows=True))
    model = Evidence()
    misses = left_out_misses(
        iter(runs), lambda draws, share: model.interval(draws, None, Settings().holding(share)), LEVEL
    )
    calibration = calibrate(misses, LEVEL)
    before, after = [], []
    for run in runs:
        others = misses.groups != run.group
        factor = conformal_factor(misses.errors[others], misses.groups[others], LEVEL)
        low, high = model.interval(run.draws.mean(axis=0)[None], None, Settings())[0].tolist()
        before.append(high - low)
        after.append(np.nan if factor is None else factor * (high - low))
    off = np.concatenate([(one.draws.mean(axis=1) - one.truth)[one.has_holes] for one in runs])
    of_means = np.array([one.draws.mean() - one.truth.mean() for one in runs])
    weights = 1 / np.bincount(misses.groups)[misses.groups]
    of_topics = (misses.held * weights[:, None]).sum(axis=0) / weights.sum()
    return [
        collection.name,
        name,
        f"{len(runs)} / {calibration.groups}",
        f"{np.sqrt(np.mean(off**2)):.3f} / {np.sqrt(np.mean(of_means**2)):.4f}",
        "-" if calibration.factor is None else f"{calibration.factor:.2f}",
        f"{calibration.held_before:.0%} / {calibration.held:.0%}",
        f"{np.mean(before):.4f} / {np.mean(after):.4f}",
        f"{of_topics[0]:.0%} / {of_topics[misses.levels.tolist().index(calibration.of_topics)]:.0%}",
    ]


def main() -> None:
    """Write the page."""
    rows = []
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    for collection, depth, measures in collections():
        given = uj.Collection(collection.qrels, list(collection.runs), groups=collection.team_of, pool_depth=depth)
        informed = collect_occurrences(given, [Evidence()], depth=None)[0]
        assert informed.occurrences is not None
        evidence = EvidenceModel(informed.qrels, informed.occurrences, depth)
        rows += [row(evidence, collection, name) for name in measures]
    head = ["collection", "measure", "runs / groups", "RMSE", "factor", "means held", "width", "topics held"]
    save_page("intervals", f"{PREFACE}\n{markdown_table(head, rows, left=2)}\n", seeds="seed 42")


if __name__ == "__main__":
    main()
