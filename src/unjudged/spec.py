"""Specifications: frozen values with a printable, parseable name, such as ``RBP(p=0.95)@20``.

A measure, a hole model, a resampler are all specifications: a class whose fields are declared with :func:`param`.
The name, the limits, the error messages, the command line and the reference page follow from the class.

>>> class Example(Spec):
...     name = "Example"
...     at = "cutoff"
...     p: float = param(0.8, Real(0, 1, "neither"), "persistence")
...     cutoff: int | None = param(None, Whole(1), "ranks read")
>>> str(Example(p=0.5, cutoff=10)), str(Example)
('Example(p=0.5)@10', 'Example')
>>> Example @ 5
Example@5
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import re
import warnings
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, ClassVar, Protocol, Self, TypeVar, dataclass_transform

from unjudged.errors import SpecError
from unjudged.limits import Choice, Flag, Gains, Grades, Limit, Real, Threshold, Whole
from unjudged.wording import clipped, shortened

__all__ = [
    "Choice",
    "Flag",
    "Gains",
    "Grades",
    "Limit",
    "Real",
    "Registering",
    "SeveralNameless",
    "Spec",
    "Threshold",
    "Whole",
    "alternatives",
    "is_name",
    "near_miss",
    "nearest",
    "param",
    "split_spec",
    "unreadable",
]


_REQUIRED: Any = dataclasses.MISSING


def param(default: Any, limit: Limit, words: str) -> Any:
    """Declare a parameter: its default (``...`` where the user must give one), its limits, and what it means."""
    if default is ...:
        return dataclasses.field(metadata={"limit": limit, "words": words})
    return dataclasses.field(default=default, metadata={"limit": limit, "words": words})


_S = TypeVar("_S", bound="Spec")


class _SpecType(type):
    """Lets a class stand for its defaults: ``nDCG @ 10`` and ``str(nDCG)`` work without brackets."""

    def __matmul__(cls: type[_S], value: object) -> _S:  # type: ignore[misc]  # of a class, it is one of its values
        return cls(**{cls._at_name(): value})

    def __str__(cls) -> str:
        return getattr(cls, "name", cls.__name__)


class Registering(Protocol):
    """What a class of specifications is registered in; see :class:`unjudged.registry.Registry`."""

    kind: str

    def add(self, cls: Any, /) -> None:
        """Register a class under its name and aliases."""


# `param` is no field specifier: type checkers would take its first argument for no default, and want all parameters.
@dataclass_transform(frozen_default=True, kw_only_default=True)
class Spec(metaclass=_SpecType):
    """Base of everything that has a name users type. Subclasses become frozen dataclasses."""

    name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    at: ClassVar[str] = ""
    """The parameter that ``@`` sets, if there is one."""
    nameless: ClassVar[str] = ""
    """The parameter whose name may be left out, as in ``labels(FILE)``, if there is one."""
    several_nameless: ClassVar[bool] = False
    """Whether that one takes several values, as in ``decide(A, B)``."""
    registry: ClassVar[Registering | None] = None
    """Where subclasses with a ``name`` of their own are registered, by being defined."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Collects the fields, no more: generating methods for sixty classes would take longer than most evaluations.
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)
        for field in cls.parameters():
            if field.default is _REQUIRED and isinstance(getattr(cls, field.name, None), property):
                # Else what a base answers for want of the parameter would stand before it.
                setattr(cls, field.name, None)
        if cls.registry is not None and cls.__dict__.get("name"):
            cls.registry.add(cls)

    def __init__(self, /, **given: Any) -> None:
        fields = {field.name: field for field in self.parameters()}
        for name in given:
            if name not in fields:
                near = near_miss(name, list(fields))
                has = ", ".join(fields) or "none"
                raise SpecError(f"{self.name} has no parameter {shortened(name)} (it has {has}){near}")
        for name, field in fields.items():
            value = given.get(name, field.default)
            if value is _REQUIRED:
                if name != self.at:
                    how = f"{self.name}({name}=...)"
                    raise SpecError(f"{self.name} needs {name} ({field.metadata['words']}), as in {how}")
                value = None  # ``P(rel=2) @ 5`` is on its way to being complete
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, field.name) for field in self.parameters())

    def __eq__(self, other: object) -> bool:
        return (
            self._values() == other._values()
            if isinstance(other, Spec) and type(other) is type(self)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is None and (field.default is None or field.name == self.at):
                continue
            limit: Limit = field.metadata["limit"]
            object.__setattr__(self, field.name, limit.checked(f"{self.name}: {field.name}", value))

    def complete(self) -> Self:
        """Itself, once the value after ``@`` is there where there must be one."""
        for field in self.parameters():
            if field.default is _REQUIRED and getattr(self, field.name) is None:
                how = f"{self.name}@{0.5 if isinstance(field.metadata['limit'], Real) else 10}"
                raise SpecError(f"{self.name} needs {field.name} ({field.metadata['words']}), as in {how}")
        return self

    @classmethod
    def parameters(cls) -> tuple[dataclasses.Field[Any], ...]:
        """The declared parameters, in order."""
        return dataclasses.fields(cls)  # type: ignore[arg-type]

    @classmethod
    def _at_name(cls) -> str:
        if not cls.at:
            raise SpecError(f"{cls.name} takes no '@'")
        return cls.at

    def __matmul__(self, value: object) -> Self:
        return self.replace(**{self._at_name(): value})

    def replace(self, **changes: object) -> Self:
        """The same specification with some parameters changed."""
        values = {field.name: getattr(self, field.name) for field in self.parameters()}
        return type(self)(**{**values, **changes})

    def __str__(self) -> str:
        shown = []
        for field in self.parameters():
            value = getattr(self, field.name)
            if field.name != self.at and value != field.default:
                name = "" if field.name == self.nameless else f"{field.name}="
                shown.append(name + field.metadata["limit"].show(value))
        at = getattr(self, self.at) if self.at else None
        return self.name + (f"({','.join(shown)})" if shown else "") + (f"@{at}" if at is not None else "")

    __repr__ = __str__


def near_miss(word: str, words: list[str]) -> str:
    """The end of a message about an unknown word: the one that was perhaps meant, where one is like it."""
    near = nearest(word, words)
    return "" if near is None else f"; did you mean {near!r}?"


def nearest(word: str, words: list[str]) -> str | None:
    """The word that is most like another one, where one is."""
    words = [candidate for candidate in words if candidate != word]  # known, but not where it was given
    lower = {candidate.lower(): candidate for candidate in reversed(words)}
    close = [lower[word.lower()]] if word.lower() in lower else []
    close = close or difflib.get_close_matches(word, words, n=1, cutoff=0.7)
    close = close or [lower[near] for near in difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.6)]
    return close[0] if close else None


