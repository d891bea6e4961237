"""What the library refuses in one line where the command line could not even be given it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import unjudged as uj

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 1}}
RUNS = {"x": {"1": {"h": 2.0, "a": 1.0}}, "y": {"1": {"a": 1.0}, "2": {"c": 2.0}}}


def score(**options: Any) -> object:
    return uj.score(QRELS, RUNS, "P@2", **options)


def compare(**options: Any) -> object:
    return uj.compare(QRELS, RUNS, "P@2", **options)


def reuse(**options: Any) -> object:
    return uj.reuse(QRELS, RUNS, "P@2", degrade="KeepFraction(50%)", **options)


def relative(**options: Any) -> object:
    return uj.relative(QRELS, RUNS, "P@2", **options)


def report(**options: Any) -> object:
    return uj.report(QRELS, RUNS, "P@2", **options)


def resample(**options: Any) -> object:
    return uj.resample(QRELS, RUNS, "P@2", uj.CorpusBootstrap(images=2), **options)


def doctor(**options: Any) -> object:
    return uj.doctor(QRELS, RUNS, **options)


@pytest.mark.parametrize("ask", [score, compare, reuse, relative, report, resample])
@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_a_seed_is_a_whole_number(ask: Callable[..., object], seed: object) -> None:
    """Some would have taken 1 for 1.5, and some have failed far inside."""
    with pytest.raises(uj.InputError) as caught:
        ask(seed=seed)
    assert str(caught.value) == f"seed must be a whole number of at least 0, not {seed!r}"


@pytest.mark.parametrize(
    ("ask", "options", "message"),
    [
        (score, {"interval": 0.95}, "an interval is two quantiles such as (0.05, 0.95), not 0.95"),
        (
            score,
            {"interval": (0.1, 0.5, 0.9)},
            "an interval is two quantiles such as (0.05, 0.95), not (0.1, 0.5, 0.9)",
        ),
        (score, {"explain": "x"}, "explain takes pairs of a run and a topic, not 'x'"),
        (score, {"missing": "drop"}, "missing must be one of 'zero', 'skip', not 'drop'"),
        (compare, {"top": 2.5}, "top must be a whole number, not 2.5"),
        (compare, {"top": 1}, "a comparison needs at least two runs, not the top 1"),
        (compare, {"prior": "pool"}, "prior must be one of 'pool+run', 'evidence', 'discounted', not 'pool'"),
        (reuse, {"engine": "spark"}, "engine must be one of 'local', 'dask', 'ray', not 'spark'"),
        (
            lambda **corpus: uj.properties(QRELS, RUNS, "P@2", **corpus),
            {"corpus": 1500},
            "a corpus is given as CorpusBootstrap(images=1000, corpus_size=50000), not as 1500",
        ),
        (
            compare,
            {"corpus": {"images": 9}},
            "a corpus is given as CorpusBootstrap(images=1000, corpus_size=50000), not as {'images': 9}",
        ),
        (
            lambda **how: uj.reuse(QRELS, RUNS, "P@2", **how),
            {"degrade": 3},
            "a degradation is given by its name, or as an object, not as 3",
        ),
        (
            reuse,
            {"bands": 0.25},
            "bands divide topics by what later judgments added; give these with --truth-qrels FILE",
        ),
        (
            doctor,
            {"format": "x"},
            "format must be one of 'auto', 'trec', 'strata', 'diversity', 'csv', 'json', 'opensearch',"
            " 'elasticsearch', 'quepid', 'rre', 'rank_eval', not 'x'",
        ),
        (doctor, {"negative": "x"}, "negative must be one of 'auto', 'pooled', 'judged', 'drop', not 'x'"),
    ],
)
def test_mistakes_are_one_line(ask: Callable[..., object], options: dict[str, object], message: str) -> None:
    with pytest.raises(uj.InputError) as caught:
        ask(**options)
    assert str(caught.value) == message
