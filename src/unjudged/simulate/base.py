"""What a degradation is: a rule for which judgments are left."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import unjudged.kernels as kernels
from unjudged.data.ids import Ids
from unjudged.data.qrels import Qrels
from unjudged.kernels.splitmix import GOLDEN, mixed, seeded
from unjudged.spec import Registry, Spec

__all__ = ["Degradation", "degradations", "document_keys", "judgment_keys"]

Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

degradations: Registry[Degradation] = Registry("degradation", "see unjudged.simulate")


class Degradation(Spec):
    """Says which judgments are left. A subclass with a ``name`` is registered by being defined.

    The answer is a mask over the rows of the judgments, not a copy of them: ``qrels.left(mask)`` is what is left.
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


def document_keys(docs: Ids, seed: int, repetition: int) -> Hashes:
    """A random number for each document, the same wherever it occurs."""
    start = seeded(seed) + np.array([repetition + 1], dtype=np.uint64) * GOLDEN
    return mixed(kernels.hash_ids(docs.blob, docs.offsets) + mixed(start))


def judgment_keys(qrels: Qrels, seed: int, repetition: int) -> Hashes:
    """A random number for each (topic, document) pair, which depends on their names and not on their place."""
    topics = Ids.of(qrels.topics)
    of_topic = mixed(kernels.hash_ids(topics.blob, topics.offsets))
    return mixed(document_keys(qrels.docs, seed, repetition) + of_topic[qrels.topic_of_row])
