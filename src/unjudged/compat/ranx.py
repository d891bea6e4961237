"""A drop-in for ranx's evaluation: ``from unjudged.compat.ranx import Qrels, Run, evaluate``, the rest stays as it is.

The same names and numbers, with nothing to compile. Measures may also be named as everywhere else here (``indAP``,
``Hole@10``). Other names (``Qrels``, ``Run``, ``compare``, ``fuse``, ...) are ranx's own; dicts are scored without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from unjudged import api
from unjudged.arrays import Floats
from unjudged.compat.dicts import as_dicts, join_as_listed, whole_grades
from unjudged.data.view import View
from unjudged.errors import InputError, MissingExtraError, some_of
from unjudged.io.table_columns import is_ranx
from unjudged.measures import AP, DCG, RBP, RR, Bpref, Measure, NumRel, NumRelRet, P, R, Rprec, SetP, nDCG
from unjudged.measures.requested import check_needs

__all__ = ["evaluate"]

_Floats = Floats

_NAME = re.compile(r"(?P<base>f1|[a-z_-]+?)((@|(?<=rbp)\.)(?P<number>\d{1,18}))?(-l(?P<level>\d{1,18}))?", re.ASCII)

_MEASURES: dict[str, Callable[[int | None], Measure]] = {
    "precision": lambda cutoff: SetP() if cutoff is None else P(cutoff=cutoff),
    "recall": lambda cutoff: R(cutoff=cutoff),
    "mrr": lambda cutoff: RR(cutoff=cutoff),
    "map": lambda cutoff: AP(cutoff=cutoff),
    "dcg": lambda cutoff: DCG(cutoff=cutoff),
    "dcg_burges": lambda cutoff: DCG(dcg="exp-log2", cutoff=cutoff),
    "ndcg": lambda cutoff: nDCG(cutoff=cutoff),
    "ndcg_burges": lambda cutoff: nDCG(dcg="exp-log2", cutoff=cutoff),
}
_WITHOUT_CUTOFF: dict[str, Measure] = {"r-precision": Rprec(), "bpref": Bpref()}


def _hits(view: View, cutoff: int | None) -> _Floats:
    return NumRelRet().score(view.top(cutoff))


def _f1(view: View, cutoff: int | None) -> _Floats:
    """Harmonic mean of precision and recall: 2 hits over the documents looked at plus the relevant ones."""
    relevant = NumRel().score(view)
    looked_at = view.lengths if cutoff is None else cutoff
    return np.where(relevant > 0, 2 * _hits(view, cutoff) / np.maximum(looked_at + relevant, 1), 0.0)


_OF_HITS: dict[str, Callable[[View, int | None], _Floats]] = {
    "hits": _hits,
    "hit_rate": lambda view, cutoff: (_hits(view, cutoff) > 0).astype(np.float64),
    "f1": _f1,
}


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Iterable[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Scores of a run, by the name of the measure; without the name where there is only one.

    *qrels* and *run*: ranx's objects, or ``{topic: {doc: value}}``. *return_mean*: the mean over topics, or a value for
    each (in the order of the judgments). *return_std*: also the standard deviation, as ``{"mean": ..., "std": ...}``.
    *save_results_in_run*: also leave the values in ``scores``, ``mean_scores`` and ``std_scores`` of ranx's ``Run``.
    *make_comparable*: topics that the run lacks count as 0, and what it has for others is left out; otherwise
    both must have the same topics. *threads* makes no difference.

    >>> evaluate({"1": {"a": 2, "b": 0}}, {"1": {"b": 0.9, "a": 0.8}}, ["mrr", "precision@1", "hits"])
    {'mrr': 0.5, 'precision@1': 0.0, 'hits': 1.0}
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    asked = {name: _parse(name) for name in names}
    judged, ranked = as_dicts(qrels, "grade"), as_dicts(run, "score")
    if not make_comparable:
        _check_same_topics(judged, ranked)
    views = {level: _join(judged, ranked, level) for level in {one.level for one in asked.values()}}
    # ranx sorts its objects by topic, and leaves dicts as they are.
    topics = sorted(judged) if is_ranx(qrels) else list(judged)
    by_topic = {name: _by_topic(one, views[one.level], topics) for name, one in asked.items()}
    means = {name: float(asked[name].mean(values)) for name, values in by_topic.items()}
    deviations = {name: float(values.std()) for name, values in by_topic.items()} if return_mean and return_std else {}
    if is_ranx(run) and save_results_in_run:
        run.mean_scores.update(means)
        run.std_scores.update(deviations)
        for name, values in by_topic.items():
            run.scores[name].update(zip(topics, values.tolist(), strict=True))
    answer: Mapping[str, Any] = means if return_mean else by_topic
    if deviations:
        answer = {name: {"mean": means[name], "std": deviations[name]} for name in means}
    return answer[names[0]] if len(names) == 1 else answer


def _check_same_topics(judged: Iterable[Any], ranked: Iterable[Any]) -> None:
    """Refuse what ranx refuses."""
    wanted, answered = {*map(str, judged)}, {*map(str, ranked)}
    problems = [
        f"{what}: {some_of([repr(topic) for topic in sorted(topics)])} (make_comparable=True {instead})"
        for topics, what, instead in (
            (wanted - answered, "topics that the run lacks", "counts them as 0"),
            (answered - wanted, "topics that are not judged", "leaves them out"),
        )
        if topics
    ]
    if problems:
        raise InputError("; ".join(problems))


class _Asked(NamedTuple):
    """What a name stands for."""

    level: int | None
    """The lowest relevant grade; None for names of ours, which say so themselves."""
    compute: Callable[[View], _Floats]
    """One value for each topic of the judgments."""
    mean: Callable[[_Floats], float]


def _parse(name: str) -> _Asked:
    if not isinstance(name, str):
        raise InputError(f"a measure must be given by its name, not {name!r}")
    match = _NAME.fullmatch(name)
    compute = None if match is None else _compute(name, **match.groupdict())
    if match is None or compute is None:
        measure = api.read_measure(name)

        def score(view: View) -> _Floats:
            check_needs(view.qrels, [measure])
            return measure.score(view)

        return _Asked(None, score, measure.summarise)
    level = int(match["level"] or 1)
    if level < 1:
        raise InputError(f"{name}: the lowest relevant grade must be at least 1")
    return _Asked(level, compute, np.mean)


def _compute(name: str, base: str, number: str | None, **_: Any) -> Callable[[View], _Floats] | None:
    """How to compute what ranx calls *base*, with the number after ``@`` or a dot; None if it has no such measure."""
    cutoff = int(number or 0) or None
    if base in _MEASURES:
        return _MEASURES[base](cutoff).score
    if base in _OF_HITS:
        return lambda view: _OF_HITS[base](view, cutoff)
    if base in _WITHOUT_CUTOFF:
        if cutoff is not None:
            raise InputError(f"{name}: {base} has no cut-off")
        return _WITHOUT_CUTOFF[base].score
    if base == "rbp":
        if number is None:
            raise InputError(f"{name}: rbp needs the chance of going on to the next rank, as in rbp.95")
        measure = RBP(p=float(f"0.{number}"))
        # ranx multiplies with grades, although it says 0 or 1; here a gain is a share of the highest grade.
        return lambda view: measure.score(view) * view.qrels.max_grade
    return None


def _join(judged: Any, ranked: Any, level: int | None) -> View:
    """The run beside the judgments, with grades below *level* as 0, which is all that relevance levels are in ranx."""
    if level is None:
        return join_as_listed(ranked, whole_grades(api.read_qrels(judged, negative="pooled")))
    qrels = whole_grades(api.read_qrels(judged, negative="judged"))
    grades = np.where(qrels.grades >= level, qrels.grades, 0).astype(qrels.grades.dtype)
    return join_as_listed(ranked, replace(qrels, grades=grades))


def _by_topic(asked: _Asked, view: View, topics: Iterable[Any]) -> _Floats:
    """Values in the order of *topics*; 0 for those without any judgment."""
    values = dict(zip(view.qrels.topics, asked.compute(view).tolist(), strict=True))
    return np.array([values.get(str(topic), 0.0) for topic in topics])


_OF_RANX = frozenset({"Qrels", "Run", "compare", "fuse", "normalize", "optimize_fusion", "plot"})
"""What is ranx's own, so that one import line brings all that a script needs."""


def __getattr__(name: str) -> Any:
    if name not in _OF_RANX:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import ranx
    except ImportError:
        raise MissingExtraError("ranx", None, f"{__name__}.{name}") from None
    return getattr(ranx, name)
