"""The friendly layer: paths, frames, dicts and strings in, results out. Twins of the commands."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unjudged.api.asking import (
        add_release,
        compare,
        doctor,
        gate,
        history,
        properties,
        relative,
        report,
        resample,
        score,
    )
    from unjudged.api.asking_about_judging import audit, judges, next_judgments, reuse, start_judging
    from unjudged.api.collection import REPORTED, STUDIED, Collection
    from unjudged.api.evaluator import Evaluator
    from unjudged.api.reading import read_degradations, read_holes, read_interval, read_measure, read_measures
    from unjudged.io.reading import read_pool, read_qrels, read_run, read_runs

_MODULES = {
    "unjudged.api.asking": (
        "add_release",
        "compare",
        "doctor",
        "gate",
        "history",
        "properties",
        "relative",
        "report",
        "resample",
        "score",
    ),
    "unjudged.api.asking_about_judging": (
        "audit",
        "judges",
        "next_judgments",
        "reuse",
        "start_judging",
    ),
    "unjudged.api.collection": (
        "REPORTED",
        "STUDIED",
        "Collection",
    ),
    "unjudged.api.evaluator": ("Evaluator",),
    "unjudged.api.reading": (
        "read_degradations",
        "read_holes",
        "read_interval",
        "read_measure",
        "read_measures",
    ),
    "unjudged.io.reading": (
        "read_pool",
        "read_qrels",
        "read_run",
        "read_runs",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "REPORTED",
    "STUDIED",
    "Collection",
    "Evaluator",
    "add_release",
    "audit",
    "compare",
    "doctor",
    "gate",
    "history",
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


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import what is asked for, and nothing beside it."""
        if name in _HOMES:
            return getattr(importlib.import_module(_HOMES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
