"""Every kind of specification: made from the declared parameters and their limits, then mutated."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from hostile import HOSTILE_NUMBERS, HOSTILE_TEXTS, one_of
from kinds import Kind

import unjudged as uj
from unjudged.compat import pytrec_eval, ranx
from unjudged.data.joined import join_runs
from unjudged.holes import hole_models
from unjudged.limits import Choice, Flag, Gains, Real, Whole
from unjudged.measures import TREC_GROUPS, Measure, measures, parse_measures, parse_trec_name
from unjudged.registry import Registry
from unjudged.simulate import degradations, parse_degradations
from unjudged.spec import Spec
from unjudged.uncertainty.base import corrections, interval_methods, significance_tests

__all__ = ["KINDS"]

MOST_DRAWS = 200
"""What asks for more is read, and not computed: work per case is bounded."""

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"a": 0, "e": 3, "f": 1}, "3": {"g": 0}}
RUN = {"1": {"a": 5.0, "x": 4.0, "c": 3.0, "b": 2.0}, "2": {"y": 2.0, "e": 1.0}, "3": {"g": 1.0}}
OTHER = {"1": {"c": 5.0, "a": 4.0, "z": 3.0}, "2": {"e": 2.0, "f": 1.0}, "3": {"x": 1.0}}
SCORES = np.array([[0.1, 0.5, 0.25, 0.0], [0.2, 0.5, 0.75, 1.0], [0.2, 0.5, 0.75, 0.0]])

_HOSTILE_VALUES = (
    *HOSTILE_TEXTS, *HOSTILE_NUMBERS, "[" * 300, "{" * 150, "(" * 99 + "1" + ")" * 99, "{[]:1}", "{1:[]}", "{{}}",
    "{1,2}", "{1: 1e999}", "{1: 'a'}", "{10**9: 1}", "{'1': 1}", "{1: 1, 1: 2}", "(1,)", "b'1'", "...", "1+2j", "'",
    "'''", "f'{x}'", "lambda: 0", "__import__('os')", "1 if 1 else 0", "1or2.txt", "0xg", "10%", "7/100", "1/0",
    "1e-999%", "nDCG@10", "'P@5'", "1000000000000000", "1000000000000001", "999999999999999", "1e100", "1e101",
    "1e-300", "5e-324", "0.9999999999999999",
)  # fmt: skip

_LARGE = ("1000", "100001", "2147483648", "999999999999999", "1000000000000000")
"""Whole numbers that are allowed, and larger than anything else in a collection."""
_EXTREME = ("1e100", "-1e100", "1e-300", "5e-324", "0.9999999999999999", "1e-16", "1e16", "308", "1e5")


# ---- making them


def _value(rng: Random, limit: object) -> str:
    if isinstance(limit, Whole):
        usual: Iterable[str] = (*map(str, (limit.low or 1, 2, 3, 10, 20)), one_of(rng, ("5",), _LARGE, 0.3))
    elif isinstance(limit, Real):
        usual = ("0.5", "0.8", "1", "2.5", "0", "1e-6", one_of(rng, ("5",), _EXTREME, 0.7))
    elif isinstance(limit, Choice):
        usual = (*limit.words, *map(repr, limit.words))
    elif isinstance(limit, Flag):
        usual = ("True", "False", "true")
    elif isinstance(limit, Gains):
        usual = ("{1: 3}", "{0: 1, 2: 9}", "{1: 1, 2: 2, 3: 0}", "{1: 1e100}", "{0: -1e100, 99999: 1}", "{-5: 1}")
    else:
        usual = ("'nDCG@10'", "'P(rel=2)@5'", "10%", "0.5", "2/3", "RBP", "'ERR'")
    return one_of(rng, tuple(usual), _HOSTILE_VALUES, 0.12)


def _written(rng: Random, cls: type[Spec]) -> str:
    fields = [field for field in cls.parameters() if field.name != cls.at]
    chosen = [field for field in fields if field.name == cls.nameless or rng.random() < 0.4]
    shown = [
        ("" if field.name == cls.nameless else f"{field.name}=") + _value(rng, field.metadata["limit"])
        for field in chosen
    ]
    at = next((field.metadata["limit"] for field in cls.parameters() if field.name == cls.at), None)
    brackets = f"({rng.choice((',', ', ')).join(shown)})" if shown or rng.random() < 0.1 else ""
    name = one_of(rng, (cls.name, *cls.aliases), (cls.name.lower(), cls.name.upper(), cls.name[:-1], *HOSTILE_TEXTS))
    return name + brackets + (f"@{_value(rng, at)}" if at is not None and rng.random() < 0.8 else "")


def _changed(rng: Random, text: str) -> str:
    """The text, or (one time of four) with something inserted, dropped or repeated."""
    if rng.random() < 0.75:
        return text
    at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    piece = rng.choice(("(", ")", "@", ",", "=", "'", '"', "{", "}", "[", " ", "\n", ".", "_", "-", *_HOSTILE_VALUES))
    head, middle, tail = text[:at], text[at:to], text[to:]
    return rng.choice((head + piece + middle + tail, head + tail, head + middle + middle + tail, head + piece + tail))


def _maker(write: Callable[[Random], str]) -> Callable[[Random], bytes]:
    return lambda rng: _changed(rng, write(rng)).encode("utf-8", "surrogatepass")


def _of(registry: Registry[Any]) -> Callable[[Random], str]:
    return lambda rng: _written(rng, rng.choice(registry.loaded()))


def _degradation(rng: Random) -> str:
    one = _of(degradations)
    return one(rng) if rng.random() < 0.7 else f"{one(rng)}{rng.choice((' then ', 'then', ' THEN '))}{one(rng)}"


def _trec_name(rng: Random) -> str:
    name = rng.choice((*TREC_GROUPS["all_trec"], *TREC_GROUPS))
    arguments = ",".join(one_of(rng, ("5", "10", "0.5", "1=3"), HOSTILE_NUMBERS) for _ in range(rng.randint(1, 3)))
    return name if rng.random() < 0.3 else f"{name}{rng.choice('._')}{arguments}"


def _ranx_name(rng: Random) -> str:
    base = rng.choice(
        [
            "ndcg",
            "map",
            "mrr",
            "precision",
            "recall",
            "f1",
            "rbp",
            "bpref",
            "hits",
            "hit_rate",
            "dcg_burges",
            "r-precision",
        ]
    )
    number = one_of(rng, ("10", "95", "5", "0"), HOSTILE_NUMBERS)
    return base + rng.choice(("", f"@{number}", f".{number}")) + rng.choice(("", "", "-l2", f"-l{number}"))


# ---- using them


def _use(work: Callable[[str], object]) -> Callable[[bytes, Path], object]:
    return lambda data, folder: work(data.decode("utf-8", "surrogatepass"))


def _again(spec: Spec, read: Callable[[str], Any]) -> None:
    """What is shown can be read back, and is the same."""
    assert read(str(spec)) == spec, f"{spec!s} is read as {read(str(spec))!s}"
    assert hash(read(str(spec))) == hash(spec)


def _collection(measure: Measure) -> Any:
    """Judgments that have what a measure needs."""
    rows = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    if "strata" in measure.needs:
        row = namedtuple("row", "query_id doc_id relevance stratum")
        return [row(*one, i % 2) for i, one in enumerate(rows)]
    if "subtopics" in measure.needs:
        row = namedtuple("row", "query_id doc_id relevance subtopic")
        return [row(topic, doc, max(grade - i, -1), f"{i}") for topic, doc, grade in rows for i in range(3)]
    return QRELS


_TEXTS = {doc: f"every {doc} has words {'b' * i}" for i, doc in enumerate("abcdefgxyz")}


def _measured(text: str) -> object:
    result = parse_measures(text)
    for measure in result:
        _again(measure, measures.parse)
    shared = result[:3]
    if any("priors" in measure.needs for measure in shared):
        return [str(measure) for measure in result]
    return [str(measure) for measure in result], [_score(measure) for measure in shared]


def _score(measure: Measure) -> object:
    texts = _TEXTS if "texts" in measure.needs else None
    return uj.score(_collection(measure), {"mine": RUN}, measure, texts=texts, jobs=1)


def _believed(text: str) -> object:
    model = hole_models.parse(text)
    if getattr(model, "draws", 0) > MOST_DRAWS:
        return model
    scores = uj.score(QRELS, {"mine": RUN, "other": OTHER}, ["nDCG@3", "AP", "RR", "P@2"], holes=model, jobs=1)
    return str(model), scores


def _degraded(text: str) -> object:
    joined = join_runs(uj.read_qrels(QRELS), [uj.read_run(RUN, name="a"), uj.read_run(OTHER, name="b")])
    left = []
    for how in parse_degradations(text):
        _again(how, lambda shown: parse_degradations(shown)[0])
        how.check(joined)
        left += [how.leave(joined, seed=1, repetition=2, case=case) for case in how.cases(joined)[:3]]
    return left


def _tested(text: str) -> object:
    test = significance_tests.parse(text)
    _again(test, significance_tests.parse)
    if getattr(test, "draws", 0) > MOST_DRAWS:
        return str(test)
    return test.p_values(SCORES, np.array([[0, 1], [0, 2], [1, 2], [1, 1]]))


def _corrected(text: str) -> object:
    correction = corrections.parse(text)
    _again(correction, corrections.parse)
    return correction.adjust([0.0, 0.01, 0.04, 1.0])


def _interval(text: str) -> object:
    method = interval_methods.parse(text)
    _again(method, interval_methods.parse)
    return str(method) if getattr(method, "draws", 0) > MOST_DRAWS else method.compute(SCORES, 0.95, seed=1, batch=None)


def _as_ir_measures(text: str) -> object:
    peer, compat = import_module("ir_measures"), import_module("unjudged.compat.ir_measures")
    try:
        asked = peer.parse_measure(text)
        asked.validate_params()
    except Exception as refused:  # its own parser says what it likes
        return f"ir_measures: {type(refused).__name__}"
    return str(compat.counterpart(asked))


def _as_ranx(text: str) -> object:
    return ranx.evaluate(QRELS, RUN, text, return_mean=False, make_comparable=True)


def _as_pytrec_eval(text: str) -> object:
    values = pytrec_eval.RelevanceEvaluator(QRELS, {text}).evaluate(RUN)
    assert all(math.isfinite(value) for topic in values.values() for value in topic.values()), values
    return values


KINDS = [
    Kind("measure", _maker(_of(measures)), _use(_measured), weight=6),
    Kind("hole-model", _maker(_of(hole_models)), _use(_believed), weight=3),
    Kind("degradation", _maker(_degradation), _use(_degraded), weight=3),
    Kind("significance-test", _maker(_of(significance_tests)), _use(_tested)),
    Kind("correction", _maker(_of(corrections)), _use(_corrected)),
    Kind("interval", _maker(_of(interval_methods)), _use(_interval)),
    Kind("trec-name", _maker(_trec_name), _use(lambda text: [str(one) for one in parse_trec_name(text)]), weight=2),
    Kind("ir_measures-name", _maker(_of(measures)), _use(_as_ir_measures), needs="ir_measures", weight=2),
    Kind("ranx-name", _maker(_ranx_name), _use(_as_ranx), weight=2),
    Kind("pytrec_eval-name", _maker(_trec_name), _use(_as_pytrec_eval), weight=2),
]
