"""What trec_eval calls a measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from unjudged.errors import SpecError
from unjudged.wording import shortened

__all__ = ["TrecName", "read_number"]

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
    """Whether the name takes arguments of another kind (``ndcg.1=3,2=9``); :meth:`Measure.from_trec` reads them."""

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
