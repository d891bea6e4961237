"""What a degradation is: a rule for which judgments are left."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from unjudged.data.qrels import Qrels
from unjudged.spec import Registry, Spec

__all__ = ["Degradation", "degradations", "stream"]

Flags = NDArray[np.bool_]

degradations: Registry[Degradation] = Registry("degradation", "see unjudged.simulate")


class Degradation(Spec):
    """Says which judgments are left. A subclass with a ``name`` is registered by being defined.

    The answer is a mask over the rows of the judgments, not a copy of them: ``qrels.kept(mask)`` is what is left.
    Repetition 7 of seed 42 is the same whatever else is asked for.
    """

    title: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__ and cls.name:
            degradations.add(cls)

    def keep(self, qrels: Qrels, *, seed: int, repetition: int = 0) -> Flags:
        """Which rows of the judgments are left."""
        raise TypeError(f"{type(self).__name__} does not say which judgments are left")


def stream(seed: int, repetition: int) -> int:
    """A seed for one repetition, other than that of any other seed's."""
    return seed + (repetition << 32)
