"""A drop-in for pytrec_eval: ``from unjudged.compat import pytrec_eval`` and the rest of a script stays as it is.

The same names and numbers, without its compiled package. Grades and scores of any type of number are accepted, and ids
that are whole numbers. Measures may also be named as everywhere else here (``indAP``, ``nDCG@10``).
"""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np

from unjudged import api
from unjudged.compat.dicts import EMPTY_RUN, whole_grades, without_empty
from unjudged.data.view import join
from unjudged.errors import InputError
from unjudged.io.dict_rankings import join_dicts
from unjudged.measures import TREC_GROUPS, Measure, parse_measures
from unjudged.measures.requested import NEW_IN_TREC_EVAL_10, at_level, check_needs, find_trec_name, trec_position
from unjudged.measures.walks import Together, walked
from unjudged.threads import keep_freed_memory

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_Number = TypeVar("_Number", int, float)

# Texts in trec_eval's output. pytrec_eval gives 0 for them, in their place among the measures.
_TEXTS = {"runid": (-1, 0.0), "relstring": (trec_position("P")[0], math.inf)}

supported_nicknames: dict[str, set[str]] = {
    group: {*names} - NEW_IN_TREC_EVAL_10 | ({*_TEXTS} if group == "all_trec" else {"runid"})
    for group, names in TREC_GROUPS.items()
}
"""Groups of measures. pytrec_eval also lists groups for preferences, which it then refuses."""

supported_measures: set[str] = set(supported_nicknames["all_trec"])


class RelevanceEvaluator:
    """Scores runs, which are ``{topic: {doc: score}}``, against judgments, ``{topic: {doc: grade}}``.

    *measures*: names as trec_eval's (``map``, ``P_5``, ``ndcg_cut.5,10``, ``official``) or ours. *relevance_level*: the
    lowest grade that is relevant. *judged_docs_only_flag*: drop unjudged documents first.

    >>> evaluator = RelevanceEvaluator({"1": {"a": 1, "b": 0}}, {"map", "P_5"})
    >>> evaluator.evaluate({"1": {"b": 2, "a": 1}})
    {'1': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[Any, Mapping[Any, Any]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        try:
            level = operator.index(relevance_level)
        except TypeError:
            level = 0
        if level < 1:
            raise InputError(f"relevance_level must be a whole number of at least 1, not {relevance_level!r}")
        self._measures = {
            name: None if measure is None else at_level(measure, level)
            for name, measure in _named_measures(measures).items()
        }
        self._numbers = Together(measure for measure in self._measures.values() if measure is not None)
        keep_freed_memory()  # each call of evaluate asks for as much as the one before
        self._judged_only = bool(judged_docs_only_flag)
        judged = without_empty(query_relevance, "grade")
        self._qrels = whole_grades(api.read_qrels(judged, negative="pooled")) if judged else None
        if self._qrels is not None:
            check_needs(self._qrels, [measure for measure in self._measures.values() if measure is not None])

    def evaluate(self, scores: Mapping[Any, Mapping[Any, Any]]) -> dict[Any, dict[str, float]]:
        """The value of every measure for every topic that is both judged and in the run, under the run's topics."""
        if not scores or self._qrels is None:
            return {}
        # pytrec_eval ranks on scores in single precision, which makes some of them ties.
        view = join_dicts(scores, self._qrels, "float32")
        if view is None:
            ranked = without_empty(scores, "score")
            view = join(api.read_run(ranked, scores="float32") if ranked else EMPTY_RUN, self._qrels)
            rows = {topic: self._qrels.topic_rows.get(str(topic)) for topic in scores}
        else:
            rows = dict(zip((topic for topic in scores if topic in self._qrels.topic_rows), count(), strict=False))
        if self._judged_only:
            view = view.condensed()
        found = iter(walked(self._numbers, view).values)
        values = {
            # One topic of a geometric mean is a logarithm there.
            name: ([0.0] * len(view) if measure is None else measure.to_add_up(next(found)).tolist())
            for name, measure in self._measures.items()
        }
        names, by_ranking = list(values), list(zip(*values.values(), strict=True))
        return {
            topic: dict(zip(names, by_ranking[row], strict=True)) if names else {}
            for topic, row in rows.items()
            if row is not None
        }


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """One number for all topics: the sum of counts, the geometric mean for ``gm_...``, and the mean for the others.

    >>> compute_aggregated_measure("num_ret", [10.0, 20.0]), compute_aggregated_measure("map", [0.25, 0.75])
    (30.0, 0.5)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    mean = float(np.mean(values)) if len(values) else math.nan
    return math.exp(mean) if measure.startswith("gm_") else mean


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """A run from lines ``topic Q0 doc rank score name``.

    >>> dict(parse_run(["1 Q0 a 1 0.5 mine"]))
    {'1': {'a': 0.5}}
    """
    return _parse(f_run, 6, 4, float, "a number")


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Judgments from lines ``topic 0 doc grade``.

    >>> dict(parse_qrel(["1 0 a 2", "1 0 b 0"]))
    {'1': {'a': 2, 'b': 0}}
    """
    return _parse(f_qrel, 4, 3, int, "a whole number")


def _parse(
    lines: Iterable[str], columns: int, at: int, kind: Callable[[str], _Number], what: str
) -> dict[str, dict[str, _Number]]:
    """{topic: {doc: value}} of lines with so many columns and the value in column *at*, from 0."""
    table: dict[str, dict[str, _Number]] = defaultdict(dict)  # as pytrec_eval's, which gives {} for a topic it lacks
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != columns:
            raise InputError(f"line {number}: expected {columns} columns, got {len(fields)}: {line.strip()!r}")
        topic, _, doc = fields[:3]
        if doc in table[topic]:
            raise InputError(f"line {number}: document {doc!r} is listed twice for topic {topic!r}")
        try:
            table[topic][doc] = kind(fields[at])
        except ValueError:
            raise InputError(f"line {number}: not {what}: {fields[at]!r}") from None
    return table


def _named_measures(names: Iterable[str]) -> dict[str, Measure | None]:
    """Measures by the name that pytrec_eval gives them, in its order; None for a text.

    As there, ``P`` stands for the usual cut-offs, unless some cut-off is asked for as well.
    """
    usual: dict[str, list[tuple[str, Measure | None]]] = {}
    asked: list[tuple[str, Measure | None]] = []
    with_arguments = set()
    names = [names] if isinstance(names, str) else names
    for name in (one for nickname in names for one in supported_nicknames.get(nickname, [nickname])):
        if not isinstance(name, str):
            raise InputError(f"a measure must be given by its name, not {name!r}")
        match = find_trec_name(name)
        if name in _TEXTS:
            asked.append((name, None))
        elif match is None:
            asked += [(str(measure), measure) for measure in parse_measures(name)]
        else:
            cls, trec, arguments = match
            named = [(measure.trec_name() or trec.name, measure) for measure in cls.from_trec(trec, arguments)]
            if arguments:
                asked += named
                with_arguments.add(trec.name)
            else:
                usual[trec.name] = list(named)
    asked += [one for base, named in usual.items() if base not in with_arguments for one in named]
    chosen: dict[str, Measure | None] = {}
    for name, measure in asked:
        if chosen.setdefault(name, measure) != measure:
            raise InputError(f"{chosen[name]} and {measure} are both called {name}: use an evaluator for each")
    return dict(sorted(chosen.items(), key=lambda item: _TEXTS.get(item[0]) or trec_position(item[0])))
