"""Measures on the set of retrieved documents: their order does not matter."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures.base import Normaliser, Static, TrecName, judged_only_param, read_number, share
from unjudged.measures.precision import BUCKLEY_VOORHEES, VAN_RIJSBERGEN, Binary
from unjudged.spec import Flag, Real, param
from unjudged.wording import clipped

__all__ = ["SetAP", "SetF", "SetP", "SetR"]


class SetP(Binary):
    """Share of relevant documents among all retrieved ones; 0 when nothing is retrieved.

    With ``relative=True`` it divides by the best possible, min(number retrieved, number relevant).
    """

    name = "SetP"
    title = "Set precision"
    formula = "SetP = |relevant and retrieved| / |retrieved|"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("set_P"), TrecName("set_relative_P", fixed=(("relative", True),)))

    relative: bool = param(False, Flag(), "divide by the best possible precision for this many documents")
    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        relevant_retrieved = view.count(view.relevant(self.rel))
        most = np.minimum(view.lengths, view.total_relevant(self.rel)) if self.relative else view.lengths
        return share(relevant_retrieved, most)

    def normaliser(self) -> Normaliser:
        return "count" if self.relative else "none"


class SetR(Binary):
    """Share of the relevant documents that are retrieved; 0 for topics without relevant documents."""

    name = "SetR"
    title = "Set recall"
    formula = "SetR = |relevant and retrieved| / R"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("set_recall"),)

    def compute(self, view: View) -> Floats:
        return share(view.count(view.relevant(self.rel)), view.total_relevant(self.rel))

    def static(self, qrels: Qrels, ranks: int) -> Static:
        return Static(np.ones(ranks), self.gains_of_grades(qrels))


class SetF(Binary):
    """Weighted harmonic mean of set precision and set recall; 0 when no relevant document is retrieved.

    ``beta`` is the textbook's: recall counts beta times as much as precision. trec_eval's parameter is beta squared
    (``set_F.4`` is ``SetF(beta=2)``), and ir_measures hands its ``beta`` to trec_eval as it is, so that its
    ``SetF(beta=4)`` is our ``SetF(beta=2)``. With beta 1, the default, all agree.
    """

    name = "SetF"
    title = "Set F"
    formula = "SetF = (1 + beta^2) * SetP * SetR / (beta^2 * SetP + SetR)"
    reference = VAN_RIJSBERGEN
    trec_names = (TrecName("set_F", arguments=True),)

    beta: float = param(1.0, Real(0), "how many times as much recall counts as precision")
    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        # With SetP = both / retrieved and SetR = both / relevant the formula is this, without a division by 0.
        relevant_retrieved = view.count(view.relevant(self.rel))
        square = self.beta**2
        part = np.asarray((1.0 + square) * relevant_retrieved, dtype=np.float64)
        return share(part, np.where(relevant_retrieved > 0, square * view.total_relevant(self.rel) + view.lengths, 0.0))

    @classmethod
    def from_trec(cls, trec: TrecName, arguments: str) -> list[Self]:
        square = read_number(trec, arguments) if arguments else 1.0
        if square < 0:
            raise SpecError(
                f"trec_eval measure {trec.name!r}: {clipped(arguments)} is beta squared and cannot be below 0"
            )
        return [cls(beta=math.sqrt(square))]


class SetAP(Binary):
    """Set precision times set recall: average precision where all relevant documents have the precision of the set.

    0 for topics without relevant documents and when nothing is retrieved.
    """

    name = "SetAP"
    title = "Set average precision"
    formula = "SetAP = |relevant and retrieved|^2 / (|retrieved| * R)"
    reference = BUCKLEY_VOORHEES
    trec_names = (TrecName("set_map"),)

    judged_only: bool = judged_only_param()

    def compute(self, view: View) -> Floats:
        relevant_retrieved = view.count(view.relevant(self.rel))
        return share(relevant_retrieved**2, view.lengths * view.total_relevant(self.rel))
