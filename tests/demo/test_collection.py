"""What the demo collection promises, checked on its files by plain reading, without the library's own readers."""

from __future__ import annotations

import hashlib
import json
import math
import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from unjudged.demo.collection import Collection, write_collection
from unjudged.errors import InputError

Grades = dict[str, dict[str, int]]  # topic -> doc -> grade
Rankings = dict[str, list[str]]  # topic -> docs, best first


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return write_collection(tmp_path_factory.mktemp("demo") / "collection")


@pytest.fixture(scope="module")
def qrels(collection: Collection) -> Grades:
    return read_qrels(collection.qrels)


@pytest.fixture(scope="module")
def truth(collection: Collection) -> Grades:
    return read_qrels(collection.truth)


@pytest.fixture(scope="module")
def runs(collection: Collection) -> dict[str, Rankings]:
    return {path.stem: read_run(path) for path in collection.runs}


@pytest.fixture(scope="module")
def later(collection: Collection) -> list[str]:
    return [run for run, team in read_table(collection.teams) if team == "later"]


@pytest.fixture(scope="module")
def pooled(collection: Collection) -> list[str]:
    return [run for run, team in read_table(collection.teams) if team != "later"]


def read_rows(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]


def read_table(path: Path) -> list[list[str]]:
    """Read tab-separated rows without the header."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def read_qrels(path: Path) -> Grades:
    grades: Grades = {}
    for topic, _, doc, grade in read_rows(path):
        assert doc not in grades.setdefault(topic, {})
        grades[topic][doc] = int(grade)
    return grades


def read_run(path: Path) -> Rankings:
    rankings: Rankings = {}
    for topic, _, doc, _, _, _ in read_rows(path):
        rankings.setdefault(topic, []).append(doc)
    return rankings


def read_doc_ids(collection: Collection) -> list[str]:
    return [json.loads(line)["doc_id"] for line in collection.docs.read_text(encoding="utf-8").splitlines()]


def digests(directory: Path) -> dict[str, str]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def dcg(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:10], start=1))


def mean_ndcg(judgments: Grades, run: Rankings) -> float:
    """Mean nDCG@10, unjudged documents not relevant."""
    values = []
    for topic, grades in judgments.items():
        ideal = dcg(sorted(grades.values(), reverse=True))
        values.append(dcg([grades.get(doc, 0) for doc in run[topic]]) / ideal)
    return sum(values) / len(values)


def holes(judgments: Grades, run: Rankings) -> int:
    return sum(doc not in judgments[topic] for topic, docs in run.items() for doc in docs[:10])


class TestWriting:
    def test_the_same_seed_gives_the_same_bytes(self, collection: Collection, tmp_path: Path) -> None:
        again = write_collection(tmp_path / "again", seed=42)
        assert digests(again.directory) == digests(collection.directory)

    def test_another_seed_gives_other_documents_runs_and_judgments(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        other = write_collection(tmp_path / "other", seed=43)
        assert other.docs.read_bytes() != collection.docs.read_bytes()
        assert other.truth.read_bytes() != collection.truth.read_bytes()
        assert all(a.read_bytes() != b.read_bytes() for a, b in zip(other.runs, collection.runs, strict=True))

    def test_it_names_every_file_it_wrote(self, collection: Collection) -> None:
        named = {value for name, value in vars(collection).items() if name not in ("directory", "runs")}
        written = {path for path in collection.directory.rglob("*") if path.is_file()}
        assert named | set(collection.runs) == written

    def test_all_files_together_stay_under_three_megabytes(self, collection: Collection) -> None:
        assert sum(path.stat().st_size for path in collection.directory.rglob("*") if path.is_file()) < 3_000_000

    def test_an_empty_directory_is_accepted(self, tmp_path: Path) -> None:
        assert write_collection(tmp_path).qrels == tmp_path / "qrels.txt"

    def test_a_directory_with_something_in_it_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_text("keep me")
        message = f"{tmp_path}: the directory is not empty; give a new one"
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            write_collection(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

    def test_a_file_in_the_place_of_the_directory_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.txt"
        path.write_text("keep me")
        with pytest.raises(InputError, match=f"^{re.escape(f'{path}: this is a file; give a new directory')}$"):
            write_collection(path)


class TestFormats:
    def test_documents_have_an_id_of_their_own_and_a_text(self, collection: Collection) -> None:
        docs = [json.loads(line) for line in collection.docs.read_text(encoding="utf-8").splitlines()]
        assert len(docs) == 1500
        assert len({doc["doc_id"] for doc in docs}) == len(docs)
        assert all(set(doc) == {"doc_id", "text"} and len(doc["text"].split()) >= 35 for doc in docs)

    def test_there_are_25_topics_with_two_to_five_subtopics_each(self, collection: Collection) -> None:
        assert collection.topics.read_text(encoding="utf-8").startswith("topic\ttitle\n")
        assert collection.subtopics.read_text(encoding="utf-8").startswith("topic\tsubtopic\ttitle\n")
        topics = [topic for topic, _ in read_table(collection.topics)]
        of_topic = [topic for topic, _, _ in read_table(collection.subtopics)]
        assert len(set(topics)) == len(topics) == 25
        assert set(of_topic) == set(topics)
        assert {of_topic.count(topic) for topic in topics} == {2, 3, 4, 5}

    def test_every_run_has_a_team(self, collection: Collection) -> None:
        assert collection.teams.read_text(encoding="utf-8").startswith("run\tteam\n")
        teams = read_table(collection.teams)
        assert [run for run, _ in teams] == [path.stem for path in collection.runs]
        assert len(teams) == 12
        assert len({team for _, team in teams}) == 6

    def test_runs_are_trec_runs_of_known_documents_in_rank_order(self, collection: Collection) -> None:
        topics = [topic for topic, _ in read_table(collection.topics)]
        known = set(read_doc_ids(collection))
        for path in collection.runs:
            rows = read_rows(path)
            assert {(q0, name) for _, q0, _, _, _, name in rows} == {("Q0", path.stem)}
            assert [(topic, int(rank)) for topic, _, _, rank, _, _ in rows] == [
                (topic, rank) for topic in topics for rank in range(1, 101)
            ]
            for topic, docs in read_run(path).items():
                assert len(set(docs)) == 100, f"{path.stem} repeats a document for topic {topic}"
                assert known.issuperset(docs)

    def test_runs_are_sorted_as_trec_eval_sorts_them(self, collection: Collection) -> None:
        for path in collection.runs:
            for (topic, _, doc, _, score, _), (next_topic, _, next_doc, _, next_score, _) in pairwise(read_rows(path)):
                if topic == next_topic:
                    assert (float(score), doc) > (float(next_score), next_doc)

    def test_one_run_has_tied_scores_even_across_the_cutoff_of_ten(self, collection: Collection) -> None:
        rows = read_rows(collection.directory / "runs" / "birch-keyword.run")
        ties = [int(row[3]) for row, following in pairwise(rows) if (row[0], row[4]) == (following[0], following[4])]
        assert len(ties) > 100
        assert 10 in ties


class TestJudgments:
    def test_qrels_are_exactly_the_top_ten_of_the_pooled_runs(
        self, qrels: Grades, runs: dict[str, Rankings], pooled: list[str]
    ) -> None:
        for topic, grades in qrels.items():
            assert set(grades) == {doc for run in pooled for doc in runs[run][topic][:10]}

    def test_truth_grades_every_returned_document_from_0_to_3(self, truth: Grades, runs: dict[str, Rankings]) -> None:
        assert {grade for grades in truth.values() for grade in grades.values()} == {0, 1, 2, 3}
        for run in runs.values():
            for topic, docs in run.items():
                assert set(truth[topic]).issuperset(docs)

    def test_truth_contains_every_judged_grade_unchanged(self, qrels: Grades, truth: Grades) -> None:
        assert qrels.keys() == truth.keys()
        for topic, grades in qrels.items():
            assert grades.items() <= truth[topic].items()

    def test_every_topic_has_a_relevant_document_in_the_pool(self, qrels: Grades) -> None:
        assert all(max(grades.values()) > 0 for grades in qrels.values())

    def test_sampled_qrels_keep_the_pool_and_hide_about_seventy_percent(
        self, collection: Collection, qrels: Grades
    ) -> None:
        sampled = read_qrels(collection.sampled)
        assert sampled.keys() == qrels.keys()
        for topic, grades in sampled.items():
            judged = {doc: grade for doc, grade in grades.items() if grade != -1}
            assert grades.keys() == qrels[topic].keys()
            assert judged.items() <= qrels[topic].items()
            assert len(judged) == round(0.3 * len(grades))
            assert max(judged.values()) > 0

    def test_diversity_qrels_cover_every_pooled_document_and_subtopic(
        self, collection: Collection, qrels: Grades
    ) -> None:
        rows = read_rows(collection.diversity)
        subtopics = [(topic, subtopic) for topic, subtopic, _ in read_table(collection.subtopics)]
        assert {(topic, subtopic, doc) for topic, subtopic, doc, _ in rows} == {
            (topic, subtopic, doc) for topic, subtopic in subtopics for doc in qrels[topic]
        }
        assert len(rows) == sum(len(qrels[topic]) for topic, _ in subtopics)
        assert {grade for *_, grade in rows} == {"0", "1"}

    def test_the_relevant_documents_are_those_that_cover_a_subtopic(
        self, collection: Collection, qrels: Grades
    ) -> None:
        covering = {(topic, doc) for topic, _, doc, grade in read_rows(collection.diversity) if grade == "1"}
        relevant = {(topic, doc) for topic, grades in qrels.items() for doc, grade in grades.items() if grade > 0}
        assert covering == relevant


class TestStory:
    def test_pooled_runs_have_no_holes_in_their_top_ten(
        self, qrels: Grades, runs: dict[str, Rankings], pooled: list[str]
    ) -> None:
        assert {run: holes(qrels, runs[run]) for run in pooled} == dict.fromkeys(pooled, 0)

    def test_later_runs_have_at_least_two_holes_per_topic(
        self, qrels: Grades, runs: dict[str, Rankings], later: list[str]
    ) -> None:
        assert len(later) == 3
        assert all(holes(qrels, runs[run]) >= 2 * len(qrels) for run in later)

    def test_later_runs_find_relevant_documents_outside_the_pool(
        self, qrels: Grades, truth: Grades, runs: dict[str, Rankings], later: list[str]
    ) -> None:
        for run in later:
            outside = [
                doc
                for topic, docs in runs[run].items()
                for doc in docs[:10]
                if truth[topic][doc] > 0 and doc not in qrels[topic]
            ]
            assert len(outside) >= len(qrels) / 2

    def test_later_runs_look_worse_than_they_are_and_pooled_runs_better(
        self, qrels: Grades, truth: Grades, runs: dict[str, Rankings], later: list[str], pooled: list[str]
    ) -> None:
        assert all(mean_ndcg(qrels, runs[run]) < mean_ndcg(truth, runs[run]) for run in later)
        assert all(mean_ndcg(qrels, runs[run]) > mean_ndcg(truth, runs[run]) for run in pooled)

    def test_the_pair_named_in_the_readme_swaps(
        self, collection: Collection, qrels: Grades, truth: Grades, runs: dict[str, Rankings]
    ) -> None:
        assert "`later-neural-large` falls behind `dogwood-fused`" in collection.readme.read_text(encoding="utf-8")
        new, old = runs["later-neural-large"], runs["dogwood-fused"]
        assert mean_ndcg(qrels, new) < mean_ndcg(qrels, old)
        assert mean_ndcg(truth, new) > mean_ndcg(truth, old)

    def test_pooled_runs_keep_their_order(
        self, qrels: Grades, truth: Grades, runs: dict[str, Rankings], pooled: list[str]
    ) -> None:
        for a, b in combinations(pooled, 2):
            better_when_judged = mean_ndcg(qrels, runs[a]) > mean_ndcg(qrels, runs[b])
            better_in_truth = mean_ndcg(truth, runs[a]) > mean_ndcg(truth, runs[b])
            assert better_when_judged == better_in_truth, (a, b)

    def test_runs_differ_clearly_in_quality(self, truth: Grades, runs: dict[str, Rankings]) -> None:
        scores = {name: mean_ndcg(truth, run) for name, run in runs.items()}
        assert min(scores, key=scores.__getitem__) == "elm-weak"
        assert max(scores.values()) - min(scores.values()) > 0.4

    def test_the_near_copy_shares_nine_of_ten_documents_but_is_no_duplicate(self, runs: dict[str, Rankings]) -> None:
        original, copy = runs["acorn-keyword"], runs["acorn-keyword-again"]
        shared = sum(len(set(original[topic][:10]) & set(copy[topic][:10])) for topic in original)
        assert shared >= 9 * len(original)
        assert original != copy

    def test_relevant_documents_share_more_words_with_each_other_than_with_the_rest(
        self, collection: Collection, truth: Grades
    ) -> None:
        docs = [json.loads(line) for line in collection.docs.read_text(encoding="utf-8").splitlines()]
        words = {doc["doc_id"]: set(doc["text"].lower().replace(".", "").split()) for doc in docs}

        def overlap(a: str, b: str) -> float:
            return len(words[a] & words[b]) / len(words[a] | words[b])

        for grades in truth.values():
            relevant = [doc for doc, grade in grades.items() if grade > 0]
            rest = [doc for doc, grade in grades.items() if grade == 0]
            together = [overlap(a, b) for a, b in combinations(relevant, 2)]
            apart = [overlap(a, b) for a in relevant for b in rest]
            assert sum(together) / len(together) > sum(apart) / len(apart)
