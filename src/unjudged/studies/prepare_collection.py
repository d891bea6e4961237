"""What a study may know beside judgments and runs: the pool, texts, and what runs say about unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from unjudged.collection import BaseCollection
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.pooling import add_pool
from unjudged.errors import Notice
from unjudged.holes.base import HoleModel
from unjudged.measures.base import Measure

if TYPE_CHECKING:
    from unjudged.data.texts import ModelSize

__all__ = ["Prepared", "prepare"]


class Prepared(NamedTuple):
    """The collection with all that is known beside its judgments; its runs are still to be read."""

    collection: BaseCollection
    subtopic_models: Sequence[ModelSize]
    """What the subtopics' language models rest on, where a measure looks at texts."""
    notices: Sequence[Notice]


def prepare(
    collection: BaseCollection,
    measures: Sequence[Measure],
    hole_models: Sequence[HoleModel],
    *,
    evidence: bool = True,
    whole_runs: bool = False,
) -> Prepared:
    """Prepare what *measures* and *hole_models* need; without *evidence*, not what runs say.

    *whole_runs*: whether documents below what measures look at may move up, so that their texts are wanted, too.
    """
    notices = list(collection.qrels.notices)
    collection, more = add_pool(collection)
    notices += more
    subtopic_models: Sequence[ModelSize] = ()
    if collection.texts is not None:
        from unjudged.engine.preparation.document_texts import add_texts  # readers of texts, which few studies need

        collection, subtopic_models, more = add_texts(
            collection, collection.texts, measures, hole_models, whole_runs=whole_runs
        )
        notices += more
    learning = any(model.learns_from_runs for model in hole_models)
    if evidence and (learning or collection.has_groups or collection.features):  # otherwise it has nothing to say
        from unjudged.engine.preparation.document_occurrences import collect_occurrences

        collection, more = collect_occurrences(collection, hole_models, depth=deepest_rank(measures))
        notices += more
    _ = collection.qrels.pairs, collection.qrels.topic_of_row  # built once; threads would each build their own
    return Prepared(collection, subtopic_models, notices)
