"""An overview as the data of a page: columns of numbers, names once, nothing that is not shown."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from unjudged.arrays import Floats
from unjudged.kernels import CORE
from unjudged.measures.base import Measure
from unjudged.reports.model_names import short_model_names
from unjudged.reports.page import sentences
from unjudged.results.comparison import SIGNIFICANT, Comparison
from unjudged.results.diagnosis import Diagnosis
from unjudged.results.judges import Judges
from unjudged.results.next_judgments import NextJudgments
from unjudged.results.properties import Properties
from unjudged.results.properties_rows import RunOnImages
from unjudged.results.relative import Relative
from unjudged.results.reuse import Reuse
from unjudged.results.reuse_rows import RunRow
from unjudged.results.scores import Scores, mean_known
from unjudged.results.tabular import Tabular
from unjudged.studies.doctor import CHECKS
from unjudged.studies.doctor.checked_inputs import DEFINITIONS, JUDGED_CUTOFFS
from unjudged.studies.documents_shown import Rankings
from unjudged.studies.overview import Overview, Skipped
from unjudged.version import __version__

__all__ = ["page_contents"]

Result = TypeVar("Result", Comparison, Relative, Reuse, Properties, Judges, NextJudgments)

_DIGITS = 8
"""Significant digits of a number: more than are shown, and half as many as would be written."""


def page_contents(overview: Overview) -> dict[str, Any]:
    """What the page knows, as JSON has it. Runs and topics are named once, and are numbers elsewhere."""
    scores = overview.scores
    place = {run: i for i, run in enumerate(scores.runs)}
    return {
        "runs": scores.runs,
        "groups": overview.groups.of_each(scores.runs) if overview.groups.given else None,
        "topics": scores.topics,
        "titles": [overview.titles.get(topic, "") for topic in scores.topics],
        "measures": [_measure(measure, scores, i) for i, measure in enumerate(overview.measures)],
        "holes": [
            {"name": name, "spec": str(model), "about": model.described()}
            for name, model in zip(short_model_names(scores.holes), overview.holes, strict=True)
        ],
        "files": _files(overview.diagnosis, place),
        "scores": _scores(scores),
        "significant": SIGNIFICANT,
        "order": [_study(one, sentences.about_order(one), _order, place) for one in overview.comparisons],
        **_about_segments(overview.comparisons, place),
        "added": [_study(one, sentences.about_added(one), _added, place) for one in overview.added],
        **_about_labels(overview.labels, place),
        "reuse": _study(overview.reuse, sentences.about_reuse(overview.reuse), _reuse, place),
        **_about_corpus(overview.corpus, place),
        **_about_to_judge(overview.to_judge, place),
        "rankings": _rankings(overview.rankings),
        "origin": _origin(overview),
    }


def _measure(measure: Measure, scores: Scores, at: int) -> dict[str, Any]:
    return {
        "name": str(measure),
        "about": measure.title,
        "depth": scores.depths[at],
        "count": scores.counts[at],
        "lead": sentences.about_scores(scores, at),
    }


# ---- sections


def _files(diagnosis: Diagnosis, place: Mapping[str, int]) -> dict[str, Any]:
    shares: list[list[float | None]] = [[None] * len(JUDGED_CUTOFFS) for _ in place]
    for row in diagnosis.judged:
        if row.definition == DEFINITIONS[0] and row.run in place:
            shares[place[row.run]][JUDGED_CUTOFFS.index(row.cutoff)] = _short(row.judged)
    return {
        "lead": sentences.about_files(diagnosis),
        "judgments": None if diagnosis.qrels is None else asdict(diagnosis.qrels),
        "documents": sum(one.documents for one in diagnosis.runs),
        "findings": [
            {**asdict(one), "where": one.where, "title": CHECKS[one.code].title} for one in diagnosis.findings
        ],
        "cutoffs": JUDGED_CUTOFFS,
        "judged": shares,
    }


def _scores(scores: Scores) -> dict[str, Any]:
    """Arrays by hole model and measure; those of topics run by run. What is the same for all hole models is once."""
    holes, measures = range(len(scores.holes)), range(len(scores.measures))

    def each(array: Floats) -> list[list[list[Any] | None]]:
        return [[_numbers(array[h, m]) for m in measures] for h in holes]

    return {
        "value": each(scores.means),
        "low": each(scores.mean_low),
        "high": each(scores.mean_high),
        "judged": [_numbers(mean_known(scores.judged[0, m])) for m in measures],
        "topics": {
            "value": each(scores.values),
            "low": each(scores.low),
            "high": each(scores.high),
            "judged": [_numbers(scores.judged[0, m]) for m in measures],
        },
    }


def _study(
    result: Result | Skipped,
    lead: str,
    contents: Callable[[Result, Mapping[str, int]], dict[str, Any]],
    place: Mapping[str, int],
) -> dict[str, Any]:
    """What a study says, or why it says nothing."""
    if isinstance(result, Skipped):
        return {"lead": lead, "skipped": result.reason}
    return {"lead": lead, "remarks": [one.message for one in result.warnings], **contents(result, place)}


def _order(comparison: Comparison, place: Mapping[str, int]) -> dict[str, Any]:
    settings = ("measure", "test", "correction", "interval_method", "draws", "topics")
    return {
        **{name: getattr(comparison, name) for name in settings},
        "rows": _columns(comparison, "rows", place),
        "pairs": _columns(comparison, "pairs", place, without=_NOT_SHOWN),
        "budget": _columns(comparison, "budget", place),
    }


_NOT_SHOWN = ("bounds", "cohens_d", "common_language", "p_greater_corpus")
"""Columns of pairs that the page has no use for."""


_ABOUT_SEGMENTS = ("small-segments", "no-segment")
"""Codes of warnings that the section about segments shows; others are in the sentence that it begins with."""


def _about_segments(comparisons: Sequence[Comparison | Skipped], place: Mapping[str, int]) -> dict[str, Any]:
    """The section about segments, where there are any."""
    if not any(isinstance(one, Comparison) and one.segments() for one in comparisons):
        return {}
    return {"segments": [_segments(one, place) for one in comparisons]}


def _segments(comparison: Comparison | Skipped, place: Mapping[str, int]) -> dict[str, Any]:
    """Means of all runs on segments; of pairs only those with the best run, which others would be too many beside."""
    lead = sentences.about_segments(comparison)
    if isinstance(comparison, Skipped):
        return {"lead": lead, "skipped": comparison.reason}
    names = list(dict.fromkeys(row.segment for row in comparison.segments()))
    best = comparison.rows()[0].run
    pairs = [row for row in comparison.segment_pairs() if best in (row.run, row.other)]
    return {
        "lead": lead,
        "remarks": [one.message for one in comparison.warnings if one.code in _ABOUT_SEGMENTS],
        **{name: getattr(comparison, name) for name in ("measure", "test", "correction", "interval_method")},
        "names": names,
        "best": place[best],
        "comparisons": len(comparison.segment_pairs()),
        "rows": _placed(comparison.segments(), names, place),
        "pairs": _placed(pairs, names, place),
    }


def _placed(rows: Sequence[Any], names: Sequence[str], place: Mapping[str, int]) -> dict[str, list[Any]]:
    """Rows as columns; segments become numbers, as runs do."""
    if not rows:
        return {}
    at = {name: i for i, name in enumerate(names)}
    columns = {name: [getattr(row, name) for row in rows] for name in rows[0]._fields if name not in _NOT_SHOWN}
    known = {"segment": at, "run": place, "other": place}
    return {
        name: [known[name][value] if name in known else _short(value) for value in column]
        for name, column in columns.items()
    }


def _added(result: Relative, place: Mapping[str, int]) -> dict[str, Any]:
    settings = ("measure", "absolute", "priors", "pool_depth", "rel")
    return {
        **{name: getattr(result, name) for name in settings},
        "rows": _columns(result, "rows", place, without=("group", "rareness", "tasc")),
        "groups": [row._asdict() for row in result.groups()],
    }


def _reuse(result: Reuse, place: Mapping[str, int]) -> dict[str, Any]:
    models = list(dict.fromkeys(row.holes for row in result.methods()))
    names = dict(zip(models, short_model_names(models), strict=True))
    left_out = _left_out(result, place)
    return {
        "rule": result.rule,
        "measure": result.methods()[0].measure,
        "pool": result.pool,
        "methods": [_shortened({**row._asdict(), "holes": names[row.holes]}) for row in result.methods()],
        "coverage": [_shortened({**row._asdict(), "holes": names[row.holes]}) for row in result.coverage()],
        "leaveout": {**left_out, "holes": [names[one] for one in left_out["holes"]]},
    }


def _left_out(result: Reuse, place: Mapping[str, int]) -> dict[str, list[Any]]:
    """Runs that were left out, by the one measure that was asked about."""
    hidden = ("degradation", "measure", "truth", "low", "high", "topics_low", "topics_high")
    shown = [name for name in RunRow._fields if name not in hidden]
    columns = {name: [getattr(row, name) for row in result.leaveout()] for name in shown}
    return {name: [place[one] if name == "run" else _short(one) for one in column] for name, column in columns.items()}


def _about_corpus(result: Properties | Skipped | None, place: Mapping[str, int]) -> dict[str, Any]:
    """The section about other corpora, where it was asked for."""
    return {} if result is None else {"corpus": _study(result, sentences.about_corpus(result), _corpus, place)}


def _corpus(result: Properties, place: Mapping[str, int]) -> dict[str, Any]:
    without = ("measure", "images_mean", "score_spread")
    runs: dict[str, dict[str, list[Any]]] = {}
    for measure in result.measures:
        rows = [row for row in result.runs() if row.measure == measure]
        columns = {name: [getattr(row, name) for row in rows] for name in RunOnImages._fields if name not in without}
        runs[measure] = {
            name: [place[one] if name == "run" else _short(one) for one in column] for name, column in columns.items()
        }
    return {
        "images": result.images,
        "corpus_size": result.corpus_size,
        "test": result.test,
        "correction": result.correction,
        "precision": [_shortened(row._asdict()) for row in result.precision()],
        "tests": [_shortened(row._asdict()) for row in result.tests()],
        "runs": runs,
    }


def _about_labels(result: Judges | Skipped | None, place: Mapping[str, int]) -> dict[str, Any]:
    """The section about labels, where there were any."""
    return {} if result is None else {"labels": _study(result, sentences.about_labels(result), _labels, place)}


def _labels(result: Judges, place: Mapping[str, int]) -> dict[str, Any]:
    orders = {row.judge: row._asdict() for row in result.orders()}
    return {
        "rule": result.rule,
        "measure": result.measure,
        "test": f"{result.test}, {result.correction}",
        "ordered": bool(orders),
        "judges": [
            _shortened(
                {**orders.get(row.judge, {}), **row._asdict(), "score_bias": orders.get(row.judge, {}).get("bias")}
            )
            for row in result.judges()
        ],
        "confusion": [_shortened(row._asdict()) for row in result.confusion()],
        "groups": [_shortened(row._asdict()) for row in result.groups()],
    }


def _about_to_judge(result: NextJudgments | Skipped | None, place: Mapping[str, int]) -> dict[str, Any]:
    """The section about what to judge next, where it was asked for."""
    return {} if result is None else {"judge": _study(result, sentences.about_to_judge(result), _to_judge, place)}


def _to_judge(result: NextJudgments, place: Mapping[str, int]) -> dict[str, Any]:
    return {
        "measure": result.measure,
        "strategy": result.strategy,
        "documents": [
            {
                **{name: _short(getattr(row, name)) for name in ("place", "topic", "doc", "expected", "effect")},
                "runs": len(row.runs),
                "best": place[row.runs[0][0]] if row.runs else None,
                "rank": row.runs[0][1] if row.runs else None,
            }
            for row in result.judgments()
        ],
        "runs": [_shortened({**row._asdict(), "run": place[row.run]}) for row in result.runs()],
    }


def _rankings(rankings: Rankings) -> dict[str, Any]:
    topics = []
    for one in rankings.topics:
        topic: dict[str, Any] = {"docs": one.docs, "grades": one.grades, "runs": one.runs}
        if any(one.pooled):
            topic["pooled"] = [code for code, pooled in enumerate(one.pooled) if pooled]
        if rankings.excerpts:
            topic["texts"] = [rankings.excerpts.get(doc, "") for doc in one.docs]
        topics.append(topic)
    return {"depth": rankings.depth, "topics": topics}


def _origin(overview: Overview) -> dict[str, Any]:
    origin = overview.provenance
    return {
        "version": __version__,
        "core": CORE,
        "command": shlex.join(origin.command),
        "seed": origin.seed,
        "inputs": [asdict(one) for one in origin.inputs],
        "warnings": [asdict(one) for one in overview.warnings],
    }


# ---- numbers


def _columns(
    result: Tabular, table: str, place: Mapping[str, int], *, without: Collection[str] = ()
) -> dict[str, list[Any]]:
    """A table as columns, *without* those that are not shown; runs become their places."""
    columns = {name: values for name, values in result.to_dict(table).items() if name not in without}
    return {
        name: [place[value] if name in {"run", "other"} else _short(value) for value in values]
        for name, values in columns.items()
    }


def _shortened(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _short(value) for name, value in row.items()}


def _numbers(array: Floats) -> list[Any] | None:
    """Numbers of an array, one after the other; None where there is nothing but NaN."""
    if np.isnan(array).all():
        return None
    return [_short(value) for value in array.ravel().tolist()]


def _short(value: Any) -> Any:
    """A number with as many digits as the page needs, 1 instead of 1.0, None instead of NaN; all else as it is."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() else short
