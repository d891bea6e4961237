"""Diversity judgments: one row for each document, with a judgment for each of its subtopics."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.data.pool import Pool, with_pool
from unjudged.data.qrels import Qrels, build_qrels, has_several_subtopics, repeated_judgments
from unjudged.data.subtopics import Subtopics
from unjudged.io.table_columns import coded
from unjudged.limits import NegativeGrades

Line = tuple[str, str, str, int]

lines = st.lists(
    st.tuples(
        st.sampled_from(["1", "2"]), st.sampled_from(["10", "2", "x"]), st.sampled_from("abc"), st.integers(-1, 3)
    ),
    min_size=1,
    max_size=15,
    unique_by=lambda line: line[:3],
)


def built(given_lines: list[Line], negative: NegativeGrades = "pooled") -> tuple[Qrels, list[int]]:
    topics, subtopics, docs, grades = (list(column) for column in zip(*given_lines, strict=True))
    values = np.array(grades, dtype=np.int64)
    qrels, origin = build_qrels(coded(topics), Ids.of(docs), values, subtopics=coded(subtopics), negative=negative)
    return qrels, origin.tolist()


def of(qrels: Qrels) -> Subtopics:
    assert qrels.subtopics is not None
    return qrels.subtopics


def read_back(qrels: Qrels) -> list[Line]:
    """The lines that judgments stand for, in their own order."""
    subtopics = of(qrels)
    out = []
    for doc, number, grade, judged in zip(
        subtopics.docs.tolist(), subtopics.numbers.tolist(), subtopics.grades.tolist(), subtopics.judged, strict=True
    ):
        topic = int(qrels.topic_of_row[doc])
        assert subtopics.topics[number] == topic
        assert subtopics.offsets[topic] <= number < subtopics.offsets[topic + 1]
        out.append((qrels.topics[topic], subtopics.names[number], qrels.docs[doc], grade if judged else -1))
    return out


@given(lines)
def test_nothing_is_lost_and_origins_are_right(given_lines: list[Line]) -> None:
    qrels, origin = built(given_lines)
    assert read_back(qrels) == [given_lines[i] for i in origin]
    assert sorted(origin) == list(range(len(given_lines)))
    order = list(zip(of(qrels).docs.tolist(), of(qrels).numbers.tolist(), strict=True))
    assert order == sorted(order)


@given(lines)
def test_a_document_has_its_highest_grade(given_lines: list[Line]) -> None:
    qrels, _ = built(given_lines)
    for topic in qrels.topics:
        grades: dict[str, int] = {}
        for one, _, doc, grade in given_lines:
            if one == topic and grade >= 0:
                grades[doc] = max(grade, grades.get(doc, 0))
        assert qrels.judgments(topic) == grades
    assert len(qrels) == len({(topic, doc) for topic, _, doc, _ in given_lines})


@given(lines)
def test_dropped_lines_are_as_if_they_were_not_there(given_lines: list[Line]) -> None:
    kept = [line for line in given_lines if line[3] >= 0]
    qrels, origin = built(given_lines, "drop")
    assert [given_lines[i] for i in origin] == read_back(qrels)
    assert sorted(read_back(qrels)) == sorted(kept)


@given(lines)
def test_numbers_do_not_depend_on_the_order_of_lines(given_lines: list[Line]) -> None:
    """They follow names, 2 before 10, within topics in their own order."""
    qrels, _ = built(given_lines)
    for i, topic in enumerate(qrels.topics):
        names = of(qrels).names[of(qrels).offsets[i] : of(qrels).offsets[i + 1]]
        assert list(names) == [one for one in ("2", "10", "x") if any(line[:2] == (topic, one) for line in given_lines)]


@given(lines, st.integers(1, 3))
def test_covered_subtopics(given_lines: list[Line], rel: int) -> None:
    qrels, _ = built(given_lines)
    subtopics = of(qrels)
    covered = {
        (qrels.topics[int(subtopics.topics[number])], subtopics.names[number])
        for number in np.flatnonzero(subtopics.covered(rel)).tolist()
    }
    assert covered == {(topic, subtopic) for topic, subtopic, _, grade in given_lines if grade >= rel}


def test_subtopics_are_numbered_by_size_however_many_digits_they_have() -> None:
    """Python turns no more than 4,300 digits into a number."""
    ascending = ["0", "00", "01", "1", "2", "10", "9" * 4301, "1" + "0" * 4301, "2" + "0" * 4301, "-1", "x", "²"]
    qrels, _ = built([("1", name, "a", 1) for name in reversed(ascending)])
    assert [of(qrels).names[number] for number in of(qrels).numbers.tolist()] == ascending


def test_repeated_judgments_are_those_of_one_subtopic() -> None:
    twice = [("1", "x", "a", 1), ("2", "x", "a", 1), ("1", "y", "a", 0), ("1", "x", "b", 0), ("1", "x", "a", 2)]
    qrels, origin = built(twice)
    assert [(origin[again], origin[first]) for again, first in repeated_judgments(qrels)] == [(4, 0)]
    assert repeated_judgments(built(twice[:-1])[0]).tolist() == []


def test_diversity_is_told_by_a_document_with_two_subtopics() -> None:
    def several(*rows: tuple[str, str, str]) -> bool:
        topics, subtopics, docs = (list(column) for column in zip(*rows, strict=True))
        return has_several_subtopics(coded(topics), Ids.of(docs), coded(subtopics))

    assert several(("1", "x", "a"), ("1", "y", "a"))
    assert not several(("1", "x", "a"), ("2", "y", "a"))
    assert not several(("1", "x", "a"), ("1", "x", "a"))


@given(lines)
def test_a_pool_moves_no_judgment(given_lines: list[Line]) -> None:
    qrels, _ = built(given_lines)
    docs = ["new", "a", "zz", "new"]
    pooled = with_pool(qrels, Pool(coded(["2", "1", "1", "3"]), Ids.of(docs)))
    assert sorted(read_back(pooled)) == sorted(read_back(qrels))
    assert pooled.grade_counts() == qrels.grade_counts()
    order = list(zip(of(pooled).docs.tolist(), of(pooled).numbers.tolist(), strict=True))
    assert order == sorted(order)
