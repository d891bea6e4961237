"""What a study may know beside judgments and runs: the pool, texts, and what runs say about unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels
from unjudged.data.run import ScoreType
from unjudged.data.texts import ModelSize, Texts
from unjudged.engine.hearing import Groups, add_testimony
from unjudged.engine.pooling import add_pool
from unjudged.engine.scoring import deepest_rank
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel
from unjudged.io.reading import RunSource
from unjudged.measures.base import Measure

if TYPE_CHECKING:
    from unjudged.io.texts import TextSource

__all__ = ["Gathered", "gather"]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Judgments with all that is known beside them, and the runs, which are still to be read."""

    qrels: Qrels
    runs: Sequence[RunSource]
    models: Sequence[ModelSize]
    """What the subtopics' language models rest on, where a measure looks at texts."""
    notices: Sequence[Notice]


def gather(
    qrels: Qrels,
    runs: Sequence[RunSource],
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    pool: Pool | None = None,
    pool_depth: int | None = None,
    texts: TextSource | Texts | None = None,
    witnesses: Groups | None = None,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
) -> Gathered:
    """Gather what *measures* and *holes* want to know.

    *witnesses* says who made which run, for hole models that ask runs; without it none is asked.
    """
    qrels, runs, notices = add_pool(qrels, runs, pool=pool, pool_depth=pool_depth, score_type=score_type, jobs=jobs)
    models: Sequence[ModelSize] = ()
    if texts is not None:
        from unjudged.engine.reading_texts import add_texts  # readers of texts, which few studies need

        qrels, runs, models, more = add_texts(qrels, runs, measures, holes, texts, score_type=score_type, jobs=jobs)
        notices += more
    if witnesses is not None:
        depth = deepest_rank(measures)
        qrels, runs, more = add_testimony(
            qrels, runs, holes, witnesses, depth=depth, pool_depth=pool_depth, score_type=score_type, jobs=jobs
        )
        notices += more
    _ = qrels.pairs, qrels.topic_of_row  # built once; threads would each build their own
    return Gathered(qrels, runs, models, notices)
