"""JSON of any size, from its beginning to its end, with no more in memory than the value that is asked for.

A reader walks down: ``for key in stream.members()`` and ``for place in stream.items()``, and in each turn either walks
on into the value or asks for all of it (``stream.value()``). Whatever is wrong is an error that says where: with the
line, where it is not JSON; with the path of keys as ``jq`` writes it (``.q1["a doc"][3]``), where something else was
expected. Several values one after the other are read, too, so that JSON lines are nothing else.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from unjudged.errors import FileError
from unjudged.wording import shortened, visible

__all__ = ["JsonStream", "key_path"]

VALUE_LIMIT = 1 << 28
"""Characters of a single value that is read as a whole."""

_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS = {"{": "an object", "[": "an array", '"': "text", "t": "true", "f": "false", "n": "null", "": "nothing"}
_EXPONENT = 3
"""A number ends where another character follows, and not in ``e+`` or a point where the next piece begins."""
_CLOSE_TO_END = 10
"""A value is incomplete, and not wrong, where the decoder stumbles so near to the end of what was read."""


def key_path(*keys: str | int) -> str:
    """A place in JSON, as jq writes it.

    >>> key_path("requests", 3, "a doc")
    '.requests[3]["a doc"]'
    """
    out = ""
    for key in keys:
        if isinstance(key, int):
            out += f"{'' if out else '.'}[{key}]"
        elif _PLAIN_KEY.fullmatch(key):
            out += f".{key}"
        else:
            shown = key if len(key) <= 60 else key[:57] + "..."
            out += f'{"" if out else "."}["{visible(shown)}"]'
    return out or "."


class JsonStream:
    """One file of JSON, read once."""

    def __init__(self, path: str, blocks: Iterator[bytes]) -> None:
        self.path = path
        self.keys: list[str | int] = []
        """The way to the value at hand."""
        self.of_several: int | None = None
        """The line of the value at hand, where the file has a value in each line."""
        self._blocks = blocks
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._line = 1
        """Number of the line in which the text at hand begins."""
        self._is_complete = False
        self._json = json.JSONDecoder(object_pairs_hook=self._object)

    # ---- walking

    def documents(self) -> Iterator[int]:
        """A turn for each value of the file: one, or one per line."""
        number = 0
        while self._peek():
            line = self.line
            self.of_several = line if number else None
            yield line
            number += 1
        if not number:
            raise FileError(self.path, "the file is empty")

    def members(self) -> Iterator[str]:
        """A turn for each member of an object, with its key; each turn must read the value."""
        self._open("{", "an object")
        while (char := self._peek()) != "}":
            if char != '"':
                raise self._broken("a key in quotes is expected" if char else "")
            self.keys.append("")
            self.keys[-1] = key = self._decoded()
            self._take(":")
            yield key
            self.keys.pop()
            if not self._goes_on("}"):
                return
        self._at += 1

    def items(self) -> Iterator[int]:
        """A turn for each item of an array, with its number; each turn must read the value."""
        self._open("[", "an array")
        number = 0
        while self._peek() != "]":
            self.keys.append(number)
            yield number
            self.keys.pop()
            number += 1
            if not self._goes_on("]"):
                return
        self._at += 1

    @property
    def kind(self) -> str:
        """The character that the value at hand begins with; nothing at the end."""
        return self._peek()

    @property
    def line(self) -> int:
        """The line of the value at hand."""
        self._peek()
        return self._line + self._text.count("\n", 0, self._at)

    def value(self) -> Any:
        """All of the value at hand."""
        if not self._peek():
            raise self._broken("")
        return self._decoded()

    def object(self) -> dict[str, Any]:
        """All of the object at hand."""
        if self._peek() != "{":
            raise self._unexpected("an object")
        value: dict[str, Any] = self._decoded()
        return value

    def array(self) -> list[Any]:
        """All of the array at hand."""
        if self._peek() != "[":
            raise self._unexpected("an array")
        value: list[Any] = self._decoded()
        return value

    def error(self, problem: str, *keys: str | int) -> FileError:
        """What is wrong at the value at hand, or below it."""
        way = [*self.keys, *keys]
        if self.of_several is None:
            return FileError(self.path, f"{key_path(*way)}: {problem}")
        return FileError(self.path, f"{key_path(*way)}: {problem}" if way else problem, line=self.of_several)

    # ---- the text

    def _fill(self, least: int = 1) -> bool:
        """Read on, by *least* characters or more; false where there is no more."""
        self._line += self._text.count("\n", 0, self._at)
        parts, size = [self._text[self._at :]], 0
        self._at = 0
        while size < least and not self._is_complete:
            block = next(self._blocks, None)
            try:
                text = self._decoder.decode(block or b"", final=block is None)
            except UnicodeDecodeError as problem:
                byte = problem.object[problem.start]
                hint = "convert the file with: iconv -f LATIN1 -t UTF-8"
                line = self._line + "".join(parts).count("\n") + problem.object.count(b"\n", 0, problem.start)
                raise FileError(self.path, f"byte 0x{byte:02x} is not UTF-8; {hint}", line=line) from None
            self._is_complete = block is None
            parts.append(text)
            size += len(text)
        self._text = "".join(parts)
        return size > 0

    def _peek(self) -> str:
        """The next character that is no space; nothing at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def _decoded(self) -> Any:
        """The value that begins here; more is read until it is whole."""
        while True:
            start, size = self._at, len(self._text) - self._at
            try:
                value, end = self._json.raw_decode(self._text, start)
            except json.JSONDecodeError as problem:
                # Reading on moves the text, so places are counted from where the value begins.
                at, is_open = problem.pos - start, problem.msg.startswith("Unterminated string")
                if not is_open and at < size - _CLOSE_TO_END:
                    raise self._not_json(problem.msg, problem.pos) from None
                if size > VALUE_LIMIT:
                    raise self.error(f"a single value is longer than {VALUE_LIMIT:,} characters") from None
                if self._fill(size + 1):
                    continue
                if at >= size or is_open:
                    raise self._broken("") from None
                raise self._not_json(problem.msg, self._at + at) from None
            except FileError:
                raise
            except ValueError:  # whole numbers have a limit of 4,300 digits
                raise self.error("a number has too many digits") from None
            except RecursionError:
                raise self.error("the JSON is nested too deep") from None
            is_near = size - (end - start) < _EXPONENT and isinstance(value, int | float)
            if is_near and self._fill(size + 1):  # a number may go on
                continue
            self._at += end - start
            return value

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(pairs)
        if len(out) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise self.error(f"the key {shortened(twice)} is there twice")
        return out

    def _open(self, char: str, kind: str) -> None:
        if self._peek() != char:
            raise self._unexpected(kind)
        self._at += 1

    def _take(self, char: str) -> None:
        if self._peek() != char:
            raise self._broken(f"{char!r} is expected")
        self._at += 1

    def _goes_on(self, close: str) -> bool:
        """Whether there is another one after a comma; takes the end of what is closed."""
        char = self._peek()
        if char not in {",", close} or not char:
            raise self._broken(f"',' or {close!r} is expected" if char else "")
        self._at += 1
        return char == ","

    # ---- what is wrong

    def _unexpected(self, kind: str) -> FileError:
        char = self._peek()
        return self.error(f"expected {kind}, got {_KINDS.get(char, 'a number')}") if char else self._broken("")

    def _broken(self, problem: str) -> FileError:
        if not problem:
            problem = f"the JSON ends before it is complete, in {key_path(*self.keys)}; was the file cut off?"
            return FileError(self.path, problem, line=self.line)
        return self._not_json(problem, self._at)

    def _not_json(self, problem: str, at: int) -> FileError:
        line = self._line + self._text.count("\n", 0, at)
        near = self._text[max(at - 10, 0) : at + 30]
        words = f"this is not JSON ({problem[0].lower() + problem[1:]}): {shortened(near)}"
        return FileError(self.path, words, line=line)
