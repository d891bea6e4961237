"""What a measure is. One class in one file is a whole measure: name, parameters, limits, words and code."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.spec import Flag, Registry, Spec, Whole, param

__all__ = [
    "Floats",
    "Measure",
    "Need",
    "Summary",
    "TrecName",
    "cutoff_param",
    "find_trec_name",
    "judged_only_param",
    "measures",
    "parse_trec_name",
    "read_number",
    "rel_param",
    "share",
]

Floats = NDArray[np.float64]

Summary = Literal["mean", "sum", "geometric", "standard_error"]
"""How topics become one number. ``geometric`` takes values below 1e-5 as 1e-5, as trec_eval does. ``standard_error`` is
that of a mean over topics with independent errors: the root of the sum of squares, divided by the number of topics."""

Need = Literal["subtopics", "strata", "texts"]
"""What a measure needs beyond plain judgments and a run."""


@dataclass(frozen=True)
class TrecName:
    """trec_eval's name for a measure: ``TrecName("ndcg_cut", at=(5, 10))`` stands for ``ndcg_cut_5`` and so on.

    ``at`` are the values trec_eval prints by default, ``form`` how it writes them.
    """

    name: str
    at: tuple[float, ...] = ()
    form: str = "{}"
    fixed: tuple[tuple[str, object], ...] = ()
    """Parameters this name implies, such as ``(("rel", 1),)``."""
    sets: str = ""
    """The parameter the values in ``at`` set; the one ``@`` sets unless given."""
    arguments: bool = False
    """Whether the name takes arguments of another kind (``ndcg.1=3,2=9``); :meth:`Measure.from_trec` reads them."""

    def names(self) -> Iterator[str]:
        """All names trec_eval prints by default."""
        yield self.name
        for value in self.at:
            yield f"{self.name}_{self.form.format(value)}"


class MeasureRegistry(Registry["Measure"]):
    """All measures. An unknown name is compared with our names, with trec_eval's and with those of groups."""

    groups: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> type[Measure]:
        if name in self:
            return super().__getitem__(name)
        ours = [text for cls in self for text in (cls.name, *cls.aliases)]
        trec = [text for cls in self for trec in cls.trec_names for text in trec.names()]
        names = {text.lower(): text for text in reversed([*ours, *trec, *self.groups])}
        close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
        near = f"; did you mean {names[close[0]]!r}?" if close else ""
        raise SpecError(f"unknown {self.kind} {name!r}{near} ({self._listing})")


measures = MeasureRegistry("measure", "`unjudged measures` lists them all")


