"""labels(FILE): another judge's grades for what nobody judged."""

from __future__ import annotations

import gzip
import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.api import read_holes
from unjudged.cli import main
from unjudged.data.scores import ScoreRow, Scores
from unjudged.errors import InputError, SpecError, UnjudgedWarning
from unjudged.holes import Bootstrap, Labels, hole_models
from unjudged.measures import measures

Judgments = dict[str, dict[str, int]]
Command = Callable[..., tuple[int, str, str]]
Runs = dict[str, dict[str, dict[str, float]]]

MEASURES = ["nDCG@5", "AP", "P@3", "R@10", "RR", "RBP", "ERR@5", "Q", "Bpref", "infAP", "Rprec", "SetF", "NumRelRet"]
MEASURES += ["AP(judged_only=True)", "nDCG(judged_only=True)@3", "Judged@5", "GMAP", "Accuracy"]


def collection(seed: int, *, topics: int = 6, docs: int = 25) -> tuple[Judgments, Judgments, Runs]:
    """Judgments, another judge's labels (some for judged documents, some for documents nobody returned), two runs."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(docs)]
    qrels = {f"t{t}": {doc: rng.randrange(4) for doc in rng.sample(names, 10)} for t in range(topics)}
    qrels["t0"][rng.choice(names)] = 3  # the whole scale, in both
    labels = {topic: {doc: rng.randrange(4) for doc in rng.sample(names, 12)} for topic in qrels}
    labels["t1"].update({f"x{i}": 3 for i in range(2)})
    runs = {
        name: {topic: {doc: rng.random() for doc in rng.sample(names, 15)} for topic in qrels} for name in ("a", "b")
    }
    del runs["b"]["t2"]
    return qrels, labels, runs


def merged(qrels: Judgments, labels: Judgments) -> Judgments:
    """The definition in one line: the judgment where there is one, else the label."""
    return {topic: {**labels.get(topic, {}), **judged} for topic, judged in qrels.items()}


def score(qrels: object, runs: object, wanted: object, holes: object, **options: object) -> Scores:
    """Scores with warnings kept in the result only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        return uj.score(qrels, runs, wanted, holes=holes, **options)  # type: ignore[arg-type]


def rows(scores: Scores) -> dict[tuple[str, str, str], ScoreRow]:
    return {(row.run, row.topic, row.measure): row for row in [*scores.mean(), *scores.per_topic()]}


def codes(scores: Scores) -> list[str]:
    return [notice.code for notice in scores.warnings]