_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w-]*")
# Spaces are taken once and for all (``*+``): three ways to share out thousands of them would be tried in turn.
_SHAPE = re.compile(rf"\s*+({_NAME.pattern})\s*+(?:\((.*)\))?\s*+(?:@\s*+([^\s@()]+))?\s*+", re.DOTALL)


_MOST_NESTED = 20
"""Brackets in brackets, as in ``NRG(base=NRG(...))``: each is read by a call within a call."""


def is_name(text: str) -> bool:
    """Whether a specification may be called so."""
    return _NAME.fullmatch(text) is not None


class SeveralNameless(tuple[str, ...]):
    """Values without a name, as they were written."""

    def read(self) -> tuple[object, ...]:
        """What they stand for."""
        return tuple(map(_literal, self))


def split_spec(text: str, example: str = "") -> tuple[str, dict[str, object], object]:
    """``"P(rel=2)@5"`` to ``("P", {"rel": 2}, 5)``; the last is None where there is no ``@``.

    A value without a name, as in ``"labels(FILE)"``, is found under the name ``""``, and several as `SeveralNameless`.
    *example* is for the error about what cannot be read.
    """
    if max(accumulate((char == "(") - (char == ")") for char in text), default=0) > _MOST_NESTED:
        raise SpecError(f"cannot read {shortened(text)}; it is nested too deep")
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise SpecError(f"cannot read {shortened(text)}; it should look like {example or 'nDCG@10 or RBP(p=0.9)@20'}")
    name, inside, at = match.groups()
    values: dict[str, object] = {}
    nameless: list[str] = []
    for argument in _split_arguments(inside or ""):
        named = _NAMED.fullmatch(argument)
        key, value = named.groups() if named else ("", argument)
        if not value.strip():
            raise unreadable(argument, text)
        if not key:
            nameless.append(argument)
        elif key in values:
            raise SpecError(f"{clipped(key)} is given twice in {shortened(text)}")
        else:
            values[key] = _literal(value)
    if nameless:
        values[""] = _literal(nameless[0]) if len(nameless) == 1 else SeveralNameless(nameless)
    return name, values, None if at is None else _literal(at)


def alternatives(text: str) -> list[str]:
    """``"DepthCut(4,8,pool=cut)"`` to ``["DepthCut(4,pool=cut)", "DepthCut(8,pool=cut)"]``: one for each such value.

    What has no or one such value stays as it is; what cannot be read is left to those who read it.
    """
    match = _SHAPE.fullmatch(text)
    if match is None or match.group(3) is not None:
        return [text]
    name, inside, _ = match.groups()
    arguments = [argument.strip() for argument in _split_arguments(inside or "")]
    nameless = [argument for argument in arguments if not _NAMED.fullmatch(argument)]
    if len(nameless) < 2 or not all(nameless):
        return [text]
    named = [argument for argument in arguments if _NAMED.fullmatch(argument)]
    return [f"{name}({','.join([value, *named])})" for value in nameless]


def unreadable(argument: object, text: str) -> SpecError:
    """The error about an argument that is none."""
    what = shortened(argument.strip() if isinstance(argument, str) else argument)
    return SpecError(f"cannot read {what} in {shortened(text)}; parameters look like rel=2")


def _split_arguments(inside: str) -> Iterator[str]:
    """Split at commas outside brackets and quotes."""
    depth, quote, start, escaped = 0, "", 0, False
    for i, char in enumerate(inside):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield inside[start:i]
            start = i + 1
    if inside[start:].strip() or start:
        yield inside[start:]


def _literal(text: str) -> object:
    """A number, a quoted or bare word, a dict; never code."""
    text = text.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has remarks on what only looks like its own, such as 1or2.txt
            value: object = ast.literal_eval(text)
            repr(value)  # what cannot be shown is no value: 0x... may have more digits than Python writes
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # TypeError: ``{[]: 1}``
        return text
    return value
