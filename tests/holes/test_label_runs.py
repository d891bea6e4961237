"""labels(FILE): how it is run, in Python and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from labelled_collections import MEASURES, collection, score

import unjudged as uj
from unjudged.cli import main
from unjudged.holes import Labels
from unjudged.measures import measures

Command = Callable[..., tuple[int, str, str]]


def test_the_file_is_read_once_whatever_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from unjudged.holes import labels as module

    qrels, labels, runs = collection(6)
    file = tmp_path / "labels.txt"
    file.write_text(
        "".join(f"{topic} 0 {doc} {grade}\n" for topic, docs in labels.items() for doc, grade in docs.items())
    )
    read, seen = module.read_qrels, []
    monkeypatch.setattr(module, "read_qrels", lambda source, **how: seen.append(source) or read(source, **how))
    score(qrels, runs, MEASURES, [Labels(file=file), "condensed"], jobs=4)
    assert seen == [str(file)]


def test_threads_and_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, labels, runs = collection(7, topics=30)
    first = score(qrels, runs, MEASURES, Labels.of(labels), jobs=1).to_json(per_topic=True)
    assert score(qrels, runs, MEASURES, Labels.of(labels), jobs=4).to_json(per_topic=True) == first
    monkeypatch.setattr("unjudged.engine.numerics.scoring.BLOCK_ROWS", 16)
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
        "high": None, "judged": 0.25, "labelled": 0.25, "rests_on_labels": 0.5, "range": None,
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
