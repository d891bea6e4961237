"""labels(FILE): the ways to give labels, what is wrong with some, and what users are told."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_collections import MEASURES, codes, collection, score

import unjudged as uj
from unjudged.api import read_holes
from unjudged.errors import InputError, SpecError
from unjudged.holes import Labels, hole_models

# ---- the ways in


def test_a_file_and_the_same_labels_in_memory_give_the_same(tmp_path: Path) -> None:
    qrels, labels, runs = collection(5)
    triples = [(topic, doc, grade) for topic, docs in labels.items() for doc, grade in docs.items()]
    file = tmp_path / "labels.txt"
    file.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in triples))
    frame = pd.DataFrame(triples, columns=["query_id", "doc_id", "relevance"])
    models = [
        Labels(file=file),
        f"labels({file})",
        Labels.of(frame, name="frame"),
        Labels.of(uj.read_qrels(labels), name="qrels"),
        Labels.of(triples),
        Labels.of(str(file)),
        uj.Labels(file=uj.read_qrels(labels)),
    ]
    values = [score(qrels, runs, MEASURES, model).values.tolist() for model in models]
    assert str(values) == str([values[0]] * len(values))


@pytest.mark.parametrize(
    "text", ["labels(x.txt)", "labels('x.txt')", 'labels( "x.txt" )', "labels(file=x.txt)", "labels(file='x.txt')"]
)
def test_a_path_may_be_quoted_or_bare_and_named_or_not(text: str) -> None:
    assert hole_models.parse(text) == Labels(file="x.txt")
    assert str(hole_models.parse(text)) == "labels('x.txt')"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("labels(a b/c=d,e.txt)", None),
        ("labels(dir.a=1/x.txt)", Labels(file="dir.a=1/x.txt")),
        ("labels('a b/c=d,e.txt')", Labels(file="a b/c=d,e.txt")),
        ("labels(x(1).txt, grades={1: 2})", Labels(file="x(1).txt", grades={1: 2})),
        ("labels(grades={1: 2}, x)", Labels(file="x", grades={1: 2})),
        ("labels(ir_datasets:a/b)", Labels(file="ir_datasets:a/b")),
        ("labels(user@host)", Labels(file="user@host")),
    ],
)
def test_odd_paths(text: str, model: Labels | None) -> None:
    if model is None:
        with pytest.raises(SpecError):
            hole_models.parse(text)
    else:
        assert hole_models.parse(text) == model


paths = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(paths, st.none() | st.dictionaries(st.integers(-3, 9), st.integers(0, 9), min_size=1))
def test_what_is_printed_can_be_read_back(path: str, grades: dict[int, int] | None) -> None:
    model = Labels(file=path, grades=grades)  # type: ignore[arg-type]
    assert hole_models.parse(str(model)) == model
    assert hash(hole_models.parse(str(model))) == hash(model)


def test_models_in_memory_are_hashable_and_printable() -> None:
    model = Labels.of({"1": {"a": 1}}, name="gpt-4", grades={1: 2})
    assert str(model) == "labels('gpt-4',grades={1: 2})"
    assert len({model, model, Labels.of({"1": {"a": 1}})}) == 2
    assert read_holes([model, model]) == [model]
    assert (model.files(), Labels(file="x").files()) == ((), ("x",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels", "labels needs file (the other judge's grades, in any form that judgments may have), as in "
         "labels(file=...)"),
        ("labels(1)", "labels: file must be a file or judgments, not 1"),
        ("labels('')", "labels: file must be a file or judgments, not ''"),
        ("labels(x,y)", "cannot read 'y' in 'labels(x,y)'; parameters look like rel=2"),
        ("labels(x,file=y)", "file is given twice in 'labels(x,file=y)'"),
        ("labels(x,)", "cannot read '' in 'labels(x,)'; parameters look like rel=2"),
        ("labels(x,grades={1: -1})", "labels: grades must be a grade for each other grade such as {1: 2}, not {1: -1}"),
        ("labels(x,grades={[]: 1})", "labels: grades must be a grade for each other grade such as {1: 2}, not "
         "'{[]: 1}'"),
        ("labels([])", "labels: file must be a file or judgments, not []"),
        ("labels(x)@5", "labels takes no '@'"),
        ("condensed(x)", "cannot read 'x' in 'condensed(x)'; parameters look like rel=2"),
    ],
)  # fmt: skip
def test_explains_what_is_wrong_with_a_model(text: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        hole_models.parse(text)
    assert str(raised.value) == message


def test_labels_from_something_else_are_refused() -> None:
    with pytest.raises(InputError, match="cannot read labels from int; give a path, a dict of dicts or a frame"):
        Labels.of(3)
    with pytest.raises(InputError, match="gpt-4: document 'a' is judged twice for topic '1'"):
        Labels.of([("1", "a", 1), ("1", "a", 0)], name="gpt-4")


# ---- bad input and warnings


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("7 0 x 1\n", "{file}: no topic of these labels is judged (the labels have '7', the judgments have '1')"),
        ("1 0 x 3\n", "{file}: labels go up to 3, the judgments up to 2; say what they are worth, as in "
         "labels('{file}',grades={{3: 2}})"),
        ("1 0 x\n", "{file}:1: expected 4 (or 5, with strata) columns, got 3 (lines of judgments are 'topic 0"
         " doc grade'; CSV and JSON lines name their columns): '1 0 x'"),
        ("1 0 x 1\n1 0 x 0\n", "{file}:2: document 'x' is judged twice, with different grades, for topic '1' (first in "
         "line 1); 1 duplicate in all, `unjudged doctor` lists them"),
        ("1 0 x -1\n7 0 x 1\n", "{file}: all labels of judged topics are below 0, so there is none to use"),
        ("", "{file}: the file is empty"),
        (None, "{file}: no such file"),
    ],
)  # fmt: skip
def test_bad_labels_are_one_line(tmp_path: Path, labels: str | None, message: str) -> None:
    file = tmp_path / "labels.txt"
    if labels is not None:
        file.write_text(labels)
    with pytest.raises(InputError) as raised:
        score({"1": {"a": 2, "b": 0}}, {"1": {"a": 1.0}}, "P@1", Labels(file=file))
    assert str(raised.value) == message.format(file=file)


def test_json_lines_are_grades_of_one_judge(tmp_path: Path) -> None:
    file, qrels, run = tmp_path / "labels.jsonl", {"1": {"a": 2, "b": 0}}, {"1": {"x": 2.0, "a": 1.0}}
    lines = ['{"topic": "1", "doc": "x", "grade": 2}', '{"topic": "7", "doc": "y", "grade": 1}']
    file.write_text("\n".join(lines))
    scores = score(qrels, run, "P@2", Labels(file=file))
    assert scores.means.item() == 1.0
    assert [one.message for one in scores.warnings] == [f"{file}: 1 label of topics that are not judged; left out"]
    other = '{"topic": "1", "doc": "z", "grade": GRADE, "source": "crowd"}'
    for grade, problem in (
        ("1", "2 judges have labels here: labels, crowd; grades are those of one"),
        ("0.5", "labels have fractions, so they are no grades"),
    ):
        kept = lines[:1] if grade == "1" else []
        file.write_text("\n".join([*kept, other.replace("GRADE", grade)]))
        with pytest.raises(InputError) as raised:
            score(qrels, run, "P@2", Labels(file=file))
        assert str(raised.value) == f"{file}: {problem}; evidence(labels={str(file)!r}) takes them as evidence"


def test_labels_for_unknown_topics_are_counted_and_left_out() -> None:
    scores = score({"1": {"a": 1}}, {"1": {"x": 1.0}}, "P@1", Labels.of({"1": {"x": 1}, "7": {"x": 9}, "8": {"y": 9}}))
    assert scores.means.item() == 1.0
    assert [(one.code, one.count, one.message) for one in scores.warnings] == [
        ("unknown-label-topics", 2, "labels: 2 of 3 topics of these labels are not judged; they are left out")
    ]


def test_a_shorter_scale_is_pointed_out_until_the_user_says_what_it_means() -> None:
    qrels, run, labels = {"1": {"a": 3}}, {"1": {"x": 1.0}}, {"1": {"x": 1, "y": 0}}
    scores = score(qrels, run, "P@1", Labels.of(labels, name="binary"))
    assert [(one.code, one.count, one.message) for one in scores.warnings] == [
        (
            "label-scale",
            2,
            "binary: labels go up to 1, the judgments up to 3; a label counts as the same grade unless you say what it"
            " is worth, as in labels('binary',grades={1: 3})",
        )
    ]
    assert codes(score(qrels, run, "P@1", Labels.of(labels, grades={1: 1}))) == []


def test_a_comparison_of_two_judges_is_pointed_out() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"judged": {"1": {"a": 2.0, "b": 1.0}}, "new": {"1": {"a": 3.0, "x": 2.0}}, "bad": {"1": {"z": 1.0}}}
    model = Labels.of({"1": {"x": 1}}, name="gpt-4")
    scores = score(qrels, runs, ["P@2", "RR"], ["nonrelevant", model])
    assert [(one.code, one.count, one.message) for one in scores.warnings] == [
        (
            "mixed-labels",
            1,
            "labels('gpt-4') mixes two judges in this comparison: 0.0% (judged) to 50.0% (new) of P@2 rests on labels",
        )
    ]
    assert codes(score(qrels, {"new": runs["new"]}, "P@2", model)) == []  # nothing is compared
    assert codes(score(qrels, {name: runs[name] for name in ("judged", "bad")}, "P@2", model)) == []  # nothing is mixed
    shares = [(row.run, row.labelled, row.rests_on_labels) for row in scores.mean() if row.measure == "P@2"]
    assert shares == [("judged", None, None), ("new", None, None), ("bad", None, None),
                      ("judged", 0.0, 0.0), ("new", 0.5, 0.5), ("bad", 0.0, None)]  # fmt: skip
