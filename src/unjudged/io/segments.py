"""Which segment each topic belongs to: a small file with a line for each topic, JSON, or a dictionary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from unjudged.data.segments import Segments
from unjudged.errors import FileError
from unjudged.io.groups import by_name
from unjudged.io.sources import as_path, plain_lines
from unjudged.wording import shortened

__all__ = ["read_segments"]

_CALLED = ("segment", "language", "slice", "group")
"""What a column with segments may be called."""


def read_segments(source: Any) -> Segments:
    """The segment of each topic: lines ``topic segment``, JSON ``{"topic": "segment"}``, or a dict.

    Lines are cut at tabs, commas or spaces, whichever they have; a first line may name the columns.

    >>> read_segments({"q1": "head", "q2": "tail"}).of_topic
    {'q1': 'head', 'q2': 'tail'}
    """
    if isinstance(source, Segments):
        return source
    path = as_path(source)
    if path is not None and path.endswith((".json", ".json.gz")):
        return Segments(_from_json(path), path)
    return Segments(by_name(source, "segment", _CALLED, key="topic"), path or "segments")


def _from_json(path: str) -> dict[str, str]:
    text = "\n".join(line for _, _, line in plain_lines(path))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FileError(path, f"is not JSON: {problem}") from None
    if not isinstance(found, Mapping) or not found:
        raise FileError(path, 'expected an object such as {"topic": "segment"}')
    for topic, segment in found.items():
        if not isinstance(segment, str) or not segment:
            raise FileError(path, f"the segment of topic {shortened(topic)} is {shortened(segment)}, which is no text")
    return dict(found)
