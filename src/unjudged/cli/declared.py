"""What commands declare of their parameters, and calls that can be read without typer.

Typer takes longer to import, and to make ready for one command, than most runs to score. So a call that is spelled out
plainly is read here: whole names of options, each value on its own, text, numbers and words to choose from. Whatever
else there is, also what is wrong, is left to typer, which explains it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

__all__ = ["Declared", "Ended", "argument", "for_typer", "read_plainly"]


class Ended(Exception):  # noqa: N818  # no error
    """A command has ended with an exit code that is not 0."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Declared:
    """An option by its flags, or without any an argument; *more* is what typer is told beside."""

    default: Any
    flags: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def for_typer(self) -> Any:
        """The same as typer has it."""
        import typer

        if self.flags:
            return typer.Option(self.default, *self.flags, **self.more)
        return typer.Argument(self.default, **self.more)


def argument(default: Any = ..., **more: Any) -> Any:
    """An argument, which must be given unless it has a default."""
    return Declared(default, (), more)


def for_typer(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with its parameters as typer reads them."""
    signature = inspect.signature(function, eval_str=True)
    parameters = [
        one.replace(default=one.default.for_typer()) if isinstance(one.default, Declared) else one
        for one in signature.parameters.values()
    ]

    def command(**given: Any) -> Any:
        return function(**given)

    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__name__, command.__doc__, command.__module__ = function.__name__, function.__doc__, function.__module__
    return command


class _NotPlain(Exception):  # noqa: N818
    """Typer has to look at it."""


def read_plainly(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """The parameters that a command is called with; None where that takes typer."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    if not all(isinstance(one.default, Declared) for one in parameters):
        return None
    try:
        return _read(parameters, words)
    except _NotPlain:
        return None


def _read(parameters: Iterable[inspect.Parameter], words: Sequence[str]) -> dict[str, Any]:
    by_flag = {flag: one for one in parameters for flag in one.default.flags}
    given: dict[str, Any] = {}
    alone: list[str] = []
    left = iter(words)
    for word in left:
        if not word.startswith("-") or word == "-":
            alone.append(word)
            continue
        one = by_flag.get(word)
        if one is None or _wants_context(one.default.more.get("callback")):
            raise _NotPlain
        kind = _without_none(one.annotation)
        if kind is bool and one.default.default is False:
            given[one.name] = True
            continue
        value = next(left, "--")
        if value.startswith("-") and value != "-":  # it is missing, or so it seems
            raise _NotPlain
        if kind == list[str]:
            given.setdefault(one.name, []).append(value)
        else:
            given[one.name] = _one_value(kind, value, one.default.more.get("min"))
    _place(alone, [one for one in parameters if not one.default.flags], given)
    # What is looked at before anything else first, as typer does.
    for one in sorted(parameters, key=lambda one: not one.default.more.get("is_eager", False)):
        if one.default.default is ... and one.name not in given:  # it must be given
            raise _NotPlain
        value = given.get(one.name, one.default.default)
        callback = one.default.more.get("callback")  # which may also say what is meant where nothing was given
        given[one.name] = value if callback is None or _wants_context(callback) else callback(value)
    return given


def _place(words: list[str], arguments: Sequence[inspect.Parameter], given: dict[str, Any]) -> None:
    """Arguments that are one word each, and then perhaps one that takes all that are left."""
    for one in arguments:
        kind = _without_none(one.annotation)
        if not words or kind not in (str, list[str]):
            raise _NotPlain
        if kind is str:
            given[one.name] = words.pop(0)
        else:
            given[one.name], words = words, []
    if words:
        raise _NotPlain


def _wants_context(callback: Callable[..., Any] | None) -> bool:
    """Whether it asks typer about the call, which nobody else can answer."""
    return callback is not None and len(inspect.signature(callback).parameters) > 1


def _without_none(kind: Any) -> Any:
    """``str`` of ``str | None``."""
    if get_origin(kind) not in (Union, UnionType):
        return kind
    some = [one for one in get_args(kind) if one is not NoneType]
    return some[0] if len(some) == 1 else kind


def _one_value(kind: Any, word: str, least: int | None) -> Any:
    if kind is str:
        return word
    if get_origin(kind) is Literal and word in get_args(kind):
        return word
    if kind is Path:
        return Path(word)
    if kind is int and word.isascii() and word.isdigit() and len(word) < 10 and (least is None or int(word) >= least):
        return int(word)
    raise _NotPlain
