"""A study of reuse as a plan of blocks: one for each degradation, case and repetition."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.data.texts import texts_of
from unjudged.engine.execution.plan import Block, Plan, digest_of
from unjudged.engine.numerics.reuse_tallies import REVISION, PoolCase, try_pool
from unjudged.engine.numerics.reuse_trial import Trial
from unjudged.holes.base import files_of
from unjudged.io.sources import digest
from unjudged.registry import plugin_of
from unjudged.version import __version__

__all__ = ["cases_of", "plan_of"]


def cases_of(trial: Trial, repeat: int) -> list[PoolCase]:
    """All blocks; what is drawn at random is drawn *repeat* times."""
    return [
        PoolCase(i, case, repetition)
        for i, how in enumerate(trial.degradations)
        for repetition in range(repeat if how.is_random else 1)
        for case in how.cases(trial.joined)  # there is nothing to estimate without those who are not scored
    ]


def plan_of(trial: Trial, cases: Sequence[PoolCase]) -> Plan:
    """Blocks are named by what they do, so that the same block of another study has the same name."""
    blocks = []
    for case in cases:
        words = f"{trial.degradations[case.degradation]}"
        words += f" without {case.case}" if case.case else ""
        blocks.append(Block(case, f"{words}, repetition {case.repetition}"))
    methods = trial.methods
    files = tuple(map(digest, files_of(methods.hole_models)))
    used = (
        *methods.measures,
        *methods.truths,
        *methods.hole_models,
        *trial.degradations,
        methods.test,
        methods.correction,
    )
    versions = (__version__, REVISION, *sorted({str(plugin_of(type(spec)) or "") for spec in used}))
    return Plan(try_pool, trial, tuple(blocks), digest_of((versions, _content(trial), methods, files)))


def _content(trial: Trial) -> object:
    """What results follow from beside the methods."""
    joined = trial.everybody
    qrels = joined.qrels
    texts = texts_of(qrels)
    return (
        (qrels.topics, qrels.offsets, qrels.docs, qrels.grades, qrels.states, qrels.strata, qrels.subtopics),
        None
        if texts is None
        else (texts.docs, texts.offsets, texts.terms, texts.counts, texts.words, texts.collection),
        (joined.runs, joined.groups, joined.offsets, joined.codes, joined.docs, joined.original),
        (trial.places, trial.by_topic, None if trial.occurrences is None else trial.occurrences.pool_depth),
        tuple(how.content() for how in trial.degradations),
    )
