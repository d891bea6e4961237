"""evidence: a draw is one world, with one grade for each document, and one ideal ranking."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from grouped_runs import DEPTH, Judgments, Ranked, as_runs, collection, pooled

import unjudged as uj
from unjudged.api import read_holes, read_measure
from unjudged.collection import BaseCollection
from unjudged.data.qrels import Qrels
from unjudged.data.view import join
from unjudged.engine.numerics.joint_imputations import as_scored, drawn_scores, with_shared_holes
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.holes import Bootstrap, Settings
from unjudged.holes.bootstrap import PreparedBootstrap
from unjudged.holes.imputation.filling import Holes
from unjudged.holes.imputation.grade_sampler import GradeSampler, hole_keys

DRAWS, SEED = 30, 5
MODEL = Bootstrap(prior="evidence", depth=DEPTH, draws=DRAWS)
Rankings = dict[str, Ranked]
pytestmark = pytest.mark.filterwarnings("ignore:.* a kind of system is missing")


@cache
def newcomers() -> tuple[Judgments, Rankings, BaseCollection]:
    """Judgments that lack what two groups found, the rankings of all, and the collection with what runs say."""
    truth, rankings, group_of = collection(3, groups=8, topics=15)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] not in {"g4", "g7"}])
    given = uj.Collection(judged, as_runs(rankings), groups=group_of)
    return judged, rankings, collect_occurrences(given, read_holes(MODEL), depth=20)[0]


@cache
def belief(model: Bootstrap = MODEL) -> PreparedBootstrap:
    """What the model has learned from these."""
    informed = newcomers()[2]
    return model.learn(informed.qrels, informed.occurrences)


def drawn_grades(rankings: Rankings, informed_qrels: Qrels, depth: int) -> list[dict[tuple[str, str], int]]:
    """In each world, the grade of every (topic, document) that somebody has within the depth and nobody judged."""
    worlds: list[dict[tuple[str, str], int]] = [{} for _ in range(DRAWS)]
    for name, ranked in rankings.items():
        view = join(uj.read_run(as_runs({name: ranked})[name]), informed_qrels, depth=depth)
        holes = Holes(view)
        grade_source = belief().grade_source
        assert grade_source is not None
        evidence = grade_source.grade_probabilities(view, holes.rows)
        assert evidence.informed.all()
        sampler = GradeSampler(
            hole_keys(holes, SEED), evidence.conditional, np.arange(len(holes.rows)), evidence.random_effects, SEED
        )
        labels = sampler.draw(np.arange(len(holes.rows))[None], DRAWS)[0]
        topics = [informed_qrels.topics[topic] for topic in view.topics[view.ranking[holes.rows]].tolist()]
        for pair, grades in zip(zip(topics, view.doc_ids().take(holes.rows), strict=True), labels.T, strict=True):
            for world, grade in zip(worlds, grades.tolist(), strict=True):
                assert world.setdefault(pair, grade) == grade  # whoever returns it
    return worlds


@pytest.mark.parametrize("measure", ["nDCG@6", "nDCG@4", "nDCG(dcg='exp-log2')@6", "AP@6", "R@6", "Rprec", "P@6", "Q"])
def test_scores_are_those_of_judgments_with_the_drawn_grades(measure: str) -> None:
    """Every document that any run has within pool depth and cut-off is judged for real, and all runs are scored."""
    judged, rankings, informed = newcomers()
    informed_qrels = informed.qrels
    chosen = read_measure(measure)
    cutoff = chosen.depth() or 12
    rankings = {name: {topic: docs[:cutoff] for topic, docs in ranked.items()} for name, ranked in rankings.items()}
    reach = min(cutoff, DEPTH)
    estimates = {
        name: belief().estimate(chosen, join(uj.read_run(run), informed_qrels), Settings(SEED)).distributions
        for name, run in as_runs(rankings).items()
    }
    other_holes = drawn_grades(rankings, informed_qrels, reach)
    own = {name: drawn_grades({name: ranked}, informed_qrels, cutoff) for name, ranked in rankings.items()}
    moved = 0
    for world in (0, DRAWS - 1):
        for name, run in as_runs(rankings).items():
            everything = {topic: dict(grades) for topic, grades in judged.items()}
            for (topic, doc), grade in (other_holes[world] | own[name][world]).items():
                everything[topic][doc] = grade
            expected = uj.score(everything, {name: run}, measure).values[0, 0, 0]
            distributions = estimates[name]
            assert distributions is not None
            drawn = [np.broadcast_to(one.values, DRAWS)[world] for one in distributions]
            np.testing.assert_allclose(drawn, expected, rtol=0, atol=1e-12)
            moved += int((expected != uj.score(judged, {name: run}, measure).values[0, 0, 0]).sum())
    assert moved > 30


def test_runs_without_holes_are_uncertain_too_where_others_may_have_found_something() -> None:
    judged, rankings, informed = newcomers()
    informed_qrels = informed.qrels
    run = uj.read_run(as_runs(rankings)["g6r0"])
    for measure, certain in (("nDCG@6", False), ("P@6", True)):
        view = join(run, informed_qrels)
        assert view.top(6).judged.all()
        estimate = belief().estimate(read_measure(measure), view, Settings(SEED))
        assert estimate.low is not None
        assert estimate.high is not None
        plain = uj.score(judged, {"g6r0": as_runs(rankings)["g6r0"]}, measure).values[0, 0, 0]
        assert (estimate.value <= plain + 1e-12).all()  # more relevant documents can only make the ideal better
        assert bool((estimate.low == estimate.high).all()) is certain


def test_the_ideal_ranking_stays_where_that_is_asked_for() -> None:
    _, rankings, informed = newcomers()
    informed_qrels = informed.qrels
    view = join(uj.read_run(as_runs(rankings)["g6r0"]), informed_qrels)
    fixed = belief(MODEL.replace(ideal="fixed")).estimate(read_measure("nDCG@6"), view, Settings(SEED))
    np.testing.assert_array_equal(fixed.value, read_measure("nDCG@6").score(view))


@pytest.mark.filterwarnings("ignore:nDCG@20 reads deeper than the pool")
def test_other_measures_of_a_study_do_not_matter() -> None:
    """Deeper measures look at more documents of each run; a shallow one does not count them."""
    truth, rankings, group_of = collection(3, groups=8, topics=15)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] not in {"g4", "g7"}])
    how = {"holes": str(MODEL), "groups": group_of}
    alone = uj.score(judged, as_runs(rankings), "nDCG@5", **how)
    among = uj.score(judged, as_runs(rankings), ["nDCG@5", "nDCG@20", "P@3"], **how)
    np.testing.assert_array_equal(alone.values[0, 0], among.values[0, 0])
    np.testing.assert_array_equal(alone.mean_low[0, 0], among.mean_low[0, 0])


# ---- several runs in one world


@pytest.mark.parametrize("measure", ["nDCG@6", "nDCG@4", "AP@6", "R@6", "P@6", "RR@6", "RBP@6"])
def test_runs_are_compared_in_the_worlds_in_which_they_are_scored(measure: str) -> None:
    truth, rankings, group_of = collection(3, groups=8, topics=15)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] not in {"g4", "g7"}])
    alone = uj.score(judged, as_runs(rankings), measure, holes=str(MODEL), groups=group_of, pool_depth=DEPTH).mean()
    comparison = uj.compare(
        judged, as_runs(rankings), measure, draws=DRAWS, prior="evidence", groups=group_of, pool_depth=DEPTH
    )
    for row in comparison.rows():
        assert row.expected == pytest.approx(alone[row.run, measure], abs=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@6", "AP@6", "AP", "R@4", "Rprec", "P@6"])
@pytest.mark.parametrize("reach", [3, DEPTH])
def test_what_any_run_found_counts_for_all_also_where_there_is_no_evidence(measure: str, reach: int) -> None:
    """A prior that is sure makes every hole relevant; the same is written into the judgments."""
    truth, rankings, group_of = collection(5, groups=4, topics=8)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] not in {"g2", "g3"}])
    qrels, chosen = uj.read_qrels(judged), read_measure(measure)
    grade = qrels.max_grade
    prior = np.tile(np.eye(grade + 1)[grade], (len(qrels.topics), 1))
    runs = {name: uj.read_run(run) for name, run in as_runs(rankings).items()}
    seen = [as_scored(run, qrels, chosen, SEED) for run in runs.values()]
    with_ideal = with_shared_holes(chosen, seen, prior, reach=reach, draws=2, seed=SEED)
    for (name, ranked), scored_run in zip(rankings.items(), with_ideal, strict=True):
        everything = {topic: dict(grades) for topic, grades in judged.items()}
        for other, depth in [*((other, reach) for other in rankings), (name, chosen.depth())]:
            for topic, docs in rankings[other].items():
                for doc in docs[: min(depth or len(docs), chosen.depth() or len(docs))]:
                    everything[topic].setdefault(doc, grade)
        expected = uj.score(everything, {name: as_runs({name: ranked})[name]}, measure).values[0, 0, 0]
        drawn = drawn_scores(chosen, scored_run, prior, 2, SEED)
        np.testing.assert_allclose(drawn, np.stack([expected, expected], axis=1), rtol=0, atol=1e-12)


def test_leaving_runs_out_of_the_tables_changes_no_world() -> None:
    truth, rankings, group_of = collection(3, groups=8, topics=15)
    judged = pooled(truth, rankings, [run for run in rankings if group_of[run] not in {"g4", "g7"}])
    every, best = (
        uj.compare(judged, as_runs(rankings), "nDCG@6", draws=DRAWS, prior="evidence", groups=group_of, top=top)
        for top in (None, 3)
    )
    assert len(best.rows()) == 3
    assert [row.expected for row in best.rows()] == [row.expected for row in every.rows()][:3]
