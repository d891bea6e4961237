"""Files that keep releases: they only grow, and what is not as it should be is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged.errors import InputError
from unjudged.io.history_file import append_release, read_history
from unjudged.results.history import Corners, EarlierRelease, JudgmentChanges, Release, ScoreOf
from unjudged.results.provenance import Input
from unjudged.wording import json_text

A_RELEASE = Release(
    release="v1",
    date="2024-12-09",
    run="bm25",
    topics=2,
    judgments=5,
    topics_sha256="ab",
    inputs=(Input("qrels.txt", "cd", "qrels"), Input("old.run", None, "run")),
    seed=42,
    version="1.0",
    command=("unjudged", "history", "add"),
    scores=(ScoreOf("P@2", "nonrelevant", 0.5, None, None, None, 0.75),),
    previous=EarlierRelease(
        "v0", (Corners("P@2", "nonrelevant", 2, 0.1, None, 0.3, 0.4, 0.5),), JudgmentChanges(1, 2, 3), "gone"
    ),
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
scores = st.builds(
    ScoreOf, texts, texts, numbers, numbers, numbers, st.sampled_from([None, "bounds", "interval"]), numbers
)
corners = st.builds(Corners, texts, texts, st.integers(0, 9), numbers, numbers, numbers, numbers, numbers)
counts = st.builds(JudgmentChanges, *[st.integers(0, 9)] * 3)
earlier = st.builds(EarlierRelease, texts, st.lists(corners, max_size=2).map(tuple), st.none() | counts, texts)
releases = st.builds(
    Release,
    release=texts,
    date=st.none() | st.dates().map(str),
    run=texts,
    topics=st.integers(0, 9),
    judgments=st.integers(0, 9),
    topics_sha256=texts,
    inputs=st.lists(st.builds(Input, texts, st.none() | texts, st.sampled_from(["qrels", "run"])), max_size=2).map(
        tuple
    ),
    seed=st.integers(0, 2**70),
    version=texts,
    command=st.lists(texts, max_size=2).map(tuple),
    scores=st.lists(scores, max_size=2).map(tuple),
    previous=st.none() | earlier,
)


@given(st.lists(releases, max_size=4, unique_by=lambda one: one.release))
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, written: list[Release]) -> None:
    path = str(tmp_path_factory.mktemp("history") / "h.jsonl")
    for number, one in enumerate(written, start=1):
        append_release(path, one)
        assert Path(path).read_bytes().count(b"\n") == number
    assert read_history(path, must_exist=False) == written


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    append_release(str(path), A_RELEASE)
    before = path.read_bytes()
    append_release(str(path), replace(A_RELEASE, release="v2"))
    assert path.read_bytes().startswith(before)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))  # some editors take the last line feed away
    append_release(str(path), replace(A_RELEASE, release="v3"))
    assert [one.release for one in read_history(str(path))] == ["v1", "v2", "v3"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "h.jsonl")
    append_release(str(tmp_path / "link"), A_RELEASE)
    assert (tmp_path / "link").is_symlink()
    assert read_history(str(tmp_path / "h.jsonl")) == [A_RELEASE]


_ADDING = """
import sys
from dataclasses import replace
from tests.io.test_history_file import A_RELEASE
from unjudged.io.history_file import append_release
for number in range(25):
    append_release(sys.argv[1], replace(A_RELEASE, release=f"{sys.argv[2]} {number}", run="x" * 50_000))
