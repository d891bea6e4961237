"""The friendly layer: paths, frames, dicts and strings in, results out. Twins of the commands."""

from __future__ import annotations

from unjudged.api.comparing import compare, relative
from unjudged.api.examining import REPORTED, doctor, report, reuse
from unjudged.api.reading import (
    files_read,
    read_degradations,
    read_holes,
    read_interval,
    read_measure,
    read_measures,
    read_pool,
    read_qrels,
    read_run,
    read_runs,
    read_texts,
    read_whom,
    read_witness_groups,
    text_source,
)
from unjudged.api.scoring import resample, score
from unjudged.io.reading import expand_runs

__all__ = [
    "REPORTED",
    "compare",
    "doctor",
    "expand_runs",
    "files_read",
    "read_degradations",
    "read_holes",
    "read_interval",
    "read_measure",
    "read_measures",
    "read_pool",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_texts",
    "read_whom",
    "read_witness_groups",
    "relative",
    "report",
    "resample",
    "reuse",
    "score",
    "text_source",
]
