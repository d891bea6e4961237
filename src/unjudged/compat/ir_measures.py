"""A provider for ir_measures: importing this module adds our measures to ir_measures, and ourselves to its providers.

Our measures can then be asked for beside its own, and ``provider`` also computes its own::

    import ir_measures
    from unjudged.compat.ir_measures import indAP, nDCG_lower, provider

    ir_measures.calc_aggregate([ir_measures.nDCG @ 10, indAP, nDCG_lower @ 10], qrels, run)
    provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)

The module is also a drop-in: ``from unjudged.compat import ir_measures`` and the rest of a script stays as it is. It
has all names of ir_measures, and its functions ask us first.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from unjudged import api
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.errors import InputError, MissingExtraError, SpecError, UnjudgedWarning
from unjudged.io.table_columns import is_frame
from unjudged.measures.requested import check_needs

try:
    import ir_measures
except ImportError:
    raise MissingExtraError("ir_measures", "ir-measures", "unjudged.compat.ir_measures") from None
from unjudged.compat.counterparts import Asked, NRGAgainst, asked_here, counterpart, nrg_against, our_measures

__all__ = [
    "OURS",
    "UnjudgedEvaluator",
    "UnjudgedProvider",
    "calc",
    "calc_aggregate",
    "counterpart",
    "evaluator",
    "iter_calc",
    "nrg_against",
    "provider",
]
__all__ += ir_measures.__all__


class UnjudgedProvider(ir_measures.Provider):  # type: ignore[misc]  # its types are only there where it is installed
    """Scores with unjudged.

    All measures see the same ranking: by score in single precision, ties by document id, descending, as pytrec_eval.
    """

    NAME = "unjudged"

    def supports(self, measure: Any) -> bool:
        """Whether it can compute this measure with these parameters."""
        measure.validate_params()
        if isinstance(measure, NRGAgainst):
            return True
        try:
            asked_here(measure)
        except SpecError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> UnjudgedEvaluator:
        return UnjudgedEvaluator(measures, qrels)


class UnjudgedEvaluator(ir_measures.Evaluator):  # type: ignore[misc]
    """Scores runs against judgments that were read once."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        measures = list(measures)
        self._against = [measure for measure in measures if isinstance(measure, NRGAgainst)]
        self._asked = {measure: asked_here(measure) for measure in measures if measure not in self._against}
        source = _rows(qrels)
        self._qrels: Qrels | None = None if source is None else api.read_qrels(source, negative="pooled")
        self._diverse = self._qrels
        topics = () if self._qrels is None else self._qrels.topics
        # A topic of a dict without any judgment counts as 0 there.
        unjudged = map(str, qrels) if isinstance(qrels, Mapping) else ()
        super().__init__(measures, {*topics, *unjudged})
        about_subtopics = [asked.spec for asked in self._asked.values() if asked.needs_subtopics]
        if source is not None and about_subtopics:
            # Iterations are subtopics for them, even where no document is judged for two.
            self._diverse = api.read_qrels(source, format="diversity", negative="pooled")
            check_needs(self._diverse, about_subtopics)
            _warn_of_one_subtopic(self._diverse)
        if self._qrels is not None:
            check_needs(self._qrels, [asked.spec for asked in self._asked.values() if not asked.needs_subtopics])

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """One value for each measure and judged topic; Accuracy has none where there is no pair of documents."""
        lacking = set(itertools.product([m for m in self.measures if m.NAME != "Accuracy"], self.qrel_qids))
        for metric in self._iter_calc(run):
            lacking.discard((metric.measure, metric.query_id))
            if metric.measure.NAME != "Accuracy" or not math.isnan(metric.value):
                yield metric
        for measure, topic in sorted(lacking, key=lambda pair: (str(pair[0]), pair[1])):
            yield ir_measures.Metric(query_id=topic, measure=measure, value=measure.DEFAULT)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        """The topics that are both judged and in the run; ir_measures gives 0 to the others."""
        source = _rows(run)
        if source is None or self._qrels is None:
            return
        read = api.read_run(source, scores="float32")
        topics = [topic for topic in read.topics if topic in self._qrels.topic_rows]
        if not topics:
            return
        rows = [self._qrels.topic_rows[topic] for topic in topics]
        for measure, values in self._values(read, self._qrels).items():
            for topic, value in zip(topics, values[rows].tolist(), strict=True):
                yield ir_measures.Metric(query_id=topic, measure=measure, value=value)

    def _values(self, run: Run, qrels: Qrels) -> dict[Any, Any]:
        """For each measure one value for each judged topic."""
        values: dict[Any, Any] = {measure: measure.values(run, qrels) for measure in self._against}
        groups: dict[Any, dict[Any, Asked]] = {}
        for measure, asked in self._asked.items():
            groups.setdefault((asked.holes, asked.needs_subtopics, asked.no_gain), {})[measure] = asked
        for (holes, diverse, no_gain), group in groups.items():
            judged = self._diverse if diverse else _without_gain(qrels, no_gain)
            specs = list(dict.fromkeys(asked.spec for asked in group.values()))
            scores = api.score(judged, run, specs, holes=holes)
            for measure, asked in group.items():
                values[measure] = getattr(scores, asked.column)[0, specs.index(asked.spec), 0]
        return values


def _without_gain(qrels: Qrels, grade: int) -> Qrels:
    """Judgments in which grades begin above *grade*: it and those below are 0, the next one is 1."""
    return replace(qrels, grades=np.maximum(qrels.grades - grade, 0)) if grade else qrels


def _warn_of_one_subtopic(qrels: Qrels) -> None:
    if qrels.subtopics is not None and np.diff(qrels.subtopics.offsets).max(initial=0) < 2:
        message = "no topic has more than one subtopic: are these judgments for diversity, with their iterations?"
        warnings.warn(message, UnjudgedWarning, stacklevel=2)


def _rows(source: Any) -> Any:
    """What ir_measures takes for judgments or a run, as something that can be looked at twice; None if it is empty."""
    if isinstance(source, str | PathLike | Qrels | Run):
        return source
    if isinstance(source, Mapping):
        return source if any(not isinstance(docs, Mapping) or docs for docs in source.values()) else None
    if not is_frame(source):
        if not isinstance(source, Iterable):
            raise InputError(f"cannot read {type(source).__name__}; give a dict of dicts, a frame or named tuples")
        source = list(source)
    return source if len(source) else None


OURS = our_measures()
"""Our measures as ir_measures' measures, by name; each is also a name of this module."""
__all__ += list(OURS)

provider = UnjudgedProvider()

# The other providers compute what we refuse, and measures that users define themselves.
_us_first = ir_measures.providers.FallbackProvider([provider, *ir_measures.DefaultPipeline.providers])
calc, calc_aggregate = _us_first.calc, _us_first.calc_aggregate
evaluator, iter_calc = _us_first.evaluator, _us_first.iter_calc


def __getattr__(name: str) -> Any:
    if name in OURS:
        return OURS[name]
    if name in ir_measures.__all__ or (hasattr(ir_measures, name) and not name.startswith("_")):
        return getattr(ir_measures, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _name, _measure in OURS.items():
    ir_measures.measures.register(_measure, name=_name)
ir_measures.providers.register(provider)
# Last, so that it takes what no other provider does. Without this, registering has no effect on ir_measures.calc.
ir_measures.DefaultPipeline.providers.append(provider)
