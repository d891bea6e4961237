"""What features are worth for the documents that a study looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unjudged.arrays import Flags
from unjudged.data.document_features import DocumentFeature
from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.errors import InputError, Notice
from unjudged.io.features import FeatureSource

__all__ = ["feature_notices", "with_features"]


def with_features(occurrences: OccurrencesInRuns, qrels: Qrels, features: Sequence[FeatureSource]) -> OccurrencesInRuns:
    """The same with what features are worth for its pairs; they are read one after the other."""
    if not features:
        return occurrences
    return replace(occurrences, features=tuple(_read(one, qrels, occurrences) for one in features))


def feature_notices(occurrences: OccurrencesInRuns, qrels: Qrels) -> list[Notice]:
    """What the user should know about features: for how many documents they say nothing."""
    judged = np.append(qrels.judged, np.zeros(len(occurrences.unlisted.topics), dtype=bool))
    return [notice for one in occurrences.features for notice in _missing(one, judged)]


def _read(source: FeatureSource, qrels: Qrels, occurrences: OccurrencesInRuns) -> DocumentFeature:
    run = source.read()
    place = np.array([qrels.topic_rows.get(topic, -1) for topic in run.topics], dtype=np.int64)
    if not (place >= 0).any():
        raise InputError(
            f"{run.source or run.name}: no topic of this feature is judged"
            f" (the feature has {run.topics[0]!r}, the judgments have {qrels.topics[0]!r})"
        )
    topics = np.repeat(place, np.diff(run.offsets))
    rows = np.flatnonzero(topics >= 0)
    pairs = occurrences.find(qrels, topics[rows], run.docs.take(rows))
    values = np.full(len(qrels) + len(occurrences.unlisted.topics), np.nan)
    values[pairs[pairs >= 0]] = run.scores[rows[pairs >= 0]]
    return DocumentFeature(run.name, values)


def _missing(feature: DocumentFeature, judged: Flags) -> list[Notice]:
    """Documents that runs return, or that are judged, and that have no value."""
    lacking = np.isnan(feature.values)
    if not lacking.any():
        return []
    of_judged, of_others = int((lacking & judged).sum()), int((lacking & ~judged).sum())
    text = (
        f"{feature.name}: {of_judged:,} of {int(judged.sum()):,} judged documents have no value, and {of_others:,} of"
        f" {int((~judged).sum()):,} others that runs return; they count as average ones"
    )
    return [Notice("missing-feature-values", int(lacking.sum()), text)]
