"""labels(FILE) with grades for subtopics: completed judgments, for measures on subtopics too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.errors import InputError
from unjudged.holes import Labels

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Lines = list[tuple[str, str, str, int]]
MEASURES = ["alpha_nDCG@5", "alpha_DCG@5", "ERR_IA@5", "ERR_IA(form='graded')@5", "NRBP", "AP_IA", "StRecall@5"]
TOPICS, SUBTOPICS, DOCS = ["1", "2", "3"], ["a", "b", "c"], [f"d{i}" for i in range(30)]


def judgments() -> Lines:
    rng = random.Random(1)
    return [(t, s, d, rng.choice([0, 0, 0, 1, 2])) for t in TOPICS for d in DOCS for s in SUBTOPICS]


def runs() -> dict[str, dict[str, dict[str, float]]]:
    rng = random.Random(2)
    return {name: {t: {d: rng.random() for d in rng.sample(DOCS, 15)} for t in TOPICS} for name in "xyz"}


def write(path: Path, lines: Lines) -> uj.Qrels:
    path.write_text("".join(f"{t} {s} {d} {g}\n" for t, s, d, g in lines))
    return uj.read_qrels(path)


def halves(folder: Path) -> tuple[uj.Qrels, uj.Qrels, uj.Qrels]:
    """All judgments; those of half of the documents; and labels: the truth for the others, nonsense for the first."""
    lines = judgments()
    # Every subtopic has a judged document, so that labels cannot bring one that the judgments do not have.
    first = {*DOCS[:15]}
    labels = [(t, s, d, 2 if d in first else g) for t, s, d, g in lines]
    some = [line for line in lines if line[2] in first]
    return write(folder / "all", lines), write(folder / "some", some), write(folder / "labels", labels)


@pytest.mark.parametrize("measure", MEASURES)
def test_true_labels_give_the_score_of_all_judgments(measure: str, tmp_path: Path) -> None:
    every, some, labels = halves(tmp_path)
    want = uj.score(every, runs(), measure)
    found = uj.score(some, runs(), measure, holes=Labels(file=labels), jobs=1)
    assert found.values[0, 0].ravel() == pytest.approx(want.values[0, 0].ravel(), abs=1e-12)
    assert (found.values[0, 0] != uj.score(some, runs(), measure).values[0, 0]).any()


def test_what_rests_on_labels_is_what_is_lost_without_them(tmp_path: Path) -> None:
    _, some, labels = halves(tmp_path)
    found = uj.score(some, runs(), "alpha_DCG@5", holes=["nonrelevant", Labels(file=labels)], jobs=1)
    # The sum has no ideal ranking, so that without the labels it is that of the judgments.
    plain, with_labels = found.means[0, 0], found.means[1, 0]
    rows = [row for row in found.mean() if row.holes != "nonrelevant"]
    for row, before, after in zip(rows, plain, with_labels, strict=True):
        assert row.rests_on_labels == pytest.approx(1 - before / after)
        assert 0 < row.labelled < 1  # type: ignore[operator]


def test_labels_of_other_subtopics_are_left_out_and_counted(tmp_path: Path) -> None:
    _, some, _ = halves(tmp_path)
    labels = write(tmp_path / "odd", [*judgments(), *[("1", "new", d, 1) for d in DOCS[15:20]]])
    found = uj.score(some, runs(), "alpha_nDCG@5", holes=Labels(file=labels), jobs=1)
    (said,) = [one for one in found.warnings if one.code == "unknown-label-subtopics"]
    assert str(said.message) == f"{tmp_path / 'odd'}: 5 labels of subtopics that the judgments do not have; left out"
    assert said.count == 5


def test_labels_may_be_worth_another_grade(tmp_path: Path) -> None:
    _, some, _ = halves(tmp_path)
    binary = write(tmp_path / "binary", [(t, s, d, int(g > 0)) for t, s, d, g in judgments()])
    found = uj.score(some, runs(), "alpha_nDCG(rel=2)@5", holes=Labels(file=binary, grades=((1, 2),)), jobs=1)
    want = uj.score(some, runs(), "alpha_nDCG(rel=2)@5")
    assert (found.means[0] != want.means[0]).any()


def test_labels_for_whole_topics_are_refused(tmp_path: Path) -> None:
    _, some, _ = halves(tmp_path)
    labels = Labels.of({t: dict.fromkeys(DOCS, 1) for t in TOPICS}, name="gpt")
    with pytest.raises(InputError) as caught:
        uj.score(some, runs(), "alpha_nDCG@5", holes=labels)
    assert str(caught.value) == (
        "labels('gpt') is not for alpha_nDCG@5: labels give one grade for the whole topic, not one for each subtopic"
    )


@pytest.mark.shared
def test_divergence_measures_take_them_too(shared_data: Path) -> None:
    folder = shared_data / "dl19"
    every = uj.read_qrels(folder / "exam-questions-as-subtopics.diversity-qrels.gz")
    some = every.left(every.docs.hashes() % 3 == 0)
    some_runs = uj.read_runs(folder / "runs")[:2]
    texts = folder / "qrels_text.dl19.gz"
    want = uj.score(every, some_runs, "ABSNB(rel=4)@10", texts=texts).means
    found = uj.score(some, some_runs, "ABSNB(rel=4)@10", holes=Labels(file=every), texts=texts).means
    assert found.ravel() == pytest.approx(want.ravel(), abs=1e-12)
