"""Names as people type them: other tools' capitals and names, and what is said about those that nobody knows."""

from __future__ import annotations

import pytest

from unjudged.errors import SpecError
from unjudged.holes import hole_models
from unjudged.measures.requested import parse_measures
from unjudged.registry import Registry
from unjudged.reports.reference import explain
from unjudged.simulate import parse_degradations
from unjudged.spec import Spec
from unjudged.uncertainty import significance_tests


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("recall@100", "R@100"),
        ("mrr@10", "RR@10"),
        ("map@100", "AP@100"),
        ("precision@10", "P@10"),
        ("hit_rate@5", "Success@5"),
        ("HitRate@5", "Success@5"),
        ("rbp(p=0.9)", "RBP(p=0.9)"),
    ],
)
def test_capitals_do_not_matter(typed: str, meant: str) -> None:
    assert [str(measure) for measure in parse_measures(typed)] == [meant]


def test_trec_evals_names_keep_their_meaning() -> None:
    assert [str(measure) for measure in parse_measures("recall_5")] == ["R@5"]
    assert [str(measure) for measure in parse_measures("success_1")] == ["Success@1"]
    assert len(parse_measures("recall")) > 1  # all cut-offs of trec_eval, not our R


def test_hole_models_in_capitals() -> None:
    assert str(hole_models.parse("Bootstrap(draws=5)")) == "bootstrap(draws=5)"


def test_two_names_that_differ_in_capitals_only_are_not_guessed() -> None:
    registry: Registry[Spec] = Registry("toy", "see there")
    for text in ("Toy", "TOY"):
        registry.add(type(text, (Spec,), {"name": text}))
    assert registry["Toy"].name == "Toy"
    with pytest.raises(SpecError, match=r"^unknown toy 'toy'; did you mean 'Toy'\? \(see there\)$"):
        registry["toy"]
    Registry.every.remove(registry)


def test_what_is_suggested_is_understood() -> None:
    with pytest.raises(SpecError, match=r"^unknown measure 'ndgc'; did you mean 'ndcg'\?"):
        parse_measures("ndgc@10")
    assert parse_measures("ndcg@10")


def test_examples_are_of_the_kind_that_was_asked_for() -> None:
    looks_like = "it should look like"
    with pytest.raises(SpecError, match=rf"{looks_like} bounds or bootstrap\(prior=pool,draws=500\)$"):
        hole_models.parse("bootstrap(prior=pool")
    with pytest.raises(SpecError, match=rf"{looks_like} DepthCut\(10\) or 'DepthCut\(10\) then KeepFraction\(10%\)'$"):
        parse_degradations("DepthCut(5) then")
    with pytest.raises(SpecError, match=rf"{looks_like} t or randomisation$"):
        significance_tests.parse("t test")


@pytest.mark.parametrize("typed", ["map", "ndcg_cut_10", "ndcg", "ndcg@10", "recip_rank"])
def test_whatever_can_be_scored_is_explained(typed: str) -> None:
    (measure,) = parse_measures(typed)
    assert explain(typed) == explain(measure.name)


def test_explanations_have_no_marks_of_sphinx() -> None:
    assert "See DCG for `dcg` and `gains`" in " ".join(explain("nDCG").split())
