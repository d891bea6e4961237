"""Text for people: what may be printed as it is, and numbers with their nouns."""

from __future__ import annotations

import re

__all__ = ["clipped", "counted", "shortened", "visible"]

_MOST_SHOWN = 200

# Control characters could move the cursor or change colours; bidirectional marks could reorder what is read.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Printable text: control and direction characters are shown as escapes.

    >>> print(visible("a name" + chr(27) + "[2J"))
    a name\\x1b[2J
    """
    return _CONTROL.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def shortened(value: object) -> str:
    """A value as Python writes it, for a message: not longer than anybody reads.

    >>> shortened("P@10")
    "'P@10'"
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # whole numbers have a limit of 4,300 digits; lists may lie in lists
        return f"a value of type {type(value).__name__} that is too long to show"
    return clipped(text)


def clipped(text: str) -> str:
    """Text for a message, not longer than anybody reads."""
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number and what there is of it.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
