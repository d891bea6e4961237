"""Judgments and runs from ir_datasets: ``ir_datasets:msmarco-passage/trec-dl-2019/judged``."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from unjudged.errors import InputError, MissingExtraError

__all__ = ["PREFIX", "dataset_rows", "load_dataset", "loading"]

PREFIX = "ir_datasets:"

Kind = Literal["qrels", "scoreddocs", "docs"]

_HOST = re.compile(r"(?:https?://|host=')([\w.-]+)")
_RETRIED = ("download error", "Download failed")
"""How ir_datasets' messages about each failed attempt begin."""


def load_dataset(source: str, kind: Kind) -> Any:
    """A dataset of ir_datasets that has what is asked for. Downloads nothing yet."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir_datasets", "datasets", source) from None
    name = source.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        near = difflib.get_close_matches(name, list(ir_datasets.registry), n=1)
        hint = f"; did you mean {PREFIX}{near[0]}?" if near else " (`ir_datasets list` lists them all)"
        raise InputError(f"{source}: ir_datasets has no such dataset{hint}") from None
    if not getattr(dataset, f"has_{kind}")():
        parts = sorted(
            (one for one in ir_datasets.registry if one.startswith(f"{name}/")), key=lambda one: one.count("/")
        )
        having = next((one for one in parts if getattr(ir_datasets.load(one), f"has_{kind}")()), None)
        hint = "" if having is None else f"; {PREFIX}{having} has"
        raise InputError(f"{source}: this dataset has no {kind}{hint}")
    return dataset


@contextmanager
def loading(source: str, kind: Kind) -> Iterator[None]:
    """What goes wrong while a dataset is downloaded and parsed becomes one line."""
    logger = logging.getLogger("ir_datasets")
    logger.addFilter(_is_news)
    try:
        yield
    except InputError:
        raise
    except Exception as problem:  # ir_datasets raises whatever its downloader or parser raises
        raise InputError(f"{source}: {_reason(kind, problem)}") from None
    finally:
        logger.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a message says what our own line does not: terms of use, but not each failed attempt to download."""
    return not record.getMessage().startswith(_RETRIED)


def _reason(kind: Kind, problem: Exception) -> str:
    message = " ".join(str(problem).split()) or type(problem).__name__
    # One source that fails raises requests' error, several raise a RuntimeError with the errors of all.
    failed = message.startswith("('All download sources failed'") or type(problem).__module__.startswith("requests")
    hosts = list(dict.fromkeys(_HOST.findall(message))) if failed else []
    if hosts:
        return f"ir_datasets could not download the {kind} from {' or '.join(hosts)}; is there a network?"
    return f"ir_datasets could not load the {kind}: {message}"


def dataset_rows(source: str, kind: Literal["qrels", "scoreddocs"]) -> list[Any]:
    """The judgments or the scored documents of a dataset, as ir_datasets' named tuples. May download."""
    dataset = load_dataset(source, kind)
    with loading(source, kind):
        return list(getattr(dataset, f"{kind}_iter")())
