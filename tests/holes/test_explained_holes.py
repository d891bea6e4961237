"""Holes explained: their grade probabilities, and what they are worth."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from evidence_oracles import EVIDENCE, Slowly, holes_of, left_out, others
from grouped_runs import DEPTH, as_runs, log_odds

import unjudged as uj
from unjudged.errors import InputError


def test_explained_holes_have_the_models_chances_and_lose_what_they_are_worth() -> None:
    _, rankings, group_of, without = left_out()
    # With so many relevant documents elsewhere, the pool's numbers of judgments per grade are no limit.
    topic = max(without, key=lambda t: sum(grade > 0 for grade in without[t].values()))
    scores = uj.score(without, as_runs(rankings), "P@6", holes=EVIDENCE, groups=group_of, explain=[("g4r0", topic)])
    rows = scores.explained
    assert [(row.rank, row.doc) for row in rows] == [
        (place + 1, doc) for place, doc in enumerate(rankings["g4r0"][topic][:DEPTH]) if doc not in without[topic]
    ]
    evidence, view, at = holes_of(others(without, rankings, group_of), rankings["g4r0"])
    probabilities = {
        (without_topic, doc): one
        for without_topic, doc, one in zip(
            [view.qrels.topics[t] for t in view.ranking[at]],
            view.doc_ids().take(at),
            evidence.probabilities,
            strict=True,
        )
    }
    value = scores.values[0, 0, scores.runs.index("g4r0"), scores.topics.index(topic)]
    slowly = Slowly(without, rankings, group_of)
    for row in rows:
        np.testing.assert_allclose(row.chances, probabilities[topic, row.doc])
        assert row.expected == pytest.approx(sum(grade * one for grade, one in enumerate(row.chances)))
        # P adds up, and what is relevant counts 1/6.
        assert row.share == pytest.approx((1 - row.chances[0]) / 6 / value, abs=0.03)
        ranks = [slowly.group_rank(g, topic, row.doc) for g in slowly.groups if g != "g4"]
        other_ranks = [rank for rank in ranks if math.isfinite(rank)]
        assert row.groups == len(other_ranks)
        assert row.best_rank == min(other_ranks, default=None)
        (features, *_) = slowly.features(topic, row.doc, "g4", "g4")
        assert row.pool_mean is not None
        assert log_odds(row.pool_mean, 2) == pytest.approx(features[5])


@pytest.mark.parametrize(
    ("explain", "holes", "message"),
    [
        (("g9", "t3"), EVIDENCE, r"^no run 'g9' to explain; there is g0r0, g0r1, g1r0, g1r1, g2r0 and 9 more$"),
        (("g4r0", "x"), EVIDENCE, r"^no topic 'x' to explain; there is t0, t1, t2, t3, t4 and 15 more$"),
        (("g4r0", "t3"), "bootstrap", r"^to explain holes takes --holes evidence$"),
    ],
)
def test_what_cannot_be_explained(explain: tuple[str, str], holes: str, message: str) -> None:
    _, rankings, group_of, without = left_out()
    with warnings.catch_warnings(), pytest.raises(InputError, match=message):
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        uj.score(without, as_runs(rankings), "P@6", holes=holes, groups=group_of, explain=[explain])


def test_a_run_without_holes_has_nothing_to_explain() -> None:
    _, rankings, group_of, without = left_out()
    with pytest.warns(uj.UnjudgedWarning, match="g1r0 has no hole on topic t3 within what is measured"):
        uj.score(without, as_runs(rankings), "P@6", holes=EVIDENCE, groups=group_of, explain=[("g1r0", "t3")])