"""


def test_processes_may_add_at_the_same_time(tmp_path: Path) -> None:
    path = str(tmp_path / "h.jsonl")
    adding = [subprocess.Popen([sys.executable, "-c", _ADDING, path, name]) for name in ("a", "b", "c")]
    assert [one.wait() for one in adding] == [0, 0, 0]
    names = [one.release for one in read_history(path)]
    assert sorted(names) == sorted(f"{name} {number}" for name in "abc" for number in range(25))


LINE: dict[str, Any] = {}


def line(**changed: Any) -> str:
    """A line, with some fields changed; those that are ... are left out."""
    if not LINE:
        from unjudged.io.history_file import _as_line

        LINE.update(_as_line(A_RELEASE))
    return json_text({name: one for name, one in (LINE | changed).items() if one is not ...}, indent=None) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 d1 1\n", "1: this is no line of a history that unjudged wrote: 'q1 0 d1 1'"),
        ("[]\n", "1: this is no line of a history that unjudged wrote: '[]'"),
        ('{"a": 1}\n', "1: this is no line of a history that unjudged wrote: '{\"a\": 1}'"),
        ("{" * 20_000, "1: the last line is cut off; delete it, or take the file from version control"),
        (line() + line(release="v2")[:-30], "2: the last line is cut off; delete it, or take the file from version"),
        (line()[:-30] + "\n" + line(release="v2"), "1: this is no line of a history that unjudged wrote"),
        (line() + line(unjudged_history=2), "2: this line has format 2, and this version of unjudged reads up to 1"),
        (line() + "\n" + line(), "3: release 'v1' is on line 1, too; rename one"),
        (line() + "<<<<<<< HEAD\n", "2: git left a conflict here; keep the releases of both sides, and delete such"),
        (line(scores=...), "1: scores is to be a list, not None"),
        (line(scores=[3]), "1: scores is to be an object, not 3"),
        (line(topics="2"), "1: topics is to be a whole number, not '2'"),
        (line(topics=True), "1: topics is to be a whole number, not True"),
        (line(release=3), "1: release is to be text, not 3"),
        (line(date="yesterday"), "1: date is to be a date such as 2024-12-09, not 'yesterday'"),
        (line(previous={"release": "v0"}), "1: previous.corners is to be a list, not None"),
        (line(inputs=[{"path": "a", "role": "king"}]), "1: inputs.role is to be one of qrels, run"),
        (line().replace("0.75", "1e999"), "1: scores.judged is to be a number, not inf"),
        (line().replace("0.75", "NaN"), "1: scores.judged is to be a number, not nan"),
        (line().replace("0.75", "1" + "0" * 400), "1: scores.judged is to be a number, not 1000"),
        (line().replace("bm25", "\0"), "1: this is binary data, not text"),
    ],
)
def test_what_is_no_history_is_refused_and_not_touched(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "h.jsonl"
    path.write_text(text)
    for asked in (
        lambda: read_history(str(path)),
        lambda: append_release(str(path), replace(A_RELEASE, release="new")),
    ):
        with pytest.raises(InputError) as found:
            asked()
        assert str(found.value).startswith(f"{path}:{message}")
        assert "\n" not in str(found.value)
    assert path.read_text() == text


def test_fields_of_later_versions_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_text(line(colour="red"))
    assert read_history(str(path)) == [A_RELEASE]
    assert json.loads(line())["unjudged_history"] == 1


def test_the_same_release_is_not_added_twice(tmp_path: Path) -> None:
    path = str(tmp_path / "h.jsonl")
    append_release(path, A_RELEASE)
    with pytest.raises(InputError) as found:
        append_release(path, A_RELEASE)
    said = "release 'v1' is there already; --release NAME gives the new one another name"
    assert str(found.value) == f"{path}:1: {said}"


def test_files_that_cannot_hold_one(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path, f"{tmp_path}: this is a directory; a history is a file"),
        (Path("/dev/null"), "/dev/null: this is no ordinary file; a history is a file"),
    ):
        for asked in (lambda at=path: read_history(str(at)), lambda at=path: append_release(str(at), A_RELEASE)):
            with pytest.raises(InputError) as found:
                asked()
            assert str(found.value) == message
    with pytest.raises(InputError, match="no such file"):
        read_history(str(tmp_path / "none"))
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        append_release(str(tmp_path / "none" / "h"), A_RELEASE)
