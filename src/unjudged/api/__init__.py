"""The friendly layer: paths, frames, dicts and strings in, results out. Twins of the commands."""

from __future__ import annotations

from unjudged.api.asking import compare, doctor, properties, relative, report, resample, score
from unjudged.api.asking_about_judging import audit, judges, next_judgments, reuse, start_judging
from unjudged.api.collection import REPORTED, STUDIED, Collection
from unjudged.api.evaluator import Evaluator
from unjudged.api.reading import read_degradations, read_holes, read_interval, read_measure, read_measures
from unjudged.io.reading import read_pool, read_qrels, read_run, read_runs

__all__ = [
    "REPORTED",
    "STUDIED",
    "Collection",
    "Evaluator",
    "audit",
    "compare",
    "doctor",
    "judges",
    "next_judgments",
    "properties",
    "read_degradations",
    "read_holes",
    "read_interval",
    "read_measure",
    "read_measures",
    "read_pool",
    "read_qrels",
    "read_run",
    "read_runs",
    "relative",
    "report",
    "resample",
    "reuse",
    "score",
    "start_judging",
]
