"""Scales that are too long for a model: with hundreds of different grades, probabilities are those of bins."""

from __future__ import annotations

from unjudged.data.memo import remembered
from unjudged.data.qrels import Qrels
from unjudged.data.relevance_profiles import ProfiledQrels
from unjudged.data.scale import ORDINARY_TOP, Bins, binned
from unjudged.errors import Notice
from unjudged.holes.imputation.filling import grade_counts

__all__ = ["MOST_DRAWN", "MOST_LEARNED", "bin_notices", "bins_for"]

MOST_DRAWN = 1000
"""Grades that are drawn as often as they occur. Memory grows with draws times grades where ideal rankings follow."""
MOST_LEARNED = ORDINARY_TOP + 1
"""Grades whose probabilities a model learns: it has a parameter for each, and few judgments to learn them from."""


def bins_for(qrels: Qrels, *, learned: bool) -> Bins | None:
    """The bins that grades of holes are drawn from; None where the scale is short enough to do without.

    Whether probabilities are *learned* from other runs or labels, or are shares of the judgments, decides how many
    there may be. Profiles of subtopics are not grades: the same number stands for something else in each topic.
    """
    most = MOST_LEARNED if learned else MOST_DRAWN
    if len(qrels.scale) <= most or isinstance(qrels, ProfiledQrels):
        return None
    return _bins(qrels, most)


@remembered
def _bins(qrels: Qrels, most: int) -> Bins:
    return binned(qrels.scale, grade_counts(qrels).sum(axis=0), most)


def bin_notices(qrels: Qrels, *, learned: bool) -> tuple[Notice, ...]:
    """What the user should know about the bins, if there are any."""
    bins = bins_for(qrels, learned=learned)
    if bins is None:
        return ()
    text = (
        f"{qrels.source or 'qrels'}: there are {len(qrels.scale):,} different grades, too many for a probability of"
        f" each; unjudged documents get grade 0 or one of {len(bins.scale) - 1:,} others, each of which stands for a"
        " bin of about equally many judgments and is the grade nearest to their mean"
    )
    return (Notice("binned-grades", len(qrels.scale), text),)
