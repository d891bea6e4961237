"""A drop-in for BEIR's evaluation: ``from unjudged.compat.beir import EvaluateRetrieval``, the rest stays as it is.

The same dicts and numbers, but for ``hole``: there, a document that is judged for any topic counts as judged for all;
here it is a hole where nobody judged it. BEIR itself is needed for retrieving only.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, NamedTuple

import numpy as np

from unjudged import api
from unjudged.compat.dicts import join_as_listed, whole_grades, without_empty
from unjudged.compat.pytrec_eval import RelevanceEvaluator
from unjudged.errors import InputError, MissingExtraError
from unjudged.measures import Measure, measures

__all__ = ["EvaluateRetrieval"]

logger = logging.getLogger(__name__)

_Judged = Mapping[Any, Mapping[Any, Any]]
_Results = Mapping[Any, MutableMapping[Any, Any]]

_TREC_NAMES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
"""The measures of ``evaluate``, in the order in which it returns them, and trec_eval's names for them."""


class _Custom(NamedTuple):
    """A measure of ``evaluate_custom``: what may be asked for, what it is called in the answer, and ours."""

    names: tuple[str, ...]
    label: str
    measures: tuple[type[Measure], ...]
    """Of several, the greatest value of a topic counts."""


_CUSTOM = (
    _Custom(("mrr", "mrr@k", "mrr_cut"), "MRR", (measures["RR"],)),
    # Relevant documents found, over min(R, k): the greater of those over R and those over k.
    _Custom(("recall_cap", "r_cap", "r_cap@k"), "R_cap", (measures["R"], measures["P"])),
    _Custom(("hole", "hole@k"), "Hole", (measures["Unjudged"],)),
    _Custom(("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"), "Accuracy", (measures["Success"],)),
)


class EvaluateRetrieval:
    """Scores results, which are ``{topic: {doc: score}}``, against judgments, ``{topic: {doc: grade}}``.

    >>> qrels, results = {"1": {"a": 1, "b": 0}}, {"1": {"b": 0.9, "x": 0.8, "a": 0.7}}
    >>> ndcg, _map, recall, precision = EvaluateRetrieval.evaluate(qrels, results, [1, 3])
    >>> ndcg, precision
    ({'NDCG@1': 0.0, 'NDCG@3': 0.5}, {'P@1': 0.0, 'P@3': 0.33333})
    >>> EvaluateRetrieval.evaluate_custom(qrels, results, [3], metric="hole")
    {'Hole@3': 0.33333}
    """

    def __init__(
        self,
        retriever: Any = None,
        k_values: Iterable[int] = (1, 3, 5, 10, 100, 1000),
        score_function: str | None = "cos_sim",
    ) -> None:
        self.retriever = retriever
        self.k_values = list(k_values)
        self.top_k = max(self.k_values)
        self.score_function = score_function

    def retrieve(self, *given: Any, **named: Any) -> dict[str, dict[str, float]]:
        """BEIR's own: documents for queries."""
        return self._beir().retrieve(*given, **named)  # type: ignore[no-any-return]

    def encode_and_retrieve(self, *given: Any, **named: Any) -> dict[str, dict[str, float]]:
        """BEIR's own: the same by way of files with what documents are encoded to."""
        return self._beir().encode_and_retrieve(*given, **named)  # type: ignore[no-any-return]

    def _beir(self) -> Any:
        try:
            from beir.retrieval import evaluation
        except ImportError:
            raise MissingExtraError("beir", None, "retrieving") from None
        return evaluation.EvaluateRetrieval(self.retriever, self.k_values, self.score_function)

    @staticmethod
    def evaluate(
        qrels: _Judged, results: _Results, k_values: Iterable[int], ignore_identical_ids: bool = True
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]:
        """NDCG, MAP, recall and precision at each cut-off: means over topics that are judged and in the results.

        *ignore_identical_ids* takes documents with the id of the topic out of *results*. They stay out, as in BEIR,
        where ``evaluate_custom`` after it has other numbers than before.
        """
        cutoffs = list(k_values)
        if not cutoffs:
            raise InputError("k_values is empty: give at least one cut-off")
        if ignore_identical_ids:
            for topic, docs in without_empty(results, "score").items():
                if isinstance(docs, Mapping) and topic in docs:
                    docs.pop(topic)  # type: ignore[attr-defined]  # fails for what cannot be changed, as in BEIR
        asked = ",".join(map(str, cutoffs))
        scores = RelevanceEvaluator(qrels, [f"{name}.{asked}" for name in _TREC_NAMES.values()]).evaluate(results)
        if not scores:
            raise InputError("no topic of the results is judged")
        ndcg, average_precision, recall, precision = (
            _shown(
                {f"{label}@{k}": sum(topic[f"{name}_{k}"] for topic in scores.values()) / len(scores) for k in cutoffs}
            )
            for label, name in _TREC_NAMES.items()
        )
        return ndcg, average_precision, recall, precision

    @staticmethod
    def evaluate_custom(qrels: _Judged, results: _Results, k_values: Iterable[int], metric: str) -> dict[str, float]:
        """One more measure at each cut-off: ``mrr``, ``recall_cap``, ``hole`` or ``top_k_accuracy``.

        Means are over all judged topics; one that the results lack counts as 0. Of documents with equal scores, the
        first listed is first.
        """
        custom = next((custom for custom in _CUSTOM if metric.lower() in custom.names), None)
        if custom is None:
            names = ", ".join(max(custom.names, key=len) for custom in _CUSTOM)
            raise InputError(f"unknown metric {metric!r} (there are {names})")
        view = join_as_listed(results, whole_grades(api.read_qrels(qrels, negative="pooled")))
        return _shown(
            {
                # Topics without a judgment are none for us, but count there.
                f"{custom.label}@{k}": float(
                    np.max([measure(cutoff=k).score(view) for measure in custom.measures], axis=0).sum() / len(qrels)
                )
                for k in k_values
            }
        )


def _shown(means: dict[str, float]) -> dict[str, float]:
    """Means as BEIR returns them, in five decimals, and writes them to the log."""
    rounded = {name: round(mean, 5) for name, mean in means.items()}
    for name, mean in rounded.items():
        logger.info("%s: %.4f", name, mean)
    return rounded
