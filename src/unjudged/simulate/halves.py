"""A degradation that judges one part of a corpus, and asks about the other."""

from __future__ import annotations

import numpy as np

from unjudged.data.joined import Joined
from unjudged.simulate.base import Degradation, Left
from unjudged.simulate.samples import in_first_half
from unjudged.spec import Choice, param

__all__ = ["OtherHalf"]


class OtherHalf(Degradation):
    """Runs return documents of one half of the corpus only; what is judged are documents of the other half.

    Halves are drawn at random, by document, the same for all topics. The truth is about the half that runs return:
    their scores with its judgments. A measure of what documents say can do without these; ``judged='same'`` gives them
    to it, to tell what the other half's judgments cost from what the measure costs.
    """

    name = "OtherHalf"
    nameless = "judged"
    title = "Judgments of one half of the corpus for runs over the other half"
    reference = (
        "K. Hui, K. Berberich and I. Mele. Dealing with incomplete judgments in cascade measures. ICTIR 2017,"
        " section 5.3."
    )
    random = True

    judged: str = param("other", Choice(("other", "same")), "which half is judged: the other one, or that of the runs")

    def depth_read(self) -> None:
        """All of a run: who knows how far down its documents of a half begin."""

    def leave(self, joined: Joined, *, seed: int, repetition: int = 0, case: str = "") -> Left:
        """What is left of the judgments and of the runs, and what the truth is."""
        qrels = joined.qrels
        first = in_first_half(joined.docs, seed=seed, repetition=repetition)
        of_runs = ~first[: len(qrels)] & qrels.judged
        kept = of_runs if self.judged == "same" else first[: len(qrels)] & qrels.judged
        return Left(kept, kept, truth=of_runs, docs=np.flatnonzero(~first))
