"""Measures of ir_measures and ours: its own that mean the same here, and ours, with NRG, as measures of its."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, Literal, NamedTuple

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from unjudged import api
from unjudged.arrays import Floats
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.errors import SpecError
from unjudged.measures import Measure, measures
from unjudged.measures.relative import NRG

__all__ = ["STANDARD", "Asked", "NRGAgainst", "OurMeasure", "asked_here", "counterpart", "nrg_against", "our_measures"]

STANDARD = frozenset({
    "Accuracy", "alpha_DCG", "alpha_nDCG", "AP", "AP_IA", "BPM", "Bpref", "Compat", "ERR", "ERR_IA", "infAP", "INSQ",
    "INST", "IPrec", "Judged", "nDCG", "NERR8", "NERR9", "NERR10", "NERR11", "nERR_IA", "nNRBP", "NRBP", "NumQ",
    "NumRel", "NumRet", "P", "P_IA", "R", "RBP", "Rprec", "RR", "SDCG", "SetAP", "SetF", "SetP", "SetR", "StRecall",
    "Success",
})  # fmt: skip
"""Measures of ir_measures that mean the same here, which is all that it has."""

_RANKS_OF_CWL_EVAL = 1000

_AS_THERE: dict[str, dict[str, Any]] = {
    "Judged": {"as_in": "ir_measures"},
    **{name: {"horizon": _RANKS_OF_CWL_EVAL} for name in ("INSQ", "INST", "NERR10", "NERR11")},
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
    "lower": _Variant("bounds", "low", ", naive lower bound: R and the ideal ranking stay those of the judgments"),
    "upper": _Variant("bounds", "high", ", naive upper bound: R and the ideal ranking stay those of the judgments"),
    "est": _Variant("bootstrap", "values", ", mean over grades drawn for unjudged documents"),
}


class Asked(NamedTuple):
    """What a measure of ir_measures is here: which measure, with which hole model, and which of its numbers."""

    spec: Measure
    holes: str = _PLAIN.holes
    column: _Column = _PLAIN.column
    no_gain: int = 0
    """The highest grade that brings nothing (``min_rel``)."""

    @property
    def needs_subtopics(self) -> bool:
        """Whether it is a measure of diversity."""
        return "subtopics" in self.spec.needs


class OurMeasure(ir_measures.Measure):  # type: ignore[misc]  # its types are only there where it is installed
    """A measure of ours among ir_measures'."""

    spec: type[Measure]
    variant: _Variant

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._spec = self.spec(**_given(self))  # says at once what is wrong with a parameter
        if self.variant is not _PLAIN and not self._spec.has_holes:
            raise SpecError(f"{self.NAME}: judged_only drops the unjudged documents, which it is about")

    def asked(self) -> Asked:
        """The same measure here."""
        return Asked(self._spec.complete(), self.variant.holes, self.variant.column)

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

    class Defined(OurMeasure):
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


def our_measures() -> dict[str, Any]:
    """Our measures that ir_measures does not have and that need nothing it could not give, by name."""
    own = {cls.name: _define(cls, cls.name, _PLAIN) for cls in measures if cls.needs <= {"strata"}}
    own |= {
        f"{base}_{suffix}": _define(measures[base], f"{base}_{suffix}", variant)
        for base in ("AP", "nDCG", "P", "R", "RR")
        for suffix, variant in _VARIANTS.items()
    }
    return {name: measure for name, measure in own.items() if name not in ir_measures.measures.registry}


