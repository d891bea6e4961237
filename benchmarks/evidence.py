"""What evidence from other runs costs; writes benchmarks/EVIDENCE.md.

    python benchmarks/evidence.py

The real collections are where UNJUDGED_SHARED points. Each line is a fresh process, so that memory is its own.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "experiments"))

DEPTH = 10
FITS_S, FITS_MB, MORE_S = 60, 1000, 3


def leave_one_group_out() -> dict[str, float]:
    """All 41 fits of TREC-8 for holes within depth 10, each with probabilities for the left-out group's holes."""
    import numpy as np
    from collections_at_hand import trec8

    from unjudged.api import Collection, read_holes
    from unjudged.data.view import join
    from unjudged.engine.preparation.document_occurrences import collect_occurrences
    from unjudged.holes.evidence_model.model import EvidenceModel

    collection = trec8()
    gone = {team: collection.without(team, DEPTH) for team in collection.teams}
    begin, cpu = time.perf_counter(), time.process_time()
    model = read_holes("bootstrap(prior=evidence)")
    given = Collection(collection.qrels, collection.runs, groups=collection.team_of)
    occurrences = collect_occurrences(given, model, depth=DEPTH)[0].occurrences
    assert occurrences is not None
    fits = holes = 0
    for team in collection.teams:
        left = collection.qrels.left(gone[team].states == 2)
        others = EvidenceModel(left, occurrences, DEPTH)
        for run in collection.runs_of(team):
            view = join(run, left, depth=DEPTH)
            evidence = others.grade_probabilities(view, np.flatnonzero(~view.judged))
            holes += int(evidence.informed.sum())
        fits += any(group_fit.model is not None for group_fit in others.group_fits())
    return {"fits": fits, "holes": holes, "s": time.perf_counter() - begin, "cpu_s": time.process_time() - cpu}


def score(holes: str) -> dict[str, float]:
    """The first 40 runs of TREC-8 with nDCG@10, from files."""
    import unjudged as uj

    folder = Path(os.environ.get("UNJUDGED_SHARED", ROOT.parent / "shared" / "data")) / "trec8"
    groups = dict(line.split()[:2] for line in (folder / "runs-pids").read_text(encoding="utf-8").splitlines())
    runs = sorted((folder / "runs").iterdir())[:40]
    begin, cpu = time.perf_counter(), time.process_time()
    uj.score(folder / "trec8.qrels", runs, "nDCG@10", holes=holes, groups=groups)
    return {"s": time.perf_counter() - begin, "cpu_s": time.process_time() - cpu}


WORK: dict[str, Callable[[], dict[str, float]]] = {
    "fits": leave_one_group_out,
    "bootstrap": lambda: score("bootstrap"),
    "evidence": lambda: score("bootstrap(prior=evidence)"),
}


def measured(name: str) -> dict[str, float]:
    """One kind of work in a process of its own; the quickest of three."""
    outcomes = []
    for _ in range(3):
        done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True)
        outcomes.append(json.loads(done.stdout))
    return min(outcomes, key=lambda one: one["s"])


def main() -> None:
    warnings.simplefilter("ignore")
    if len(sys.argv) > 1:
        out = WORK[sys.argv[1]]()
        out["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps(out))
        return
    fits, usual, evidence = (measured(name) for name in WORK)
    more, more_cpu = evidence["s"] - usual["s"], evidence["cpu_s"] - usual["cpu_s"]
    lines = [
        "# What evidence from other runs costs",
        "",
        f"Made by `benchmarks/evidence.py` on {platform.machine()}, {os.cpu_count()} cores, Python"
        f" {platform.python_version()}; the quickest of three processes each. CPU seconds are of all threads."
        f" {os.getloadavg()[1]:.1f} processes wanted to run, on average over the last 5 minutes: on a busy machine the"
        " CPU seconds tell more than the wall clock.",
        "",
        "| TREC-8 | wall | CPU | memory | target |",
        "|---|--:|--:|--:|---|",
        f"| {fits['fits']:.0f} leave-one-group-out fits, 129 runs, {fits['holes']:,.0f} holes of runs within depth 10"
        f" | {fits['s']:.1f} s | {fits['cpu_s']:.1f} s | {fits['mb']:,.0f} MB | {FITS_S} s, {FITS_MB:,} MB |",
        f"| `score` of 40 runs, nDCG@10, `bootstrap` | {usual['s']:.1f} s | {usual['cpu_s']:.1f} s"
        f" | {usual['mb']:,.0f} MB | |",
        f"| the same, `bootstrap(prior=evidence)` | {evidence['s']:.1f} s | {evidence['cpu_s']:.1f} s"
        f" | {evidence['mb']:,.0f} MB | {MORE_S} s more: {more:.1f} s, {more_cpu:.1f} s of CPU |",
    ]
    (Path(__file__).parent / "EVIDENCE.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
