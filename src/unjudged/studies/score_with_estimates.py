"""Scores and, where runs have holes within a measure's cut-off, what these scores could be and probably are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.collection import BaseCollection
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.run_tops import first_documents, occurrences_near_the_top
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel, Settings, hole_models, usual_model
from unjudged.holes.evidence_model.model import LEAST_GROUPS
from unjudged.holes.imputation.filling import grade_counts
from unjudged.limits import MissingTopics
from unjudged.measures.base import Measure
from unjudged.results.scores import Scores
from unjudged.studies.score import score_and_keep
from unjudged.wording import counted

__all__ = ["score_with_estimates"]

_OF_EACH = {"undefined", "missing-topics", "unjudged-topics"}
"""Codes of notices that are about one measure or run; others say more where grades are drawn."""
_OF_ESTIMATES = {"unused-groups", "unused-feature"}
"""Codes of notices that only estimates have to say."""
MOST_HOLES = 200_000
"""Holes of all runs within a cut-off for which grades are drawn without being asked to: some seconds' work."""
MOST_KEPT = 6_000_000
"""Documents of all runs that are kept for estimates, at 40 bytes each."""


def score_with_estimates(
    collection: BaseCollection,
    measures: Sequence[Measure],
    *,
    missing: MissingTopics = "zero",
    explain: Sequence[tuple[str, str]] = (),
    interval: tuple[float, float] = Settings.quantiles,
    label_files: Sequence[str] = (),
    segment_file: str | None = None,
) -> Scores:
    """Score every run with every measure; with bounds and an estimate where some run has holes within the cut-off.

    Bounds are ``joint``, or ``bounds`` where those are not known. The estimate is ``evidence`` where it is known that
    enough groups made the runs, else the one that needs no other runs. A measure without a cut-off reads what was never
    meant to be judged: it has its score only. Runs are read once, and what they have near the top is kept, as far as
    there is memory.
    """
    # An output that is one of the inputs is refused before these are read.
    collection.provenance(labels=label_files, segments=segment_file)
    models = {measure: _models(collection, measure) for measure in measures if _has_cutoff(measure)}
    kept = _kept(collection, models)
    if models and kept is None:  # else nobody asks for runs again
        collection = collection.remembering()
    plain, tops = score_and_keep(
        collection,
        measures,
        [hole_models.parse("nonrelevant")],
        kept=kept,
        missing=missing,
        label_files=label_files,
        segment_file=segment_file,
    )
    plain = replace(plain, warnings=tuple(one for one in plain.warnings if one.code not in _OF_ESTIMATES))
    again = collection.replaced(hashes=False)
    chosen: dict[tuple[HoleModel, ...], list[Measure]] = {}
    notices = []
    for m, measure in enumerate(measures):
        holes = _holes_within_cutoff(plain, m, measure)
        if holes > MOST_HOLES:
            notices.append(_too_many(measure, holes))
        elif holes or (explain and measure in models):
            chosen.setdefault(models[measure], []).append(measure)
    if tops:
        again = first_documents(again, tops)
    estimates = []
    for of_these, some in chosen.items():
        depth = deepest_rank(some)
        if tops and depth is not None and any(model.learns_from_runs for model in of_these):
            again = again.replaced(occurrences=occurrences_near_the_top(again, plain.runs, tops, depth))
        estimate, _ = score_and_keep(
            again, some, of_these, small=bool(tops), missing=missing, explain=explain, interval=interval
        )
        estimates.append(estimate)
    result = _together(plain, estimates)
    return replace(result, warnings=(*result.warnings, *notices))


def _has_cutoff(measure: Measure) -> bool:
    """Whether a measure looks down to a rank, so that holes down there may get an estimate."""
    return measure.has_holes and measure.depth() is not None


def _kept(collection: BaseCollection, models: Mapping[Measure, Sequence[HoleModel]]) -> int | None:
    """How many documents of each topic are enough for these *models*; None if runs have to be read again.

    What learns from all runs looks at whole runs; so do texts and a pool. And what is kept has to fit.
    """
    depth = deepest_rank(list(models)) if models else None
    alone = collection.texts is None and not collection.has_pool and collection.occurrences is None
    if depth is None or not alone or any(one.learns_from_features for some in models.values() for one in some):
        return None
    return depth if len(collection.runs) * len(collection.qrels.topics) * depth <= MOST_KEPT else None


def _holes_within_cutoff(scores: Scores, m: int, measure: Measure) -> int:
    """How many unjudged documents the runs have where a measure looks; 0 for one without a cut-off."""
    depth = measure.depth()
    if depth is None or not _has_cutoff(measure):
        return 0
    return int(np.ceil(np.nansum(1 - scores.judged[0, m]) * depth - 0.5))


def _models(collection: BaseCollection, measure: Measure) -> tuple[HoleModel, ...]:
    """Bounds of a measure, and the best estimate there is."""
    bounds = next(model for model in map(hole_models.parse, ("joint", "bounds")) if model.suits(measure))
    qrels, groups = collection.qrels, set((collection.groups.of_run or {}).values())
    if not grade_counts(qrels).any():  # then there are no grades to draw
        return (bounds,)
    enough = len(groups) > LEAST_GROUPS and qrels.strata is None
    return bounds, usual_model([measure], evidence=enough, sampled=qrels.strata is not None)


def _too_many(measure: Measure, holes: int) -> Notice:
    text = (
        f"{measure}: {counted(holes, 'unjudged document')} within the cut-off are too many to draw grades for without"
        " being asked to; --holes joint --holes discounted does, or take a lower cut-off"
    )
    return Notice("many-holes", holes, text)


_BY_TOPIC = ("values", "low", "high", "judged", "labelled", "rests_on_labels")
_OF_MEANS = ("means", "mean_low", "mean_high", "mean_rests_on_labels")


def _together(plain: Scores, estimates: Sequence[Scores]) -> Scores:
    """Scores of all measures with estimates of some of them."""
    if not estimates:
        return plain
    holes = list(dict.fromkeys(name for one in (plain, *estimates) for name in one.holes))
    asked = np.zeros((len(holes), len(plain.measures)), dtype=bool)
    places = []
    for one in (plain, *estimates):
        place = np.ix_([holes.index(name) for name in one.holes], [plain.measures.index(name) for name in one.measures])
        asked[place] = True
        places.append(place)
    arrays: dict[str, Any] = {}
    for name in (*_BY_TOPIC, *_OF_MEANS):
        own = getattr(plain, name)
        arrays[name] = np.full((len(holes), *own.shape[1:]), np.nan)
        for one, place in zip((plain, *estimates), places, strict=True):
            arrays[name][place] = getattr(one, name)
    ranges = {name: kind for one in (plain, *estimates) for name, kind in zip(one.holes, one.ranges, strict=True)}
    said = {notice.code for one in estimates for notice in one.warnings}
    before = [notice for notice in plain.warnings if notice.code not in said or notice.code in _OF_EACH]
    notices = dict.fromkeys((*before, *(notice for one in estimates for notice in one.warnings)))
    return replace(
        plain,
        **arrays,
        holes=tuple(holes),
        ranges=tuple(ranges[name] for name in holes),
        distributions={
            (holes.index(one.holes[h]), plain.measures.index(one.measures[m]), r): distribution
            for one in estimates
            for (h, m, r), distribution in one.distributions.items()
        },
        explained=tuple(row for one in estimates for row in one.explained),
        asked=asked,
        chosen=True,
        warnings=tuple(notices),
    )
