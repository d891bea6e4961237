"""Dicts ``{topic: {doc: score}}`` beside judgments in one step, for those who score again and again."""

from __future__ import annotations

from typing import Any

import numpy as np

import unjudged.kernels as kernels
from unjudged.arrays import Ints
from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import in_precision
from unjudged.data.view import View, join_unranked
from unjudged.limits import ScoreType

__all__ = ["join_dicts"]


def join_dicts(run: Any, qrels: Qrels, score_type: ScoreType = "float64") -> View | None:
    """A view of the judged topics of a run, in its order; None where it must be read by whoever says what is wrong."""
    if type(run) is not dict or not all(type(topic) is str for topic in run):
        return None
    packed = kernels.pack_rankings(list(run.values()))
    if packed is None:
        return None
    blob, offsets, scores, row_offsets = packed
    topics: Ints = np.array([qrels.topic_rows.get(topic, -1) for topic in run], dtype=np.int64)
    return join_unranked(qrels, topics, row_offsets, Ids(blob, offsets), in_precision(scores, score_type))
