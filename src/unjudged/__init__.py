"""Evaluate retrieval systems when relevance judgments are incomplete.

>>> import unjudged as uj
>>> qrels = {"q1": {"d1": 2, "d2": 0}}
>>> scores = uj.score(qrels, {"mine": {"q1": {"d1": 2.0, "d9": 1.0}}}, ["nDCG@10", "P@2"])
>>> scores.mean()["mine", "P@2"]
0.5
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from unjudged.notebook_repr import set_notebook_repr
from unjudged.version import __version__

if TYPE_CHECKING:
    from unjudged import judging, measures, plots
    from unjudged.api import (
        Collection,
        Evaluator,
        add_release,
        audit,
        compare,
        doctor,
        gate,
        history,
        judges,
        next_judgments,
        properties,
        read_pool,
        read_qrels,
        read_run,
        read_runs,
        relative,
        report,
        resample,
        reuse,
        score,
        start_judging,
    )
    from unjudged.data.pool import Pool
    from unjudged.data.qrels import Qrels
    from unjudged.data.run import Run
    from unjudged.data.texts import Texts
    from unjudged.errors import InputError, UnjudgedError, UnjudgedWarning
    from unjudged.holes.labels import Labels
    from unjudged.io.converting import Conversion, convert
    from unjudged.io.texts import read_texts, text_source
    from unjudged.reports.bars import progress_bar
    from unjudged.reports.charts.base import Chart
    from unjudged.reports.methods import methods
    from unjudged.reports.page import Page
    from unjudged.results.audit import Audit
    from unjudged.results.comparison import Comparison
    from unjudged.results.corpus_image_scores import ImageScores
    from unjudged.results.diagnosis import Diagnosis
    from unjudged.results.evaluation import Evaluation
    from unjudged.results.gate import Gate
    from unjudged.results.history import History
    from unjudged.results.judges import Judges
    from unjudged.results.next_judgments import NextJudgments
    from unjudged.results.properties import Properties
    from unjudged.results.relative import Relative
    from unjudged.results.reuse import Reuse
    from unjudged.results.scores import Scores
    from unjudged.studies.next_judgments import Judging
    from unjudged.uncertainty import CorpusBootstrap
    from unjudged.uncertainty.agreement import Agreement, agreement

_HOMES = {
    "Agreement": "unjudged.uncertainty.agreement",
    "Audit": "unjudged.results.audit",
    "Chart": "unjudged.reports.charts.base",
    "Collection": "unjudged.api",
    "Comparison": "unjudged.results.comparison",
    "Conversion": "unjudged.io.converting",
    "CorpusBootstrap": "unjudged.uncertainty",
    "Diagnosis": "unjudged.results.diagnosis",
    "Evaluation": "unjudged.results.evaluation",
    "Evaluator": "unjudged.api",
    "Gate": "unjudged.results.gate",
    "History": "unjudged.results.history",
    "ImageScores": "unjudged.results.corpus_image_scores",
    "InputError": "unjudged.errors",
    "Judges": "unjudged.results.judges",
    "Judging": "unjudged.studies.next_judgments",
    "Labels": "unjudged.holes.labels",
    "NextJudgments": "unjudged.results.next_judgments",
    "Page": "unjudged.reports.page",
    "Properties": "unjudged.results.properties",
    "Pool": "unjudged.data.pool",
    "Qrels": "unjudged.data.qrels",
    "Relative": "unjudged.results.relative",
    "Reuse": "unjudged.results.reuse",
    "Run": "unjudged.data.run",
    "Scores": "unjudged.results.scores",
    "Texts": "unjudged.data.texts",
    "UnjudgedError": "unjudged.errors",
    "UnjudgedWarning": "unjudged.errors",
    "add_release": "unjudged.api",
    "agreement": "unjudged.uncertainty.agreement",
    "audit": "unjudged.api",
    "compare": "unjudged.api",
    "convert": "unjudged.io.converting",
    "doctor": "unjudged.api",
    "gate": "unjudged.api",
    "history": "unjudged.api",
    "judges": "unjudged.api",
    "methods": "unjudged.reports.methods",
    "next_judgments": "unjudged.api",
    "progress_bar": "unjudged.reports.bars",
    "properties": "unjudged.api",
    "read_pool": "unjudged.api",
    "read_qrels": "unjudged.api",
    "read_run": "unjudged.api",
    "read_runs": "unjudged.api",
    "read_texts": "unjudged.io.texts",
    "relative": "unjudged.api",
    "report": "unjudged.api",
    "resample": "unjudged.api",
    "reuse": "unjudged.api",
    "score": "unjudged.api",
    "start_judging": "unjudged.api",
    "text_source": "unjudged.io.texts",
}

__all__ = [
    "Agreement",
    "Audit",
    "Chart",
    "Collection",
    "Comparison",
    "Conversion",
    "CorpusBootstrap",
    "Diagnosis",
    "Evaluation",
    "Evaluator",
    "Gate",
    "History",
    "ImageScores",
    "InputError",
    "Judges",
    "Judging",
    "Labels",
    "NextJudgments",
    "Page",
    "Pool",
    "Properties",
    "Qrels",
    "Relative",
    "Reuse",
    "Run",
    "Scores",
    "Texts",
    "UnjudgedError",
    "UnjudgedWarning",
    "__version__",
    "add_release",
    "agreement",
    "audit",
    "compare",
    "convert",
    "doctor",
    "gate",
    "history",
    "judges",
    "judging",
    "measures",
    "methods",
    "next_judgments",
    "plots",
    "progress_bar",
    "properties",
    "read_pool",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_texts",
    "relative",
    "report",
    "resample",
    "reuse",
    "score",
    "start_judging",
    "text_source",
]


def __getattr__(name: str) -> Any:
    """Load public names on first use (importing is free), and measures by name: ``uj.nDCG @ 10``."""
    if name in ("judging", "measures", "plots"):
        return importlib.import_module(f"unjudged.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name.startswith("plot_"):  # what `uj.plots` was before
        return getattr(importlib.import_module("unjudged.plots"), name.removeprefix("plot_"))
    # `from unjudged import kernels` asks here first; looking for a measure of that name would load everything.
    if not name.startswith("_") and importlib.util.find_spec(f"unjudged.{name}") is None:
        registry = importlib.import_module("unjudged.measures").measures
        if name in registry:
            return registry[name]
    raise AttributeError(f"module 'unjudged' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def _bundle(thing: object) -> dict[str, str]:
    """How notebooks show a result. Only this module knows all layers, so here results meet `reports`."""
    bundle: dict[str, str] = importlib.import_module("unjudged.reports.notebook").bundle(thing)
    return bundle


set_notebook_repr(_bundle)
