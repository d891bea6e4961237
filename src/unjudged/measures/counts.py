"""Counts, and how much of a ranking was judged."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from unjudged.arrays import Floats
from unjudged.data.qrels import State
from unjudged.data.view import View
from unjudged.errors import SpecError
from unjudged.measures.base import Measure, Summary, TrecName, cutoff_param, rel_param, share
from unjudged.spec import Choice, Threshold, param

__all__ = ["Judged", "NumNonrelJudgedRet", "NumQ", "NumRel", "NumRelRet", "NumRet", "Unjudged"]

TREC_EVAL = "C. Buckley. trec_eval. https://github.com/usnistgov/trec_eval"


class _Count(Measure):
    """What counts share. The number for all topics is the sum of theirs."""

    unjudged = "Not counted."
    reference = TREC_EVAL
    summary: ClassVar[Summary] = "sum"
    is_count = True
    value_range = (0.0, float("inf"))


class NumQ(_Count):
    """Number of topics: 1 for each. Counts every judged topic, also those the run does not have (trec_eval ``-c``)."""

    name = "NumQ"
    title = "Number of topics"
    formula = "NumQ = 1 per topic, summed"
    unjudged = "Play no part."
    trec_names = (TrecName("num_q"),)

    def compute(self, view: View) -> Floats:
        return np.ones(len(view))


class NumRet(_Count):
    """Number of retrieved documents; with ``rel`` only those of at least that grade. The summary is the sum."""

    name = "NumRet"
    title = "Number of retrieved documents"
    formula = "NumRet = |retrieved|"
    unjudged = "Counted, unless rel is given."
    trec_names = (TrecName("num_ret"),)

    rel: float | None = param(None, Threshold(), "count only documents of at least this grade")

    def compute(self, view: View) -> Floats:
        count = view.lengths if self.rel is None else view.count(view.relevant(self.rel))
        return count.astype(np.float64)


class NumRelRet(_Count):
    """Number of retrieved documents that are relevant. The summary is the sum."""

    name = "NumRelRet"
    title = "Number of relevant retrieved"
    formula = "NumRelRet = |relevant and retrieved|"
    trec_names = (TrecName("num_rel_ret"),)

    rel: float = rel_param()

    def compute(self, view: View) -> Floats:
        return view.count(view.relevant(self.rel)).astype(np.float64)


class NumNonrelJudgedRet(_Count):
    """Number of retrieved documents that were judged not relevant. The summary is the sum."""

    name = "NumNonrelJudgedRet"
    title = "Retrieved, judged not relevant"
    formula = "NumNonrelJudgedRet = |judged not relevant and retrieved|"
    trec_names = (TrecName("num_nonrel_judged_ret"),)

    rel: float = rel_param()

    def compute(self, view: View) -> Floats:
        return view.count(view.nonrelevant(self.rel)).astype(np.float64)


class NumRel(_Count):
    """Number of relevant documents of the topic, retrieved or not (R). The summary is the sum."""

    name = "NumRel"
    title = "Number of relevant documents"
    formula = "NumRel = R"
    trec_names = (TrecName("num_rel"),)

    rel: float = rel_param()

    def compute(self, view: View) -> Floats:
        return view.total_relevant(self.rel).astype(np.float64)


class Judged(Measure):
    """Share of the first ranks whose document was judged. Packages disagree on what that means: ``as_in`` says whose.

    * ``unjudged``: documents with an assessor's grade, over documents retrieved within the cut-off. Documents listed
      with a grade below 0 (pooled but not judged) are not judged. NaN when nothing is retrieved.
    * ``ir_measures``: the same, but a document counts as judged when the qrels list it in any form, also with -1.
    * ``trec_eval``: 1 - unj_k. Divides by the cut-off, and ranks without a document count as judged, so that an empty
      ranking scores 1. TrecTools' U@k is 1 minus this.
    * ``beir``: 1 - Hole@k. As ``trec_eval``, but a document that the qrels list for *any* topic counts as judged.
    """

    name = "Judged"
    at = "cutoff"
    title = "Share of judged documents"
    formula = "Judged@k = |judged in top k| / |retrieved in top k|"
    unjudged = "They are what is measured."
    reference = "S. MacAvaney, C. Macdonald and I. Ounis. Streamlining evaluation with ir-measures. ECIR 2022."
    has_holes = False

    as_in: str = param(
        "unjudged", Choice(("unjudged", "ir_measures", "trec_eval", "beir")), "whose rule for what counts as judged"
    )
    cutoff: int | None = cutoff_param()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff is None and self.as_in in {"trec_eval", "beir"}:
            raise SpecError(f"Judged(as_in={self.as_in!r}) divides by the cut-off and needs one: Judged(...)@10")

    def compute(self, view: View) -> Floats:
        if self.as_in == "beir":
            ids = view.doc_ids()
            judged = view.qrels.listed_docs.find(np.zeros(len(ids), dtype=np.int64), ids) >= 0
        else:
            judged = view.states != State.UNPOOLED if self.as_in == "ir_measures" else view.judged
        if self.cutoff is not None and self.as_in in {"trec_eval", "beir"}:
            return 1.0 - share(view.count(~judged), np.full(len(view), self.cutoff))
        return np.where(view.lengths > 0, share(view.count(judged), view.lengths), np.nan)


class Unjudged(Measure):
    """Share of the first ranks that hold an unjudged document, pooled or not: U@k of TrecTools, unj_k of trec_eval.

    Divides by the cut-off; ranks without a document do not count as unjudged, so that an empty ranking scores 0. It is
    what Hole@k of BEIR and MTEB stands for. They take a document that is judged for *any* topic as judged for all, so
    their numbers are lower: ``1 - Judged(as_in=beir)@k``.
    """

    name = "Unjudged"
    aliases = ("U", "Hole")
    at = "cutoff"
    title = "Share of unjudged documents"
    formula = "Unjudged@k = |unjudged in top k| / k"
    unjudged = "They are what is measured."
    reference = TREC_EVAL
    trec_names = (TrecName("unj", at=(5, 10, 20)),)
    has_holes = False

    cutoff: int = cutoff_param(required=True)

    def compute(self, view: View) -> Floats:
        return share(view.count(~view.judged), np.full(len(view), self.cutoff))
