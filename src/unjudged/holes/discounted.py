"""Discounted: what a run's own judged documents say about those that nobody judged."""

from __future__ import annotations

from typing import ClassVar

from unjudged.data.qrels import Qrels
from unjudged.data.run_occurrences import OccurrencesInRuns
from unjudged.holes.bootstrap import Bootstrap
from unjudged.holes.discount_model import DISCOUNT, Discount, DiscountModel, discount_model
from unjudged.spec import Choice, Real, param

__all__ = ["Discounted"]


class Discounted(Bootstrap):
    """Grades for unjudged documents are drawn from those of the run's own judged documents, discounted.

    What nobody judged is less often relevant than what is judged in the same run, because the others that went into
    the pool did not find it. The chance of a grade or a higher one is that of the run's judged documents at this rank,
    on this topic as far as it has some, moved by a shift in log odds: a normal number with the mean ``shift`` and the
    standard deviation ``sd``, the same for all holes of a run in a draw. It needs no other runs. Unless given, its mean
    follows from the share of the run's top 10 that is judged and from the number of judgments for each topic; with 70%
    and 100 it is -1.4. A document that several runs return is seen from the one that has it at the best rank.

    Grades are new judgments, so that R and the ideal ranking follow them, also those of documents that only other runs
    of the study return; with a ``fixed`` ideal they stay as they are. The value is the ``point`` of the scores. ``low``
    and ``high`` are the ends of the shortest interval that has as nearly the share between the percentiles as scores
    with few values allow, or the ``percentiles``.
    """

    name = "discounted"
    title = "Draws of grades from the run's own judged documents, discounted"
    reference = "Derived in the documentation of this package."
    about_grades = ("shift", "sd")

    # No parameters here: there is no pool to draw from, and its grades do not run out.
    prior: ClassVar[str] = "discounted"  # type: ignore[misc]  # a parameter of the bootstrap
    scope: ClassVar[str] = "topic"  # type: ignore[misc]
    order: ClassVar[str] = "rank"  # type: ignore[misc]
    unseen: ClassVar[str] = "pool"  # type: ignore[misc]
    method: ClassVar[str] = "draws"  # type: ignore[misc]
    labels: ClassVar[None] = None  # type: ignore[misc]
    depth: ClassVar[None] = None  # type: ignore[misc]
    ideal: str = param("follows", Choice(("fixed", "follows")), "whether R and the ideal ranking follow the draws")
    ends: str = param("nearest", Choice(("percentiles", "nearest")), "where the interval of the scores ends")
    shift: float | None = param(
        None, Real(-100, 100), "mean of the shift in log odds; follows from the data unless given"
    )
    sd: float = param(DISCOUNT.sd, Real(0, 100), "standard deviation of the shift")

    @property
    def learns_from_runs(self) -> bool:
        """It asks which documents runs return, and which of these are judged."""
        return True

    def learned_from_runs(self, qrels: Qrels, occurrences: OccurrencesInRuns) -> DiscountModel:
        """What the judged documents of each run say about its holes."""
        return discount_model(qrels, occurrences, Discount(self.shift, self.sd))
