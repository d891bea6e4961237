"""Evidence: what the other runs say about the documents nobody judged."""

from __future__ import annotations

from typing import ClassVar

from unjudged.data.qrels import Qrels
from unjudged.holes.bootstrap import Bootstrap
from unjudged.holes.labels import LabelSource
from unjudged.spec import Choice, Whole, param

__all__ = ["Evidence"]


class Evidence(Bootstrap):
    """Grades for unjudged documents are drawn from what the other runs say about them.

    An ordinal model gives the probability of each grade. It has learned from the judged documents that only one other
    group of runs contributed to the pool (``depth`` documents of each run; found out unless given). Give all runs there
    are, and who made them. A document about which there is too little to learn from is drawn from the average of the
    pool's grades and the run's own.

    Other judges' ``labels`` are evidence, too: of one or of several sources, on any scale, with fractions or gaps. What
    a label means is learned on the judgments of other topics, and how much it says beside the runs from what was
    contributed alone.

    Grades are new judgments, so that R and the ideal ranking follow them, also those of documents that only other runs
    return; with a ``fixed`` ideal they stay as they are. The value is the ``point`` of the scores. ``low`` and ``high``
    are the ends of the shortest interval that has as nearly the share between the percentiles as scores with few values
    allow, or the ``percentiles``.

    The same as ``bootstrap(prior=evidence)``.
    """

    name = "evidence"
    title = "Draws of grades from what other runs say about a document"

    # No parameters here: what is drawn from is what the model is called after.
    prior: ClassVar[str] = "evidence"  # type: ignore[misc]  # a parameter of the bootstrap
    labels: str | Qrels | tuple[str | Qrels, ...] | None = param(
        None, LabelSource(several=True), "grades or scores by other judges, such as language models"
    )
    depth: int | None = param(None, Whole(1), "documents of each run that went into the pool; found out unless given")
    ideal: str = param("follows", Choice(("fixed", "follows")), "whether R and the ideal ranking follow the draws")
    ends: str = param("nearest", Choice(("percentiles", "nearest")), "where the interval of the scores ends")
