"""A degradation that samples judgments from strata, and leaves known with which probability each was drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from unjudged.arrays import Flags, Ints
from unjudged.data.joined import Joined
from unjudged.errors import InputError, Notice
from unjudged.simulate.base import Degradation, Left, judgment_keys, lowest_keys, refuse_depth
from unjudged.simulate.samples import Share
from unjudged.spec import Choice, Whole, param
from unjudged.wording import counted

__all__ = ["Stratified"]

_LEAST = 2
"""Documents that are drawn of each stratum where there are so many: from one, nobody knows how documents differ."""
_MOST_OVER = Fraction(101, 100)
"""Shares may be rounded."""


class Stratified(Degradation):
    """What runs have among their first documents was judged, and a random sample of each topic's other judgments.

    The two are strata, as in NIST's format of five columns: xinfAP and infNDCG know from them for how many documents
    each judgment stands. Other measures see pooled documents that are not judged. ``first`` is the share of the first
    stratum that is judged, drawn at random if it is not all of it. ``p`` is the share of the other judgments; with
    ``of='all'``, of all judgments of the topic, of which the first stratum takes its part. Sizes are rounded half up,
    and at least two where there are so many; what is left with p = 0.05 is among what is left with p = 0.1 of the same
    seed and repetition.
    """

    name = "Stratified"
    nameless = "p"
    title = "A shallower pool, and a random sample of the rest at a known rate"
    reference = (
        "E. Yilmaz, E. Kanoulas, J. Aslam. A simple and efficient sampling method for estimating AP and NDCG. SIGIR"
        " 2008."
    )
    random = True

    p: Fraction = param(..., Share(), "share of the judgments that is drawn")
    depth: int = param(10, Whole(1), "documents of each run that are in the first stratum")
    first: Fraction = param(Fraction(1), Share(), "share of the first stratum that is judged")
    of: str = param("rest", Choice(("rest", "all")), "what p is a share of: of the rest, or of all judgments")

    @property
    def gives_strata(self) -> bool:
        """That is the point."""
        return True

    def depth_read(self) -> int:
        """As deep as the first stratum."""
        return self.depth

    def check(self, joined: Joined) -> None:
        """Refuse a depth that no run has."""
        refuse_depth(self, self.depth, joined)

    def remarks(self, joined: Joined) -> list[Notice]:
        """That the first stratum takes all judgments there should be, so that next to nothing is drawn."""
        qrels = joined.qrels
        above = qrels.judged & joined.reached(range(len(joined.runs)), self.depth)
        first, every = int(_sizes(self.first, qrels.count(above)).sum()), int(qrels.judged.sum())
        if self.of != "all" or first <= self.p * every * _MOST_OVER:
            return []
        text = (
            f"{self}: the first {counted(self.depth, 'document')} of each run alone are {first / every:.0%} of the"
            f" judgments, more than p = {float(self.p):.0%}, so that next to nothing is drawn at random; take a smaller"
            " depth or a larger p"
        )
        return [Notice("census-alone", first, text)]

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments, and the stratum of each that there was."""
        qrels = joined.qrels
        if qrels.strata is not None:
            raise InputError("judgments with strata are a sample already; taking more away would change their rates")
        above = qrels.judged & joined.reached(range(len(joined.runs)), self.depth)
        below = qrels.judged & ~above
        keys = judgment_keys(qrels, seed, repetition)
        first = _sizes(self.first, qrels.count(above))
        rest = _sizes(self.p, qrels.count(below))
        if self.of == "all":
            rest = np.maximum(_LEAST, _rounded(self.p, qrels.count(qrels.judged)) - first)
        kept: Flags = lowest_keys(qrels, above, keys, first) | lowest_keys(qrels, below, keys, rest)
        # What nobody ever judged could not be drawn: it is in no stratum.
        return Left(kept, qrels.judged, strata=np.where(above, 1, 2).astype(np.int32))


def _sizes(share: Fraction, counts: Ints) -> Ints:
    return np.maximum(_LEAST, _rounded(share, counts))


def _rounded(share: Fraction, counts: Ints) -> Ints:
    """Exact shares of counts, rounded half up."""
    halves = [share * count + Fraction(1, 2) for count in counts.tolist()]
    return np.array([one.numerator // one.denominator for one in halves], dtype=np.int64)