# ---- values


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_against_judgments_completed_by_the_labels(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    ours = rows(score(qrels, runs, MEASURES, Labels.of(labels)))
    plain = rows(score(merged(qrels, labels), runs, MEASURES, "nonrelevant"))
    assert ours.keys() == plain.keys()
    for key, row in plain.items():
        assert ours[key].value == pytest.approx(row.value, abs=1e-12), key


@pytest.mark.filterwarnings("ignore:.*no document that was pooled")
def test_every_measure_agrees_with_merged_judgments() -> None:
    qrels, labels, runs = collection(99)
    plain = [cls for cls in measures if not cls.needs]
    every = [cls(**({cls.at: 5} if cls.at == "cutoff" else {cls.at: 0.5} if cls.at else {})) for cls in plain]
    ours = rows(score(qrels, runs, every, Labels.of(labels)))
    for key, row in rows(score(merged(qrels, labels), runs, every, "nonrelevant")).items():
        assert ours[key].value == pytest.approx(row.value, abs=1e-12), key


@pytest.mark.parametrize("seed", range(5))
def test_the_share_that_rests_on_labels_is_what_is_lost_when_labelled_documents_have_grade_0(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    wanted = ["P@5", "RBP(max_grade=3)", "RR", "SDCG(max_grade=3)@5"]  # not divided by R or an ideal ranking
    ours = rows(score(qrels, runs, wanted, Labels.of(labels)))
    zeros = {topic: dict.fromkeys(docs, 0) for topic, docs in labels.items()}
    without = rows(score(merged(qrels, zeros), runs, wanted, "nonrelevant"))
    for key, row in ours.items():
        lost = without[key].value
        if row.value == 0:
            assert row.rests_on_labels is None
        else:
            assert row.rests_on_labels == pytest.approx((row.value - lost) / row.value, abs=1e-12), key
            assert 0 <= row.rests_on_labels <= 1


def test_the_ideal_ranking_is_the_same_with_and_without_the_labelled_documents() -> None:
    qrels, labels = {"1": {"a": 1}}, {"1": {"x": 1}}
    row = score(qrels, {"1": {"a": 2.0, "x": 1.0}}, "AP", Labels.of(labels)).mean()[0]
    assert row.value == 1.0
    assert row.rests_on_labels == 0.5  # of the two relevant documents one is left: AP 1/2


@pytest.mark.parametrize("seed", range(3))
def test_labelled_is_the_share_of_documents_graded_by_the_labels(seed: int) -> None:
    qrels, labels, runs = collection(seed)
    ours = rows(score(qrels, runs, ["nDCG@5", "AP"], Labels.of(labels)))
    for name, run in runs.items():
        for topic in qrels:
            ranking = sorted(run.get(topic, {}), key=lambda doc, of=run, at=topic: of[at][doc], reverse=True)
            for measure, depth in (("nDCG@5", 5), ("AP", None)):
                top, row = ranking[:depth], ours[name, topic, measure]
                if not top:
                    assert row.labelled is None
                    continue
                holes = [doc for doc in top if doc not in qrels[topic]]
                assert row.judged == pytest.approx(1 - len(holes) / len(top))
                assert row.labelled == pytest.approx(sum(doc in labels[topic] for doc in holes) / len(top))


def test_labels_for_other_documents_and_labels_of_0_change_no_precision() -> None:
    qrels, labels, runs = collection(3)
    plain = rows(score(qrels, runs, MEASURES[:8], "nonrelevant"))
    elsewhere = {topic: {f"y{i}": 0 for i in range(3)} for topic in qrels}
    zeros = {topic: dict.fromkeys(docs, 0) for topic, docs in labels.items()}
    for other in (elsewhere, zeros):
        for key, row in rows(score(qrels, runs, MEASURES[:8], Labels.of(other))).items():
            assert row.value == plain[key].value
            assert row.rests_on_labels in (0.0, None)


def test_a_label_never_overrides_a_judgment() -> None:
    qrels, _, runs = collection(4)
    same = {topic: {doc: 3 - grade for doc, grade in docs.items()} for topic, docs in qrels.items()}
    plain, ours = score(qrels, runs, MEASURES, "nonrelevant"), score(qrels, runs, MEASURES, Labels.of(same))
    assert [row.value for row in ours.per_topic()] == [row.value for row in plain.per_topic()]
    assert [notice.message for notice in ours.warnings if notice.code == "unused-labels"] == [
        f"labels: all {sum(map(len, same.values()))} labels are for judged documents; none is used"
    ]


def test_a_pooled_document_takes_its_label_and_a_label_below_0_is_none() -> None:
    qrels = uj.read_qrels([("1", "a", 1), ("1", "p", -1), ("1", "q", -1)])
    run = {"1": {"p": 3.0, "q": 2.0, "z": 1.0}}
    row = score(qrels, run, "P@3", Labels.of([("1", "p", 1), ("1", "q", -1), ("1", "z", -2)])).mean()[0]
    assert (row.value, row.judged, row.labelled) == (pytest.approx(1 / 3), 0.0, pytest.approx(1 / 3))


def test_diversity_judgments_and_labels_are_flattened() -> None:
    qrels = uj.read_qrels(pd.DataFrame({"query_id": ["1"] * 3, "subtopic": ["1", "2", "1"], "doc_id": ["a", "a", "b"],
                                        "relevance": [0, 1, 0]}))  # fmt: skip
    row = score(qrels, {"1": {"x": 2.0, "a": 1.0}}, "P@2", Labels.of({"1": {"x": 1}})).mean()[0]
    assert (row.value, row.labelled) == (1.0, 0.5)


def test_what_a_label_is_worth_can_be_said() -> None:
    qrels, run = {"1": {"a": 3, "b": 0}}, {"1": {"x": 2.0, "y": 1.0}}
    model = Labels.of({"1": {"x": 1, "y": 5}}, grades={1: 2, 5: 3})
    assert score(qrels, run, ["P(rel=2)@2", "P(rel=3)@2"], model).means.ravel().tolist() == [1.0, 0.5]


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
        ("1 0 x\n", "{file}:1: expected 4 (or 5, with strata) columns, got 3: '1 0 x'"),
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


# ---- how it is run


def test_the_file_is_read_once_whatever_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unjudged.holes import labels as module

    qrels, labels, runs = collection(6)
    file = tmp_path / "labels.txt"
    file.write_text(
        "".join(f"{topic} 0 {doc} {grade}\n" for topic, docs in labels.items() for doc, grade in docs.items())
    )
    read, seen = module.read_qrels, []
    monkeypatch.setattr(module, "read_qrels", lambda source: seen.append(source) or read(source))
    score(qrels, runs, MEASURES, [Labels(file=file), "condensed"], jobs=4)
    assert seen == [str(file)]


def test_threads_and_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, labels, runs = collection(7, topics=30)
    first = score(qrels, runs, MEASURES, Labels.of(labels), jobs=1).to_json(per_topic=True)
    assert score(qrels, runs, MEASURES, Labels.of(labels), jobs=4).to_json(per_topic=True) == first
    monkeypatch.setattr("unjudged.engine.scoring.BLOCK_ROWS", 16)
    assert score(qrels, runs, MEASURES, Labels.of(labels), jobs=2).to_json(per_topic=True) == first
    alone = score(qrels, {"a": runs["a"]}, MEASURES, Labels.of(labels), jobs=3)
    assert [row.value for row in alone.mean()] == [
        row["value"] for row in json.loads(first)["rows"][: 2 * len(MEASURES) : 2]
    ]


def test_a_model_that_was_not_prepared_reads_its_labels_itself() -> None:
    from unjudged.data.view import join
    from unjudged.holes import Settings

    qrels, labels, runs = collection(8)
    view = join(uj.read_run(runs["a"]), uj.read_qrels(qrels))
    estimate = Labels.of(labels).estimate(measures.parse("nDCG@5"), view, Settings())
    assert estimate.value.tolist() == score(qrels, runs["a"], "nDCG@5", Labels.of(labels)).values.ravel().tolist()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "labels.txt").write_text("1 0 x 1\n")
    (tmp_path / "old.run").write_text("1 Q0 a 1 3 old\n1 Q0 b 2 2 old\n2 Q0 c 1 1 old\n")
    (tmp_path / "new.run").write_text("1 Q0 x 1 3 new\n1 Q0 a 2 2 new\n2 Q0 y 1 1 new\n")
    return tmp_path


@pytest.fixture
def command(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """``unjudged score`` in that folder: exit code, output, errors."""
    monkeypatch.chdir(files)

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            main(["score", "qrels.txt", "old.run", "new.run", "-m", "P@2", *arguments])
            code = 0
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        return code, *capsys.readouterr()

    return run


def test_the_table_shows_what_rests_on_labels(command: Command) -> None:
    _, out, err = command("--holes", "labels(labels.txt)")
    assert out == (
        "run     P@2  judged@2  labelled@2  rests on labels\n"
        "---  ------  --------  ----------  ---------------\n"
        "old  0.5000    100.0%        0.0%             0.0%\n"
        "new  0.5000     25.0%       25.0%            50.0%\n"
    )
    assert err == (
        "warning: labels('labels.txt') mixes two judges in this comparison:"
        " 0.0% (old) to 50.0% (new) of P@2 rests on labels [mixed-labels]\n"
    )


def test_json_names_the_labels_and_their_file(command: Command) -> None:
    document = json.loads(command("--holes", "labels(labels.txt)", "-f", "json", "--quiet")[1])
    assert [(one["path"], one["role"], len(one["sha256"])) for one in document["inputs"]][-1] == (
        "labels.txt",
        "labels",
        64,
    )
    assert document["rows"][1] == {
        "run": "new", "topic": "all", "measure": "P@2", "holes": "labels('labels.txt')", "value": 0.5, "low": None,
        "high": None, "judged": 0.25, "labelled": 0.25, "rests_on_labels": 0.5,
    }  # fmt: skip


def test_a_mistake_on_the_command_line_is_one_line_and_exit_2(files: Path, command: Command) -> None:
    (files / "labels.txt").write_text("9 0 x 1\n")
    assert command("--holes", "labels(labels.txt)") == (
        2,
        "",
        "unjudged: labels.txt: no topic of these labels is judged (the labels have '9', the judgments have '1')\n",
    )


def test_rows_show_the_columns_about_labels_only_where_there_are_labels(files: Path) -> None:
    runs = [str(files / "old.run")]
    plain = repr(score(files / "qrels.txt", runs, "P@2", "nonrelevant").mean())
    ours = repr(score(files / "qrels.txt", runs, "P@2", Labels(file=files / "labels.txt")).mean())
    assert plain.splitlines()[0].split()[-1] == "judged"
    assert ours.splitlines()[0].split()[-2:] == ["labelled", "rests_on_labels"]


# ---- as a prior


def double_judged(seed: int = 1) -> tuple[Judgments, Judgments]:
    """Judgments with grades 0 to 2, and labels on a scale of their own that go with them."""
    rng = random.Random(seed)
    qrels = {f"t{t}": {f"d{i}": min(2, rng.randrange(4)) for i in range(90)} for t in range(4)}
    labels = {
        topic: {doc: 10 * grade + 10 * rng.randrange(2) for doc, grade in docs.items()} for topic, docs in qrels.items()
    }
    return qrels, labels


def informed(labels: Judgments, **options: object) -> Bootstrap:
    return Bootstrap(prior="labels", labels=Labels.of(labels).file, **options)  # type: ignore[arg-type]


def test_a_label_says_what_judged_documents_with_the_same_label_turned_out_to_be() -> None:
    qrels, labels = double_judged()
    labels["t0"]["x"], labels["t0"]["y"] = 10, 20
    scores = score(qrels, {"t0": {"x": 2.0, "y": 1.0}}, "DCG@2", informed(labels))
    found = scores.distribution("run", "t0")
    pairs = [(labels[t][d], grade) for t, docs in qrels.items() for d, grade in docs.items()]

    def chance(label: int, grade: int) -> float:
        given = [one for other, one in pairs if other == label]
        assert len(given) >= 30
        return (given.count(grade) + 1) / (len(given) + 3)

    wanted = [(a + b / np.log2(3), chance(10, a) * chance(20, b)) for a in range(3) for b in range(3)]
    assert found.exact
    assert found.weights is not None
    assert found.values.tolist() == pytest.approx([value for value, _ in wanted])
    assert found.weights.tolist() == pytest.approx([weight for _, weight in wanted])
    assert scores.mean()[0].labelled == 1.0
    assert scores.mean()[0].rests_on_labels is None


def test_documents_without_a_label_take_the_grades_of_the_pool() -> None:
    qrels, labels = double_judged()
    runs = {"a": {t: {"d1": 3.0, "x": 2.0, "y": 1.0} for t in qrels}}
    wanted = ["nDCG@3", "AP"]
    for method in ("auto", "draws"):
        plain = score(qrels, runs, wanted, Bootstrap(prior="pool", method=method))
        ours = score(qrels, runs, wanted, informed(labels, method=method))
        for name in ("values", "low", "high", "mean_low", "mean_high"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(plain, name))
        assert (ours.labelled == 0).all()


def test_draws_follow_the_exact_distribution_of_labelled_and_unlabelled_holes() -> None:
    qrels, labels = double_judged()
    qrels["t0"] = {doc: grade for doc, grade in qrels["t0"].items() if grade != 1}  # the pool of t0 lacks a grade
    labels["t0"] |= {"x": 0, "z": 20}
    run = {"t0": {"x": 3.0, "y": 2.0, "z": 1.0}}
    for order in ("rank", "doc"):
        exact = score(qrels, run, "nDCG@3", informed(labels, order=order)).distribution("run", "t0")
        drawn = score(qrels, run, "nDCG@3", informed(labels, order=order, method="draws", draws=20_000))
        assert exact.exact
        sample = drawn.distribution("run", "t0")
        assert sample.mean() == pytest.approx(exact.mean(), abs=4 * exact.std() / 20_000**0.5)
        assert sample.std() == pytest.approx(exact.std(), rel=0.03)


def test_a_label_that_few_judged_documents_have_says_nothing() -> None:
    qrels, labels = double_judged()
    labels["t0"] |= {"x": 99, "y": 77}
    run = {"t0": {"x": 2.0, "y": 1.0}}
    ours, plain = score(qrels, run, "nDCG@2", informed(labels)), score(qrels, run, "nDCG@2", Bootstrap(prior="pool"))
    assert ours.values.tolist() == plain.values.tolist()
    assert [(one.code, one.count, one.message) for one in ours.warnings if one.code == "few-labels"] == [
        (
            "few-labels",
            2,
            "labels: fewer than 30 judged documents have label 77, 99;"
            " documents with it are treated as if they had none",
        )
    ]
    with pytest.raises(InputError) as raised:
        score(qrels, run, "nDCG@2", informed({"t0": {"x": 1, "d1": 1}}))
    assert str(raised.value) == (
        "labels: no label is given to at least 30 judged documents,"
        " so nothing can be learned about what the labels mean"
    )


def test_a_prior_from_labels_does_not_depend_on_threads_or_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, labels = double_judged()
    rng = random.Random(2)
    names = [*(f"d{i}" for i in range(40)), *(f"x{i}" for i in range(20))]
    for topic in qrels:
        labels[topic] |= {f"x{i}": rng.choice([0, 10, 20]) for i in range(10)}
    runs = {name: {t: {doc: rng.random() for doc in rng.sample(names, 30)} for t in qrels} for name in "abc"}
    model = informed(labels, draws=50)
    first = score(qrels, runs, ["nDCG@10", "AP"], model, jobs=1).to_json(per_topic=True)
    monkeypatch.setattr("unjudged.engine.scoring.BLOCK_ROWS", 16)
    again = score(qrels, runs, ["nDCG@10", "AP"], model, jobs=4)
    assert again.to_json(per_topic=True) == first
    assert codes(again) == ["mixed-labels"]
    assert "of the documents that nDCG@10 looks at have a label" in again.warnings[0].message


def test_a_prior_from_labels_is_written_like_any_other_parameter() -> None:
    text = "bootstrap(prior='labels',labels='x.txt')"
    assert str(hole_models.parse("bootstrap(prior=labels, labels=x.txt)")) == text
    assert hole_models.parse(text) == Bootstrap(prior="labels", labels="x.txt")
    assert hole_models.parse(text).files() == ("x.txt",)
    for wrong in ("bootstrap(prior=labels)", "bootstrap(labels=x.txt)"):
        with pytest.raises(SpecError) as raised:
            hole_models.parse(wrong)
        assert str(raised.value) == "bootstrap: prior='labels' and labels=FILE go together"


# ---- real labels


@pytest.mark.shared
def test_the_agreement_in_the_documentation_is_what_the_files_say(shared_data: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine-labels.md").read_text(encoding="utf-8")
    dl19 = shared_data / "dl19"
    qrels = uj.read_qrels(dl19 / "2019qrels-pass.txt")
    for name in ("umbrella_gpt-4_zeroshot_dl19.txt.gz", "TREMA_Sun.qrel.gz"):
        counts: dict[int, list[int]] = {}
        with gzip.open(dl19 / "llm_labels" / name, "rt") as lines:
            for topic, _, doc, label in map(str.split, lines):
                grade = qrels.judgments(topic).get(doc)
                if grade is not None:
                    counts.setdefault(int(label), [0] * 4)[grade] += 1
        for label, by_grade in sorted(counts.items()):
            shares = " | ".join(f"{count / sum(by_grade):.0%}" for count in by_grade)
            assert f"| {label} | {sum(by_grade):,} | {shares} |" in page


@pytest.mark.shared
def test_real_labels_for_real_holes(shared_data: Path) -> None:
    dl19 = shared_data / "dl19"
    model = Labels(file=dl19 / "llm_labels" / "TREMA_Sun.qrel.gz", grades=((1, 2),))
    scores = score(dl19 / "2019qrels-pass.txt", dl19 / "later_runs", "nDCG@10", ["nonrelevant", model])
    assert codes(scores) == ["mixed-labels"]
    shares = {row.run: row.labelled for row in scores.mean() if row.holes == str(model)}
    assert shares["pyserini-BM25"] == 0.0
    assert shares["colbert-prf_prf_rank_beta1.2019"] == pytest.approx(0.0349, abs=1e-4)


def without_team(qrels: Judgments, mine: list[uj.Run], others: list[uj.Run]) -> Judgments:
    """Judgments without the documents that only one team has in its top 10."""
    kept = {}
    for topic, docs in qrels.items():
        tops = [{doc for run in runs for doc, _ in run.ranking(topic)[:10]} for runs in (mine, others)]
        kept[topic] = {doc: grade for doc, grade in docs.items() if doc not in tops[0] - tops[1]}
    return kept


@pytest.mark.shared
@pytest.mark.slow
def test_the_errors_in_the_documentation_are_what_comes_out(shared_data: Path) -> None:
    from scipy.stats import kendalltau

    dl19 = shared_data / "dl19"
    judged = uj.read_qrels(dl19 / "2019qrels-pass.txt")
    qrels = {topic: judged.judgments(topic) for topic in judged.topics}
    runs = uj.read_runs(dl19 / "runs")
    teams = dict(line.split()[:2] for line in (dl19 / "runs_teams.tsv").read_text().splitlines())
    truth = dict(zip([run.name for run in runs], score(qrels, runs, "nDCG@10", "nonrelevant").means[0, 0], strict=True))
    files = {"UMBRELA": "umbrella_gpt-4_zeroshot_dl19.txt.gz", "Sun": "TREMA_Sun.qrel.gz"}
    umbrela, sun = (Labels.of(uj.read_qrels(dl19 / "llm_labels" / file), name=name) for name, file in files.items())
    models = {
        "nonrelevant": "nonrelevant",
        "condensed": "condensed",
        "bootstrap": "bootstrap",
        "labels(UMBRELA)": umbrela,
        "bootstrap(prior=labels,labels=UMBRELA)": Bootstrap(prior="labels", labels=umbrela.file),
        "labels(Sun,grades={1: 2})": sun.replace(grades={1: 2}),
        "bootstrap(prior=labels,labels=Sun)": Bootstrap(prior="labels", labels=sun.file),
    }
    errors: list[np.ndarray] = []
    for team in sorted({teams[run.name] for run in runs}):
        mine = [run for run in runs if teams[run.name] == team]
        kept = without_team(qrels, mine, [run for run in runs if teams[run.name] != team])
        means = score(kept, mine, "nDCG@10", list(models.values())).means[:, 0]
        errors.append(np.abs(means - [truth[run.name] for run in mine]))
    new_team = np.concatenate(errors, axis=1)
    rng = random.Random(1)
    few = {topic: {doc: grade for doc, grade in docs.items() if rng.random() > 0.7} for topic, docs in qrels.items()}
    random_70 = score(few, runs, "nDCG@10", list(models.values())).means[:, 0]
    page = (Path(__file__).parents[2] / "docs" / "machine-labels.md").read_text(encoding="utf-8")
    for name, team_errors, means in zip(models, new_team, random_70, strict=True):
        numbers = [team_errors.mean(), team_errors.max(), np.abs(means - list(truth.values())).mean()]
        tau = kendalltau(means, list(truth.values())).statistic
        cells = [f"{number:.3f}"[1:] for number in numbers] + [f"{tau:.2f}"[1:]]
        assert f"| `{name}` | {' | '.join(cells)} |" in page
