"""evidence with labels: what labels say beside the runs, that nothing leaks, and what must not matter."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from evidence_oracles import holes_of, left_out, with_occurrences
from grouped_runs import DEPTH, Judgments, Ranked, as_runs, collection, log_odds

import unjudged as uj
from unjudged.api import read_holes
from unjudged.data.ids import Ids
from unjudged.errors import SpecError
from unjudged.holes import Bootstrap, Evidence
from unjudged.holes.evidence_model.model import EvidenceModel
from unjudged.holes.evidence_model.pool_contributions import RISING, Contributions
from unjudged.holes.labels import read_label_sources

FOLDS = 5


def all_grades(seed: int = 1) -> Judgments:
    return collection(seed, groups=7)[0]


def noisy(grades: Judgments, wrong: float, seed: int = 3) -> Judgments:
    """Labels that are the grades, but for a share that is drawn."""
    rng = random.Random(seed)
    return {
        topic: {doc: rng.randrange(3) if rng.random() < wrong else grade for doc, grade in docs.items()}
        for topic, docs in grades.items()
    }


def error(labels: Callable[[Judgments], object] | None) -> float:
    """RMSE of expected grades of the holes of the better groups, each left out, of three collections."""
    squares = [one for seed in (1, 2, 3) for group in ("g4", "g5", "g6") for one in squared_errors(labels, seed, group)]
    return float(np.sqrt(np.mean(squares)))


def squared_errors(labels: Callable[[Judgments], object] | None, seed: int, group: str) -> list[float]:
    _, rankings, group_of, without = left_out(seed, group)
    truth = all_grades(seed)
    qrels, occurrences = with_occurrences(without, rankings, group_of)
    sources = () if labels is None else read_label_sources(qrels, labels(truth))  # type: ignore[arg-type]
    model = EvidenceModel(qrels, occurrences, DEPTH, sources)
    found, view, rows = holes_of(model, rankings[f"{group}r0"])
    pairs = zip(view.topics[view.ranking[rows]], view.doc_ids().take(rows), strict=True)
    grades = np.array([truth[qrels.topics[topic]][doc] for topic, doc in pairs])
    return list((found.probabilities @ qrels.scale.grades - grades) ** 2)


def read(labels: Judgments) -> uj.Qrels:
    return uj.read_qrels(labels)


def test_good_labels_help_and_useless_ones_cost_next_to_nothing() -> None:
    alone = error(None)
    assert error(lambda truth: read(noisy(truth, 0.3))) < 0.9 * alone
    assert error(lambda truth: read(noisy(truth, 1.0))) < 1.02 * alone
    constant = error(lambda truth: read({topic: dict.fromkeys(docs, 1) for topic, docs in truth.items()}))
    assert constant == pytest.approx(alone)


def changed(change: Callable[[int], int], kept: Callable[[str], bool] = lambda _: True) -> float:
    """The error with labels that are changed, of documents that are kept."""

    def labels(truth: Judgments) -> uj.Qrels:
        return read(
            {t: {d: change(one) for d, one in docs.items() if kept(d)} for t, docs in noisy(truth, 0.3).items()}
        )

    return error(labels)


def test_labels_may_be_inverted_stretched_binary_or_missing() -> None:
    plain, alone = changed(lambda x: x), error(None)
    assert changed(lambda x: 2 - x) == pytest.approx(plain)
    assert changed(lambda x: 10 * x + 7) == pytest.approx(plain)
    assert plain < changed(lambda x: int(x > 1)) < alone
    assert plain < changed(lambda x: x, lambda doc: int(doc[1:]) % 2 == 1) < alone


def test_two_sources_say_more_than_one() -> None:
    first, second = (lambda truth, seed=seed: read(noisy(truth, 0.5, seed)) for seed in (1, 2))
    assert error(lambda truth: (first(truth), second(truth))) < min(error(first), error(second))


def newcomer(without: Judgments, rankings: dict[str, Ranked], group_of: dict[str, str]) -> int:
    """The number of the group that was left out: the only one with holes."""
    return int(Contributions(*with_occurrences(without, rankings, group_of), DEPTH).group_of_holes.max())


def test_labels_are_described_as_documented() -> None:
    """The mean grade of documents with the same label, on topics of other folds."""
    _, rankings, group_of, without = left_out()
    labels = noisy(all_grades(), 0.5)
    qrels, occurrences = with_occurrences(without, rankings, group_of)
    contributions = Contributions(qrels, occurrences, DEPTH, read_label_sources(qrels, read(labels)))
    holes = contributions.around(newcomer(without, rankings, group_of))[0]
    fold = dict(zip(qrels.topics, (Ids.of(qrels.topics).hashes() % np.uint64(FOLDS)).tolist(), strict=True))
    names = [*qrels.docs, *occurrences.unlisted.docs]
    assert len(holes.pairs) > 30
    assert holes.features.shape[1] == len(RISING) + 1
    for topic, pair, features in zip(holes.topics.tolist(), holes.pairs.tolist(), holes.features, strict=True):
        name = qrels.topics[topic]
        same = [
            grade
            for other, docs in without.items()
            if fold[other] != fold[name]
            for doc, grade in docs.items()
            if labels[other][doc] == labels[name][names[pair]]
        ]
        every = [g for other, docs in without.items() if fold[other] != fold[name] for g in docs.values()]
        average = sum(every) / len(every)
        mean = (sum(same) + 5 * average) / (len(same) + 5)
        assert features[-1] == pytest.approx(log_odds(mean, 2) - log_odds(average, 2))


def test_judgments_that_the_group_alone_brought_say_nothing_about_labels() -> None:
    judged, rankings, group_of, without = left_out()
    labels, rng = read(noisy(all_grades(), 0.3)), random.Random(5)
    shuffled = {
        t: {d: g if d in without[t] else rng.randrange(3) for d, g in docs.items()} for t, docs in judged.items()
    }
    weights = []
    for given in (judged, shuffled, without):
        qrels, occurrences = with_occurrences(given, rankings, group_of)
        model = EvidenceModel(qrels, occurrences, DEPTH, read_label_sources(qrels, labels))
        fitted = model.group_fit(newcomer(without, rankings, group_of)).model
        assert fitted is not None
        weights.append(fitted.ordinal.weights)
    assert weights[0][-1] > 0
    np.testing.assert_array_equal(weights[0], weights[1])
    np.testing.assert_allclose(weights[0], weights[2])


# ---- what users type


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "a.qrels", tmp_path / "b.jsonl"
    truth = all_grades()
    with paths[0].open("w") as out:
        out.writelines(f"{t} 0 {d} {g}\n" for t, docs in noisy(truth, 0.3, 1).items() for d, g in docs.items())
    with paths[1].open("w") as out:
        out.writelines(
            f'{{"topic": "{t}", "doc": "{d}", "grade": {g / 2}, "source": "b"}}\n'
            for t, docs in noisy(truth, 0.3, 2).items()
            for d, g in docs.items()
        )
    return paths


@pytest.mark.filterwarnings("ignore:.* mixes two judges")
def test_one_file_a_list_and_a_folder(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, rankings, group_of, without = left_out()
    names = [
        f"evidence(labels={files[0]})",
        f"evidence(labels=[{files[0]}, {files[1]}])",
        f"evidence(labels={tmp_path})",
        f"bootstrap(prior=evidence,labels=[{files[0]},{files[1]}])",
        "evidence",
    ]
    result = uj.score(without, as_runs(rankings), "P@6", holes=names, groups=group_of, jobs=1)
    shares = {(row.run, row.holes): row.labelled for row in result.mean()}
    assert 0 < shares["g4r0", str(read_holes(names[0])[0])] < 1
    means = {name: result.means[i] for i, name in enumerate(names)}
    both = means[names[1]]
    np.testing.assert_array_equal(both, means[names[2]])
    np.testing.assert_array_equal(both, means[names[3]])
    assert (both != means[names[0]]).any()
    assert (both != means["evidence"]).any()
    assert [read_holes(str(one)) for one in read_holes(names)] == [[one] for one in read_holes(names)]


def test_comparisons_and_reuse_take_labels_too(files: tuple[Path, Path]) -> None:
    judged, rankings, group_of, without = left_out()
    name = f"evidence(labels={files[0]})"
    runs = as_runs(rankings)
    compared = uj.compare(without, runs, "P@6", holes=name, groups=group_of, draws=200)
    plain = uj.compare(without, runs, "P@6", holes="evidence", groups=group_of, draws=200)
    assert compared.rows != plain.rows
    tried = uj.reuse(
        judged, runs, "P@6", degrade=f"LeaveOutGroup({DEPTH})", holes=[name, "evidence"], groups=group_of, jobs=1
    )
    by_name = {row.holes: row for row in tried.methods()}
    assert by_name[str(read_holes(name)[0])].rmse < by_name["evidence"].rmse


def test_labels_in_memory() -> None:
    labels = read(noisy(all_grades(), 0.3))
    assert Evidence(labels=labels).labels is labels
    assert Evidence(labels=[labels, "x.qrels"]).labels == (labels, "x.qrels")
    assert Evidence(labels=labels).files() == ()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("bootstrap(labels=x)", "bootstrap: labels=FILE goes with prior='labels' or prior='evidence'"),
        ("bootstrap(prior=pool,labels=x)", "bootstrap: labels=FILE goes with prior='labels' or prior='evidence'"),
        ("bootstrap(prior=labels)", "bootstrap: prior='labels' and labels=FILE go together"),
        (
            "bootstrap(prior=labels,labels=[a,b])",
            "bootstrap: prior='labels' takes labels of one judge; prior='evidence' of any number",
        ),
    ],
)
def test_what_does_not_go_together(model: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_holes(model)
    assert str(caught.value) == message


@pytest.mark.parametrize("labels", [[], "", 3, [3], ["a", ""]])
def test_what_is_no_file(labels: object) -> None:
    with pytest.raises(SpecError, match=r"^evidence: labels must be a file or judgments, or a list of them, not "):
        Evidence(labels=labels)  # type: ignore[arg-type]
    assert Bootstrap().labels is None


@pytest.mark.filterwarnings("ignore:.*")
def test_labels_that_people_judged_nothing_of_are_said_to_say_little() -> None:
    _, rankings, group_of, without = left_out()
    beyond = {
        topic: {doc: grade for doc, grade in docs.items() if doc not in without[topic]}
        for topic, docs in all_grades().items()
    }
    alone = uj.score(without, as_runs(rankings), "P@6", holes="evidence", groups=group_of, jobs=1)
    model = Evidence(labels=read(beyond))
    result = uj.score(without, as_runs(rankings), "P@6", holes=model, groups=group_of, jobs=1)
    (warning,) = [one for one in result.warnings if one.code == "few-labels"]
    assert "labels 0 judged documents, fewer than 30, so that little is learned" in str(warning)
    np.testing.assert_allclose(result.means, alone.means, atol=0.01)