class NRGAgainst(ir_measures.Measure):  # type: ignore[misc]  # its types are only there where it is installed
    """What a run adds for somebody who has read the prior runs before."""

    NAME = __name__ = "NRG"
    PRETTY_NAME = NRG.title
    SHORT_DESC = NRG.__doc__
    SUPPORTED_PARAMS = {  # noqa: RUF012  # ir_measures' way to declare parameters
        "base": ir_measures.ParamInfo(dtype=str, desc="the measure whose browsing model is used"),
        "prior_runs": ir_measures.ParamInfo(dtype=str, desc="names of the runs that were read before"),
    }
    runs: Sequence[Run]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.spec = NRG.over(api.read_measure(params["base"]))  # says at once what is wrong with it

    def values(self, run: Run, qrels: Qrels) -> Floats:
        """One value for each judged topic, unjudged documents as not relevant."""
        result = api.relative(qrels, run, self.spec, prior_runs=list(self.runs), holes="nonrelevant")
        by_topic = {row.topic: row.nrg for row in result.topics()}
        return np.array([by_topic.get(topic, np.nan) for topic in qrels.topics])

    def aggregator(self) -> Any:
        """The mean over topics."""
        return ir_measures.MeanAgg()

    def __eq__(self, other: object) -> bool:
        # ir_measures compares names, which other runs may have as well.
        return isinstance(other, NRGAgainst) and repr(self) == repr(other) and self.runs is other.runs

    __hash__ = ir_measures.Measure.__hash__


def nrg_against(prior_runs: Any, base: str = "nDCG@10") -> Any:
    """A measure for ir_measures and PyTerrier: what a run adds to the *prior_runs* (see :func:`unjudged.relative`).

    *prior_runs*: whatever :func:`unjudged.read_runs` takes, read now. *base*: the measure whose browsing model is used,
    or NRG with its parameters, such as ``"NRG(nDCG, gain=binary, rel=2)"``.

    >>> nrg_against({"bm25": {"1": {"a": 2.0, "b": 1.0}}}, "P@2").calc_aggregate(
    ...     {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "c": 1.0}}
    ... )
    0.5
    """
    given = api.read_runs(prior_runs, scores="float32")

    class Against(NRGAgainst):
        runs = given

    return Against(base=base, prior_runs="+".join(run.name for run in given))


def asked_here(measure: Any) -> Asked:
    """The measure here that ir_measures' measure stands for."""
    if isinstance(measure, OurMeasure):
        return measure.asked()
    if measure.NAME not in STANDARD:
        raise SpecError(f"unjudged does not compute {measure} for ir_measures")
    given = _given(measure)
    no_gain, top = given.pop("min_rel", 0), given.pop("max_rel", None)
    if not isinstance(no_gain, int) or no_gain < 0:
        raise SpecError(f"{measure}: min_rel must be a whole number of at least 0, not {no_gain!r}")
    if top is not None:
        if isinstance(top, int) and top <= no_gain:
            raise SpecError(f"{measure}: max_rel must be above min_rel ({no_gain}), not {top}")
        given["max_grade"] = top - no_gain if no_gain else top
    if measure.NAME in ("BPM", "NERR8", "NERR9") and "cutoff" in given:
        given["cutoff"] = min(given["cutoff"], _RANKS_OF_CWL_EVAL)
    if measure.NAME == "SDCG":
        given.pop("dcg", None)  # there is only one
    if measure.NAME == "SetF" and "beta" in given:
        if given["beta"] < 0:
            raise SpecError(f"{measure}: beta must be at least 0")
        given["beta"] = math.sqrt(given["beta"])  # ir_measures passes it on to trec_eval, which takes it as squared
    spec = measures[measure.NAME](**given, **_AS_THERE.get(measure.NAME, {})).complete()
    return Asked(spec, no_gain=no_gain)


def counterpart(measure: Any) -> Measure:
    """Our measure that has the values of a measure of ir_measures, with unjudged documents as not relevant."""
    if isinstance(measure, NRGAgainst):
        raise SpecError(f"{measure}: what a run adds to others is no measure of one run")
    asked = asked_here(measure)
    if asked.holes != _PLAIN.holes:
        raise SpecError(f"{measure}: a difference of bounds is no bound of the difference; use {asked.spec}")
    if asked.no_gain:
        raise SpecError(f"{measure}: min_rel must be 0 here")
    return asked.spec
