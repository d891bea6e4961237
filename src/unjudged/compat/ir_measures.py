"""A provider for ir_measures: importing this module adds our measures to ir_measures, and ourselves to its providers.

Our measures can then be asked for beside its own, and ``provider`` also computes most of its own::

    import ir_measures
    from unjudged.compat.ir_measures import indAP, nDCG_lower, provider

    ir_measures.calc_aggregate([ir_measures.nDCG @ 10, indAP, nDCG_lower @ 10], qrels, run)
    provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from unjudged import api
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.errors import InputError, MissingExtraError, SpecError
from unjudged.io.tables import is_frame
from unjudged.measures import Measure, measures
from unjudged.measures.needs import check_needs

try:
    import ir_measures
    from ir_measures.providers.base import NOT_PROVIDED
except ImportError:
    raise MissingExtraError("ir_measures", "ir-measures", "unjudged.compat.ir_measures") from None
from unjudged.compat.nrg_against import NRGAgainst, nrg_against

__all__ = ["OURS", "UnjudgedEvaluator", "UnjudgedProvider", "counterpart", "nrg_against", "provider"]

STANDARD = frozenset({
    "AP", "Bpref", "Compat", "ERR", "infAP", "INSQ", "INST", "IPrec", "Judged", "nDCG", "NumQ", "NumRel", "NumRet", "P",
    "R", "RBP", "Rprec", "RR", "SDCG", "SetAP", "SetF", "SetP", "SetR", "Success",
})  # fmt: skip
"""Measures of ir_measures that mean the same here.

Left out: measures of diversity; Accuracy, whose mean there depends on the measures beside it; BPM and NERR8 to NERR11,
which we do not have.
"""

_AS_THERE: dict[str, dict[str, Any]] = {
    "Judged": {"as_in": "ir_measures"},
    "INSQ": {"horizon": 1000},  # cwl_eval reads no further
    "INST": {"horizon": 1000},
    "ERR": {"max_grade": 4},  # gdeval's scale
}

_Column = Literal["values", "low", "high"]


class _Variant(NamedTuple):
    """Which number of which hole model a measure is."""

    holes: str
    column: _Column
    words: str = ""


_PLAIN = _Variant("nonrelevant", "values")
_VARIANTS = {
    "lower": _Variant("bounds", "low", ", lowest over all grades of unjudged documents"),
    "upper": _Variant("bounds", "high", ", highest over all grades of unjudged documents"),
    "est": _Variant("bootstrap", "values", ", mean over grades drawn for unjudged documents"),
}


class _Asked(NamedTuple):
    """What a measure of ir_measures is here: which measure, with which hole model, and which of its numbers."""

    spec: Measure
    holes: str = _PLAIN.holes
    column: _Column = _PLAIN.column


class _OurMeasure(ir_measures.Measure):  # type: ignore[misc]  # its types are only there where it is installed
    """A measure of ours among ir_measures'."""

    spec: type[Measure]
    variant: _Variant

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._spec = self.spec(**_given(self))  # says at once what is wrong with a parameter
        if self.variant is not _PLAIN and not self._spec.has_holes:
            raise SpecError(f"{self.NAME}: judged_only drops the unjudged documents, which it is about")

    def asked(self) -> _Asked:
        """The same measure here."""
        return _Asked(self._spec.complete(), self.variant.holes, self.variant.column)

    def aggregator(self) -> Any:
        """What turns topics into one number."""
        # A mean of bounds is a bound of the mean only if every topic has one, so an unknown one is not left out.
        return _Summary(self._spec) if self.variant is _PLAIN else ir_measures.MeanAgg()


def _given(measure: Any) -> dict[str, Any]:
    """The parameters that the user gave."""
    return {name: value for name, value in measure.params.items() if value is not NOT_PROVIDED}


class _Summary:
    """Turns topics into one number as our measure says; undefined ones are left out."""

    def __init__(self, spec: Measure) -> None:
        self._spec = spec
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """Take in the value of one topic."""
        self._values.append(value)

    def result(self) -> float:
        """The one number."""
        return self._spec.summarise(np.array(self._values, dtype=np.float64))


