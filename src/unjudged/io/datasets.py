"""Judgments and runs from ir_datasets: ``ir_datasets:msmarco-passage/trec-dl-2019/judged``."""

from __future__ import annotations

from typing import Any, Literal

from unjudged.data.qrels import NegativeGrades, Qrels
from unjudged.data.run import Run, ScoreType
from unjudged.errors import InputError, MissingExtraError
from unjudged.io.tables import qrels_from_table, run_from_table

__all__ = ["PREFIX", "dataset_rows", "load_dataset", "qrels_from_dataset", "run_from_dataset"]

PREFIX = "ir_datasets:"


def load_dataset(source: str, kind: Literal["qrels", "scoreddocs", "docs"]) -> Any:
    """A dataset of ir_datasets that has what is asked for. Downloads nothing yet."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir_datasets", "datasets", source) from None
    try:
        dataset = ir_datasets.load(source.removeprefix(PREFIX))
    except KeyError:
        raise InputError(f"{source}: ir_datasets has no such dataset") from None
    if not getattr(dataset, f"has_{kind}")():
        raise InputError(f"{source}: this dataset has no {kind}")
    return dataset


def dataset_rows(source: str, kind: Literal["qrels", "scoreddocs"]) -> list[Any]:
    """The judgments or the scored documents of a dataset, as ir_datasets' named tuples. May download."""
    dataset = load_dataset(source, kind)
    try:
        return list(getattr(dataset, f"{kind}_iter")())
    except Exception as problem:  # ir_datasets raises whatever its downloader or parser raises
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise InputError(f"{source}: ir_datasets could not load the {kind}: {reason}") from None


def qrels_from_dataset(source: str, *, negative: NegativeGrades = "pooled") -> Qrels:
    """The judgments of a dataset."""
    return qrels_from_table(dataset_rows(source, "qrels"), negative=negative, label=source)


def run_from_dataset(source: str, *, name: str | None = None, score_type: ScoreType = "float64") -> Run:
    """The scored documents of a dataset (such as a first-stage run) as a run."""
    rows = dataset_rows(source, "scoreddocs")
    return run_from_table(rows, name=name or source.removeprefix(PREFIX), score_type=score_type, label=source)
