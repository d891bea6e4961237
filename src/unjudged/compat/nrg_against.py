"""NRG as a measure of ir_measures: what a run adds to runs that are given once, when the measure is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
from numpy.typing import NDArray

from unjudged import api
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.measures.relative import NRG

__all__ = ["NRGAgainst", "nrg_against"]


class NRGAgainst(ir_measures.Measure):  # type: ignore[misc]  # its types are only there where it is installed
    """What a run adds for somebody who has read the prior runs before."""

    NAME = __name__ = "NRG"
    PRETTY_NAME = NRG.title
    SHORT_DESC = NRG.__doc__
    SUPPORTED_PARAMS = {  # noqa: RUF012  # ir_measures' way to declare parameters
        "base": ir_measures.ParamInfo(dtype=str, desc="the measure whose browsing model is used"),
        "prior": ir_measures.ParamInfo(dtype=str, desc="names of the runs that were read before"),
    }
    runs: Sequence[Run]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.spec = NRG.over(api.read_measure(params["base"]))  # says at once what is wrong with it

    def values(self, run: Run, qrels: Qrels) -> NDArray[np.float64]:
        """One value for each judged topic, unjudged documents as not relevant."""
        result = api.relative(qrels, run, self.spec, prior=list(self.runs), holes="nonrelevant")
        by_topic = {row.topic: row.nrg for row in result.topics()}
        return np.array([by_topic.get(topic, np.nan) for topic in qrels.topics])

    def aggregator(self) -> Any:
        """The mean over topics."""
        return ir_measures.MeanAgg()

    def __eq__(self, other: object) -> bool:
        # ir_measures compares names, which other runs may have as well.
        return isinstance(other, NRGAgainst) and repr(self) == repr(other) and self.runs is other.runs

    __hash__ = ir_measures.Measure.__hash__


def nrg_against(prior: Any, base: str = "nDCG@10") -> Any:
    """A measure for ir_measures and PyTerrier: what a run adds to the *prior* runs (see :func:`unjudged.relative`).

    *prior*: whatever :func:`unjudged.read_runs` takes, read now. *base*: the measure whose browsing model is used, or
    NRG with its parameters, such as ``"NRG(nDCG, gain=binary, rel=2)"``.

    >>> nrg_against({"bm25": {"1": {"a": 2.0, "b": 1.0}}}, "P@2").calc_aggregate(
    ...     {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "c": 1.0}}
    ... )
    0.5
    """
    given = api.read_runs(prior, scores="float32")

    class Against(NRGAgainst):
        runs = given

    return Against(base=base, prior="+".join(run.name for run in given))
