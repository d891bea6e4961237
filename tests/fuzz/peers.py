"""What pytrec_eval says about the same files, and by which rules it may say something else."""

from __future__ import annotations

import io
import math
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from kinds import parts

import unjudged as uj
from unjudged.compat import pytrec_eval as ours

__all__ = ["Scored", "check", "scored", "zstandard"]

zstandard: Any = None
with suppress(ImportError):
    zstandard = import_module("zstandard")

NAMES = sorted(ours.supported_measures - {"runid", "relstring"})

HIGHEST = 1000
"""The highest grade that pytrec_eval is asked about; it takes 6 seconds for 100,000."""

Values = dict[str, dict[str, float]]


class Scored(NamedTuple):
    """The two files as they were read here, and the value of each measure for each topic."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    values: Values


def scored(data: bytes, folder: Path) -> Scored:
    """Scores as trec_eval 9 has them, from two files."""
    qrels_path, run_path = parts(data, folder, "qrels.txt", "run.txt")
    qrels = uj.read_qrels(qrels_path, format="trec", negative="pooled")
    run = uj.read_run(run_path, scores="float32")
    judged: dict[str, dict[str, int]] = {topic: {} for topic in qrels.topics}
    for row, topic in enumerate(qrels.topic_of_row.tolist()):
        judged[qrels.topics[topic]][qrels.docs[row]] = _grade(qrels, row)
    ranked = {topic: dict(run.ranking(topic)) for topic in run.topics}
    return Scored(judged, ranked, ours.RelevanceEvaluator(judged, NAMES).evaluate(ranked))


def _grade(qrels: uj.Qrels, row: int) -> int:
    return int(qrels.grades[row]) if qrels.judged[row] else -1


def check(data: bytes, result: object) -> None:
    """Both files mean the same to pytrec_eval, and every measure has the same value, but for the rules."""
    assert isinstance(result, Scored)
    peer = import_module("pytrec_eval")
    files = data.split(b"%%\n", 1)
    if not all(map(_same_lines, files)):
        return
    qrels, run = (peer.parse_qrel(_text(files[0])), peer.parse_run(_text(files[1])))
    assert _as_read(qrels, lambda grade: max(grade, -1)) == result.qrels, "pytrec_eval reads other judgments"
    assert _as_read(run, _single) == result.run, "pytrec_eval reads another run"
    # A topic whose judgments are all negative ends pytrec_eval 0.5 with a segmentation fault if it is the first one,
    # and its time grows with the square of the highest grade.
    qrels = {topic: docs for topic, docs in qrels.items() if 0 <= max(docs.values()) <= HIGHEST}
    theirs: Values = peer.RelevanceEvaluator(qrels, NAMES).evaluate(run) if qrels else {}
    for topic, values in theirs.items():
        for name, value in values.items():
            here = result.values[topic][name]
            assert _agrees(name, here, value), f"{name} of topic {topic!r} is {here!r}, with pytrec_eval {value!r}"


def _same_lines(data: bytes) -> bool:
    """Whether both find the same lines and columns in a file. Not so, by rule:

    * comments (``#``) and blank lines are skipped here, and errors or data there;
    * a byte order mark is dropped here, and part of the first topic there;
    * columns are separated by ASCII white space here, and by that of all languages there (also U+001C to U+001F);
    * lines end with LF or CR LF here, also with CR alone there.
    """
    text = data.decode()  # it has been read, so it is UTF-8
    lines = data.split(b"\n")
    plain = all(line.split() == [part.encode() for part in line.decode().split()] for line in lines)
    skipped = any(not line.strip() or line.lstrip().startswith(b"#") for line in lines[:-1])
    return plain and not skipped and "\ufeff" not in text and b"\r" not in data.replace(b"\r\n", b"\n")


def _text(data: bytes) -> io.StringIO:
    return io.StringIO(data.decode())


def _as_read(table: dict[str, dict[str, Any]], value: Any) -> dict[str, dict[str, Any]]:
    return {topic: {doc: value(number) for doc, number in docs.items()} for topic, docs in table.items()}


def _single(score: float) -> float:
    import numpy as np

    with np.errstate(over="ignore"):
        return float(np.float32(score))


def _agrees(name: str, here: float, there: float) -> bool:
    return math.isclose(here, there, rel_tol=1e-9, abs_tol=1e-9)
