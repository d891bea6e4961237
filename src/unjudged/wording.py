"""Text for people: what may be printed as it is, and numbers with their nouns."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

__all__ = ["clipped", "counted", "json_text", "shortened", "visible"]

_MOST_SHOWN = 200

# Ranges of a character class. Unicode promises never to make letters of what is listed here.
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
"""Could move the cursor, change colours or break a line (categories Cc, Zl, Zp)."""
_UNSEEN = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffc\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    r"\u2800"  # the blank of braille, a space that no reader of ids takes for one
)
"""Cannot be seen, or changes the direction of what can be: Unicode's Default_Ignorable_Code_Point with all marks of
direction, fillers, selectors and tags; and annotations and objects that stand for something that is not there."""
_NO_TEXT = r"\ud800-\udfff\ufdd0-\ufdef" + "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(17))
"""Surrogates, which no file can hold, and noncharacters, which no XML can."""

# Where the following ones change letters, languages need them, and they stay: Persian and Indic words have joiners
# inside, Japanese names and Mongolian letters have selectors, emoji have both. After any other character they would
# change nothing but whether two names are equal.
_JOINING = (
    r"\u0600-\u061b\u061d-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1b00-\u1bff\ua840-\uabff"
    r"\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
"""Blocks of the scripts whose letters join: Arabic, Syriac, those of India and South East Asia, Mongolian, Adlam."""
_PICTURES = (
    r"\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    r"\U0001f000-\U0001faff"
)
_IDEOGRAPHS = r"\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\U00020000-\U0002fffd\U00030000-\U0003fffd"
_NEEDED = (
    rf"(?<=[{_JOINING}{_PICTURES}])[\u200c\u200d]|(?<=[{_PICTURES}]\ufe0f)\u200d"
    rf"|(?<=[{_PICTURES}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe0d\U000e0100-\U000e01ef]"
    r"|(?<=[\u1000-\u109f])\ufe00|(?<=[\u1820-\u18aa])[\u180b-\u180f]"
)
_HIDDEN = f"[{_CONTROL}{_UNSEEN}{_NO_TEXT}]"


def visible(text: str) -> str:
    """Text in which everything can be seen: what cannot, or would move or reverse the rest, is shown as an escape.

    The one rule for terminals, tables, charts and pages. What languages need to write their words stays as it is.

    >>> print(visible("a name" + chr(27) + "[2J"), visible("zero" + chr(0x200B) + "width"))
    a name\\x1b[2J zero\\u200bwidth
    """
    if text.isascii() and text.isprintable():  # almost all, at a fraction of the price
        return text
    return _escaped(text, lambda char: char.encode("unicode_escape").decode("ascii"))


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    """Text with escapes for what is hidden and not needed where it stands."""
    hidden, needed = _patterns()
    return hidden.sub(lambda at: at[0] if needed.match(text, at.start()) else escape(at[0]), text)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled for the first name that is not plain: that takes longer than to import this module."""
    return re.compile(_HIDDEN), re.compile(_NEEDED)


def json_text(document: Any, *, indent: int | None = 1) -> str:
    """JSON that is exact, and yet harmless on a terminal: it has escapes of its own for what :func:`visible` escapes.

    >>> print(json_text(["é", chr(0x9B)], indent=None))
    ["é", "\\u009b"]
    """
    text = io.StringIO()  # dumps() would first hold every comma in a list, which takes seven times the text's memory
    json.dump(document, text, ensure_ascii=False, indent=indent, allow_nan=False)
    whole = text.getvalue()
    # Control characters in strings are escaped already, all but DEL; between them there are line breaks, which stay.
    if whole.isascii() and "\x7f" not in whole:
        return whole
    return _escaped(whole, lambda char: char if char == "\n" else json.dumps(char)[1:-1])


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
