"""Files with a JSON object in each line, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from unjudged.errors import FileError
from unjudged.io.sources import show

__all__ = ["json_objects", "numbered_lines", "shown"]


def numbered_lines(blocks: Iterable[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """Lines numbered from *first* on, without empty ones."""
    number = first
    for block in blocks:
        # Not splitlines, which also splits at characters such as U+2028 that may stand inside a JSON string.
        lines = block.split("\n")
        for at, line in enumerate(lines, start=number):
            if line and not line.isspace():
                yield at, line
        number += len(lines) - 1


def json_objects(path: str, blocks: Iterable[str], what: str, first: int = 1) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of each line, with its number; *what* it should be, such as ``document``, is for messages."""
    for number, line in numbered_lines(blocks, first):
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as problem:
            why = f"{problem.msg.lower()} at column {problem.colno}"
            raise FileError(path, f"this line is not JSON ({why}): {shown(line)}", line=number) from None
        except ValueError:  # whole numbers have a limit of 4,300 digits
            raise FileError(path, f"a number has too many digits: {shown(line)}", line=number) from None
        except RecursionError:
            raise FileError(path, f"the JSON is nested too deep: {shown(line)}", line=number) from None
        if not isinstance(fields, dict):
            hint = f"; one {what} per line is needed: jq -c '.[]'" if isinstance(fields, list) else ""
            is_ = "an array" if isinstance(fields, list) else "not an object"
            raise FileError(path, f"this line is {is_}, not a {what}{hint}", line=number)
        yield number, fields


def shown(line: str) -> str:
    """A line for a message."""
    return show(line[:400].encode("utf-8", "replace"))
