"""A small run and small judgments that the tests of reading share, and what they are once read."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import zstandard

from unjudged.data.qrels import Qrels
from unjudged.data.run import Run


def as_dict(run: Run) -> dict[str, list[tuple[str, float]]]:
    return {topic: run.ranking(topic) for topic in run.topics}


def judgments(qrels: Qrels) -> dict[str, dict[str, int]]:
    return {topic: qrels.judgments(topic) for topic in qrels.topics}


RUN = "301 Q0 d1 1 0.5 mine\n301 Q0 d2 2 0.75 mine\n302 Q0 d1 1 -1e3 mine\n"
RANKED = {"301": [("d2", 0.75), ("d1", 0.5)], "302": [("d1", -1000.0)]}
QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d3 2\n"
JUDGED = {"301": {"d1": 1, "d2": 0}, "302": {"d3": 2}}

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
