"""The parameters that most measures share: how they are declared, and what follows from them."""

from __future__ import annotations

from typing import Self

from unjudged.data.qrels import GRADE_LIMIT
from unjudged.spec import Flag, Spec, Whole, param

__all__ = [
    "CUTOFF_LIMIT",
    "SharedParameters",
    "cutoff_param",
    "judged_only_param",
    "max_grade_param",
    "rel_param",
]

CUTOFF_LIMIT = 1_000_000
"""Of measures that need a cut-off: some have a weight for every rank down to it, whether anything is there or not."""


class SharedParameters(Spec):
    """Four parameters that anybody may ask a measure for. One that does not declare them answers with these."""

    @property
    def rel(self) -> int | None:
        """Lowest grade that counts as relevant; None where grades are graded gains, or play no part."""
        return None

    @property
    def max_grade(self) -> int | None:
        """Top of the grade scale; None where it is that of the judgments, or plays no part."""
        return None

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are dropped first."""
        return False

    @property
    def cutoff(self) -> int | None:
        """Number of ranks read; None for all of them."""
        return None

    # ---- what follows from them

    @property
    def condenses(self) -> bool:
        """Whether unjudged documents are dropped first, so that those below move up."""
        return self.judged_only

    def depth(self) -> int | None:
        """How many ranks the measure reads; None for all of them."""
        return self.cutoff

    def first_relevant(self) -> int:
        """The lowest grade that can bring anything."""
        return self.rel or 1

    def on_scale(self, top: int) -> Self:
        """The measure when the highest grade is known to be *top*, for measures that take it from the judgments."""
        has_scale = any(field.name == "max_grade" for field in self.parameters())
        return self.replace(max_grade=top) if has_scale and self.max_grade is None and self.rel is None else self


def rel_param(words: str = "lowest grade that counts as relevant") -> int:
    """The ``rel`` parameter most measures share."""
    value: int = param(1, Whole(1), words)
    return value


def cutoff_param(*, required: bool = False) -> int | None:
    """The ``cutoff`` parameter most measures share."""
    value: int | None = param(
        ... if required else None, Whole(1, CUTOFF_LIMIT if required else None), "number of ranks read"
    )
    return value


def max_grade_param() -> int | None:
    """The ``max_grade`` parameter of measures with graded gains."""
    value: int | None = param(
        None, Whole(1, GRADE_LIMIT), "top of the grade scale; the highest grade in the qrels unless given"
    )
    return value


def judged_only_param() -> bool:
    """The ``judged_only`` parameter most measures share."""
    value: bool = param(False, Flag(), "drop unjudged documents first, so that those below move up")
    return value
