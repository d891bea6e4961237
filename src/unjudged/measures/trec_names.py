"""What trec_eval calls a measure, and what it means by its names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from unjudged.errors import SpecError
from unjudged.spec import Spec
from unjudged.wording import shortened

__all__ = ["TrecName", "TrecNaming", "read_number"]

_MOST_DIGITS = 100


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
    """Whether the name takes arguments of another kind (``ndcg.1=3,2=9``); :meth:`TrecNaming.from_trec` reads them."""

    def names(self) -> Iterator[str]:
        """All names trec_eval prints by default."""
        yield self.name
        for value in self.at:
            yield f"{self.name}_{self.form.format(value)}"


def read_number(trec: TrecName, text: str) -> float:
    """A number among the arguments of a trec_eval name."""
    try:
        # More digits are beyond all limits, and more than Python reads as a whole number.
        return int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else float(text)
    except ValueError:
        raise SpecError(f"trec_eval measure {trec.name!r}: {shortened(text)} is not a number") from None


class TrecNaming(Spec):
    """A measure's names in trec_eval; none unless it lists them."""

    trec_names: ClassVar[tuple[TrecName, ...]] = ()

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
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Self]:
        """What trec_eval means by ``name.arguments``; *arguments* is empty where there are none.

        Here the arguments are the values of one parameter, such as cut-offs, and no arguments are the default ones.
        """
        fixed = dict(trec.fixed)
        if not trec.at:
            return [cls(**fixed)]
        values = [read_number(trec, text) for text in arguments.split(",")] if arguments else trec.at
        return [cls(**fixed, **{trec.sets or cls.at: value}) for value in values]
