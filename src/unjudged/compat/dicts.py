"""Judgments and runs as most tools have them, ``{topic: {doc: value}}``, also with topics that have no documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.view import View, join
from unjudged.errors import InputError
from unjudged.io.table_columns import is_ranx, ranx_dicts
from unjudged.io.tables import run_from_table
from unjudged.wording import shortened

__all__ = ["EMPTY_RUN", "as_dicts", "join_as_listed", "whole_grades", "without_empty"]

EMPTY_RUN = Run("run", (), np.zeros(1, dtype=np.int64), Ids.of([]), np.zeros(0))
"""A run that ranks nothing, which no source of runs can be."""


def as_dicts(source: Any, value: str) -> Mapping[Any, Any]:
    """Dicts of dicts, also out of an object of ranx; whether it holds dicts of *value* is for the reader to say."""
    if is_ranx(source):
        return ranx_dicts(source)
    if not isinstance(source, Mapping):
        raise InputError(f"expected {{topic: {{doc: {value}}}}}, not {type(source).__name__}")
    return source


def without_empty(source: Any, value: str) -> dict[Any, Any]:
    """The topics that have documents; what is no mapping among them is kept for the reader to refuse."""
    topics = as_dicts(source, value).items()
    return {topic: docs for topic, docs in topics if not isinstance(docs, Mapping) or docs}


def whole_grades(qrels: Qrels) -> Qrels:
    """The judgments; refused where a grade is not a whole number, as tools do that know no others."""
    if not qrels.has_fractions:
        return qrels
    row = int(np.argmax(qrels.grades != np.floor(qrels.grades)))
    where = f"topic {shortened(qrels.topics[int(qrels.topic_of_row[row])])}, document {shortened(qrels.docs[row])}"
    source = qrels.source or "qrels"
    raise InputError(f"{source}: the grade of {where} is not a whole number: {qrels.grades[row]:g}")


def join_as_listed(results: Any, qrels: Qrels) -> View:
    """Results beside judgments, of equal scores the first first, as in tools that sort with Python's ``sorted``."""
    ranked = without_empty(results, "score")
    return join(run_from_table(ranked, ties="listed") if ranked else EMPTY_RUN, qrels)