class Measure(Spec):
    """Maps a view to one number per ranking.

    A subclass with a ``name`` is registered by being defined. Its docstring is the text users read: the first
    paragraph says what it measures, the rest how. NaN says that the measure is undefined for a ranking.
    """

    title: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    unjudged: ClassVar[str] = ""
    """What happens to unjudged documents, in one sentence."""
    reference: ClassVar[str] = ""
    trec_names: ClassVar[tuple[TrecName, ...]] = ()
    needs: ClassVar[frozenset[Need]] = frozenset()
    summary: ClassVar[Summary] = "mean"
    is_count: ClassVar[bool] = False
    """Whether values are whole numbers, shown without decimals."""
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Lowest and highest possible value."""
    condenses: ClassVar[bool] = True
    """Whether dropping unjudged documents first (``--holes condensed``) makes sense."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__ and cls.name:
            measures.add(cls)

    def score(self, view: View) -> Floats:
        """One value per ranking of *view*."""
        if getattr(self, "judged_only", False):
            view = view.condensed()
        return np.asarray(self.compute(view.top(self.depth())), dtype=np.float64)

    def depth(self) -> int | None:
        """How many ranks the measure reads; None for all of them."""
        cutoff: int | None = getattr(self, "cutoff", None)
        return cutoff

    def compute(self, view: View) -> Floats:
        """The measure itself, on a view that is already cut to :meth:`depth`."""
        raise TypeError(f"{type(self).__name__} does not say how it is computed")

    def summarise(self, values: Floats) -> float:
        """One number for all topics; undefined topics are left out."""
        values = values[~np.isnan(values)]
        if self.summary == "sum":
            return float(values.sum())
        if not len(values):
            return float("nan")
        if self.summary == "geometric":
            return float(np.exp(np.log(np.maximum(values, 1e-5)).mean()))
        if self.summary == "standard_error":
            return float(np.sqrt((values**2).sum()) / len(values))
        return float(values.mean())

    def trec_name(self) -> str | None:
        """trec_eval's name for this very measure, or None where it has none."""
        for trec in self.trec_names:
            sets = trec.sets or self.at
            fixed = dict(trec.fixed)
            value = getattr(self, sets) if trec.at else None
            if trec.at and value is None:
                continue
            if trec.at:
                fixed[sets] = value
            if type(self)(**fixed) == self:
                return f"{trec.name}_{trec.form.format(value)}" if trec.at else trec.name
        return None

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Measure]:
        """What trec_eval means by ``name.arguments``; *arguments* is empty where there are none.

        Here the arguments are the values of one parameter, such as cut-offs, and no arguments are the default ones.
        """
        fixed = dict(trec.fixed)
        if not trec.at:
            return [cls(**fixed)]
        values = [read_number(trec, text) for text in arguments.split(",")] if arguments else trec.at
        return [cls(**fixed, **{trec.sets or cls.at: value}) for value in values]


def share(part: NDArray[np.int64] | Floats, whole: NDArray[np.int64] | Floats) -> Floats:
    """part / whole, and 0 where whole is 0: without anything to find, or to look at, the score is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    out = np.zeros(np.broadcast(part, whole).shape)
    return np.divide(part, whole, out=out, where=whole != 0)


def rel_param(words: str = "lowest grade that counts as relevant") -> int:
    """The ``rel`` parameter most measures share."""
    value: int = param(1, Whole(1), words)
    return value


def cutoff_param(*, required: bool = False) -> int | None:
    """The ``cutoff`` parameter most measures share."""
    value: int | None = param(... if required else None, Whole(1), "number of ranks read")
    return value


def judged_only_param() -> bool:
    """The ``judged_only`` parameter most measures share."""
    value: bool = param(False, Flag(), "drop unjudged documents first, so that those below move up")
    return value


def find_trec_name(text: str) -> tuple[type[Measure], TrecName, str] | None:
    """The measure class behind a trec_eval name, which of its names that is, and the arguments after it."""
    for cls in measures:
        for trec in cls.trec_names:
            arguments = _arguments(trec, text)
            if text == trec.name or arguments:
                return cls, trec, arguments
    return None


def parse_trec_name(text: str) -> list[Measure]:
    """Measures that a trec_eval name stands for: ``map``, ``P_10``, ``ndcg_cut.5,10``, ``P`` (all its cut-offs)."""
    found = find_trec_name(text)
    if found is None:
        raise SpecError(f"unknown trec_eval measure {text!r}")
    cls, trec, arguments = found
    return cls.from_trec(trec, arguments)


def _arguments(trec: TrecName, text: str) -> str:
    """What follows the name: after a dot as on trec_eval's command line, or after ``_`` as in its output."""
    head, rest = text[: len(trec.name)], text[len(trec.name) :]
    if head != trec.name or not (trec.at or trec.arguments) or len(rest) < 2:
        return ""
    is_value = rest[1].isdigit() or rest[1] in ".-"
    return rest[1:] if rest[0] == "." or (rest[0] == "_" and is_value) else ""


def read_number(trec: TrecName, text: str) -> float:
    """A number among the arguments of a trec_eval name."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise SpecError(f"trec_eval measure {trec.name!r}: {text!r} is not a number") from None
