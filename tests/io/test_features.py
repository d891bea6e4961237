"""Features: what may be given, and what is refused, each with one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.io.features import expand_features

LINES = "1 a 0.5\n1 b -2\n2 a 3e2\n"
VALUES = {"1": {"a": 0.5, "b": -2.0}, "2": {"a": 300.0}}


def values(given: Any) -> dict[str, dict[str, float]]:
    (source,) = expand_features(given)
    run = source.read()
    return {topic: dict(run.ranking(topic)) for topic in run.topics}


def test_a_feature_may_be_a_file_a_run_a_dict_tuples_or_a_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [(topic, doc, value) for topic, docs in VALUES.items() for doc, value in docs.items()]
    file, run = tmp_path / "three.txt", tmp_path / "six.run"
    file.write_text(LINES)
    run.write_text("".join(f"{topic} Q0 {doc} 1 {value} tag\n" for topic, doc, value in rows))
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for given in (file, str(file), run, VALUES, rows, frame, [VALUES], {"mine": VALUES}):
        assert values(given) == VALUES


def test_several_features_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "similarity.txt").write_text(LINES)
    given = [str(tmp_path / "similarity.txt"), VALUES, VALUES]
    assert [one.called for one in expand_features(given)] == ["similarity", "feature.1", "feature.2"]
    assert [one.called for one in expand_features({"one": VALUES, "two": VALUES})] == ["one", "two"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 a\n", "f.txt:1: expected 3 columns (topic doc value) or those of a run, got 2: '1 a'"),
        (
            "1 0 a 1\n",
            "f.txt:1: expected 3 columns (topic doc value) or those of a run, got 4"
            " (are these judgments? evidence(labels=FILE) takes labels): '1 0 a 1'",
        ),
        ("1 a 1\n1 b\n", "f.txt:2: expected 3 columns, got 2: '1 b'"),
        ("1 a one\n", "f.txt:1: the value is not a number: 'one'"),
        ("1 a 1\n\n1 b inf\n", "f.txt:3: the value is not a finite number: inf"),
        ("1 a nan\n", "f.txt:1: the value is not a finite number: nan"),
        ("1 a 1\n2 a 1\n1 a 2\n", "f.txt:3: document 'a' has two values for topic '1' (first in line 1); leave one"),
        ("\n# nothing\n", "f.txt: there is no data, only comments or blank lines"),
    ],
)
def test_bad_lines_are_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.txt").write_text(lines)
    with pytest.raises(uj.InputError) as caught:
        values("f.txt")
    assert str(caught.value) == message


def test_what_is_no_feature_is_refused() -> None:
    for given, message in (
        (3, "cannot read features from int"),
        ([], "no features were given"),
        ({"1": {"a": float("nan")}}, "feature: the score of topic '1', document 'a' is not a finite number: nan"),
    ):
        with pytest.raises(uj.InputError) as caught:
            values(given)
        assert str(caught.value) == message
