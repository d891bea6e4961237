"""AP under drawn grades: sums in a kernel are those of rankings that are written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hole_oracles import view_of

from unjudged.holes.imputation.filling import Holes, labelled, score_drawn
from unjudged.holes.imputation.grade_sampler import KINDS, GradeSampler, RandomEffects
from unjudged.holes.imputation.precision_sums import is_average_precision
from unjudged.holes.imputation.relevance_draws import draw_relevance
from unjudged.measures import measures


@pytest.mark.parametrize("measure", ["AP", "AP@4", "AP(rel=2)", "AP(rel=7)", "GMAP"])
def test_the_score_is_that_of_the_ranking_with_the_drawn_grades(measure: str) -> None:
    rng = np.random.default_rng(1)
    run = {topic: {f"d{i}": -float(i) for i in rng.permutation(12)} for topic in ("1", "2", "3")}
    judged = {topic: {f"d{i}": int(rng.integers(4)) for i in range(0, 14, 2)} for topic in run}
    chosen = measures.parse(measure)
    view = chosen.seen(view_of(run, judged))
    assert is_average_precision(chosen, view)
    holes, scale = Holes(view), view.qrels.scale
    rankings = np.array([2, 0])
    rows = holes.of(rankings)[:, ::-1]  # holes need not come by rank
    drawn = rng.integers(len(scale), size=(2, 9, rows.shape[1])).astype(np.int32)
    scores = score_drawn(chosen, view, rankings, rows, drawn, scale)
    for i, ranking in enumerate(rankings.tolist()):
        written = labelled(view, ranking, rows[i], scale.grades_at(drawn[i]))
        # The kernel adds precisions of one rank for several draws, so that their order is another one.
        np.testing.assert_allclose(scores[i], chosen.compute(written), rtol=1e-13)


def test_other_measures_are_not_sums_of_precisions() -> None:
    view = view_of({"1": {"a": 1.0}}, {"1": {"a": 1}})
    assert not any(is_average_precision(measures.parse(one), view) for one in ("nDCG@10", "Rprec", "infAP", "Q", "RR"))


def sampler(holes: int) -> GradeSampler:
    """Of holes with three grades, that move in some hundred different ways."""
    rng = np.random.default_rng(holes)
    keys = rng.integers(5, size=(len(KINDS), holes)).astype(np.uint64)
    deviations = rng.choice([0.0, 0.4, 0.9], size=(len(KINDS), holes))
    effects = RandomEffects(keys, deviations, np.full((len(KINDS), holes), 0.2))
    own = rng.integers(2**64, size=holes, dtype=np.uint64)
    return GradeSampler(own, rng.dirichlet([8, 1, 1], holes), np.arange(holes), effects, 7)


def test_a_hole_has_the_same_grades_whatever_is_drawn_beside_it() -> None:
    """Factors are kept where few holes move differently; a few holes of many are the same as all of few."""
    many, some = sampler(600), np.arange(0, 600, 7)
    few = many.take(some)
    assert len(many.random_effects.moved_alike[0]) > 256 > len(few.random_effects.moved_alike[0])  # type: ignore[union-attr]
    assert (few.draw(np.arange(len(some))[None], 40) == many.draw(some[None], 40)).all()
    uniform = replace(many, random_effects=None)
    assert (uniform.draw(some[None], 40) != many.draw(some[None], 40)).any()


def test_bits_of_all_holes_are_their_drawn_grades() -> None:
    holes = sampler(50)
    topics, counted = np.arange(50) % 3, np.arange(50) % 4 > 0
    drawn = holes.draw(np.arange(50)[None], 21)[0]
    for level in (1, 2, 3):
        relevance = draw_relevance(holes, topics, counted, level=level, draws=21, number_of_topics=4)
        bits = np.unpackbits(relevance.bits, axis=1, count=21, bitorder="little").T
        assert bits.tolist() == (drawn >= level).astype(int).tolist()
        expected = [bits[:, counted & (topics == topic)].sum(axis=1).tolist() for topic in range(4)]
        assert relevance.counted.tolist() == expected
