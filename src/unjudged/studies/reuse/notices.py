"""What the user should know about a study of reuse: what was never judged, and where methods had nothing to go by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.engine.execution.plan import Arrays
from unjudged.engine.execution.result_store import Store
from unjudged.engine.numerics.reuse_trial import Trial
from unjudged.errors import Notice
from unjudged.holes.evidence_model.model import NO_EVIDENCE

__all__ = ["about_never_judged", "damaged_blocks", "without_evidence"]


def about_never_judged(trial: Trial) -> list[Notice]:
    """How much of what measures read nobody ever judged, and what became of it."""
    by_depth: dict[int | None, list[str]] = {}
    for measure in dict.fromkeys(trial.methods.measures):
        by_depth.setdefault(measure.depth(), []).append(str(measure))
    if trial.joined.original is not None:
        then = "; they are taken out of the runs, and what is below moves up"
    else:
        then = "; the truth takes them for not relevant, which favours methods that do so, too"
    notices = []
    for depth, measures in by_depth.items():
        judged, documents = (int(one.sum()) for one in trial.joined.judged_in_all(depth))
        if judged < documents:
            text = (
                f"{', '.join(measures)}: {documents - judged:,} of the {documents:,} documents that are read were never"
                f" judged{then}"
            )
            notices.append(Notice("never-judged", documents - judged, text))
    return notices


def without_evidence(trial: Trial, results: Sequence[Arrays]) -> list[Notice]:
    """Where a method was to ask the other runs, and had too little to learn from."""
    notices = []
    for model, holes in zip(
        trial.methods.hole_models, np.transpose([one["without_evidence"] for one in results]), strict=True
    ):
        pools = int((holes > 0).sum())
        if pools:
            text = (
                f"{model}: with {pools:,} of {len(results):,} degraded pools there was too little to learn from about"
                f" some holes ({int(holes.sum()):,} in all); their grades are those of discounted"
            )
            notices.append(Notice(NO_EVIDENCE, pools, text))
    return notices


def damaged_blocks(store: Store | None) -> list[Notice]:
    """What became of results in a store that were damaged."""
    if store is None or not store.damaged:
        return []
    text = f"{store.damaged} results in the store were damaged and have been computed again"
    return [Notice("damaged-blocks", store.damaged, text)]