def _define(spec: type[Measure], name: str, variant: _Variant) -> Any:
    """One of our measures as a measure of ir_measures, with our parameters."""

    class Defined(_OurMeasure):
        NAME = __name__ = name
        PRETTY_NAME = spec.title + variant.words
        SHORT_DESC = spec.__doc__
        AT_PARAM = spec.at or "cutoff"
        SUPPORTED_PARAMS = {  # noqa: RUF012  # ir_measures' way to declare parameters
            field.name: ir_measures.ParamInfo(
                default=NOT_PROVIDED if field.default is MISSING else field.default, desc=field.metadata["words"]
            )
            for field in spec.parameters()
        }

    Defined.__doc__ = spec.__doc__
    Defined.spec, Defined.variant = spec, variant
    return Defined()


def _our_measures() -> dict[str, Any]:
    """Our measures that ir_measures does not have and that need nothing it could not give, by name."""
    own = {cls.name: _define(cls, cls.name, _PLAIN) for cls in measures if cls.needs <= {"strata"}}
    own |= {
        f"{base}_{suffix}": _define(measures[base], f"{base}_{suffix}", variant)
        for base in ("AP", "nDCG", "P", "R", "RR")
        for suffix, variant in _VARIANTS.items()
    }
    return {name: measure for name, measure in own.items() if name not in ir_measures.measures.registry}


def _asked(measure: Any) -> _Asked:
    """The measure here that ir_measures' measure stands for."""
    if isinstance(measure, _OurMeasure):
        return measure.asked()
    if measure.NAME not in STANDARD:
        raise SpecError(f"unjudged does not compute {measure} for ir_measures")
    given = _given(measure)
    if given.pop("min_rel", 0):
        raise SpecError(f"{measure}: min_rel must be 0")
    if "max_rel" in given:
        given["max_grade"] = given.pop("max_rel")
    if measure.NAME == "SDCG":
        given.pop("dcg", None)  # there is only one
    if measure.NAME == "SetF" and "beta" in given:
        if given["beta"] < 0:
            raise SpecError(f"{measure}: beta must be at least 0")
        given["beta"] = math.sqrt(given["beta"])  # ir_measures passes it on to trec_eval, which takes it as squared
    return _Asked(measures[measure.NAME](**given, **_AS_THERE.get(measure.NAME, {})).complete())


def counterpart(measure: Any) -> Measure:
    """Our measure that has the values of a measure of ir_measures, with unjudged documents as not relevant."""
    if isinstance(measure, NRGAgainst):
        raise SpecError(f"{measure}: what a run adds to others is no measure of one run")
    asked = _asked(measure)
    if asked.holes != _PLAIN.holes:
        raise SpecError(f"{measure}: a difference of bounds is no bound of the difference; use {asked.spec}")
    return asked.spec


class UnjudgedProvider(ir_measures.Provider):  # type: ignore[misc]
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
            _asked(measure)
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
        self._asked = {measure: _asked(measure) for measure in measures if measure not in self._against}
        source = _rows(qrels)
        self._qrels: Qrels | None = None if source is None else api.read_qrels(source)
        topics = () if self._qrels is None else self._qrels.topics
        # A topic of a dict without any judgment counts as 0 there.
        unjudged = map(str, qrels) if isinstance(qrels, Mapping) else ()
        super().__init__(measures, {*topics, *unjudged})
        if self._qrels is not None:
            check_needs(self._qrels, [asked.spec for asked in self._asked.values()])

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
        found: dict[Any, Any] = {measure: measure.values(run, qrels) for measure in self._against}
        for holes in dict.fromkeys(asked.holes for asked in self._asked.values()):
            chosen = {measure: asked for measure, asked in self._asked.items() if asked.holes == holes}
            specs = list(dict.fromkeys(asked.spec for asked in chosen.values()))
            scores = api.score(qrels, run, specs, holes=holes)
            for measure, (spec, _, column) in chosen.items():
                found[measure] = getattr(scores, column)[0, specs.index(spec), 0]
        return found


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


OURS = _our_measures()
"""Our measures as ir_measures' measures, by name; each is also a name of this module."""

provider = UnjudgedProvider()


def __getattr__(name: str) -> Any:
    if name in OURS:
        return OURS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _name, _measure in OURS.items():
    ir_measures.measures.register(_measure, name=_name)
ir_measures.providers.register(provider)
# Last, so that it takes what no other provider does. Without this, registering has no effect on ir_measures.calc.
ir_measures.DefaultPipeline.providers.append(provider)
