"""What can be read: all legal forms of a file give the same run and the same judgments."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from small_files import JUDGED, PACK, QRELS, RANKED, RUN, as_dict, judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io import sources

Rows = list[tuple[str, str, float]]


# ---- the property: the form of a file does not matter

ids = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Z"), exclude_characters="\ufeff"), min_size=1, max_size=12
).filter(lambda one: not any(char.isspace() for char in one))
topic_ids = ids.filter(lambda one: not one.startswith("#"))
scores = st.floats(allow_nan=False, allow_infinity=False, width=32)
spaces = st.text(" \t\v\f", min_size=1, max_size=3)
fillers = st.lists(
    st.sampled_from(["\n", "  \t\n", "# a comment\n", "\t#another 1 2 3\r\n", "#\n", "\r\n"]), max_size=2
)


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    pairs = draw(st.lists(st.tuples(st.sampled_from("ABC") | topic_ids, ids), min_size=1, max_size=25, unique=True))
    return [(topic, doc, draw(scores)) for topic, doc in pairs]


@st.composite
def texts(draw: st.DrawFn, rows: Rows, columns: Callable[[tuple[str, str, float]], list[str]]) -> bytes:
    """The rows as a file, with everything in it that the format allows."""
    parts = []
    for row in rows:
        parts += draw(fillers)
        indent = draw(st.sampled_from(["", " ", "\t"]))
        fields = columns(row)
        line = indent + "".join(field + draw(spaces) for field in fields[:-1]) + fields[-1]
        parts.append(line + draw(st.sampled_from(["\n", "\r\n", " \n", "\t\r\n"])))
    parts += draw(fillers)
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.rstrip("\n")
    mark = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    return mark + text.encode()


def expected_ranking(rows: Rows) -> dict[str, list[tuple[str, float]]]:
    """The tie rule in plain Python: score descending, then doc id descending by bytes."""
    topics: dict[str, list[tuple[str, float]]] = {}
    for topic, doc, score in rows:
        topics.setdefault(topic, []).append((doc, score))
    for ranking in topics.values():
        ranking.sort(key=lambda one: (one[1], one[0].encode()), reverse=True)
    return topics


quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(
    data=st.data(), rows=tables(), ending=st.sampled_from(list(PACK)), block=st.sampled_from([1, 2, 3, 17, 100, None])
)
def test_the_same_run_whatever_the_form_of_the_file(
    data: st.DataObject, rows: Rows, ending: str, block: int | None, tmp_path: Path
) -> None:
    text = data.draw(texts(rows, lambda row: [row[0], "Q0", row[1], "7", repr(row[2]), "tag"]))
    path = write(tmp_path / f"file.txt{ending}", PACK[ending](text))
    blocks = sources.BLOCK_BYTES
    try:
        sources.BLOCK_BYTES = block or blocks
        run = uj.read_run(path)
    finally:
        sources.BLOCK_BYTES = blocks
    assert as_dict(run) == expected_ranking(rows)
    assert (run.name, run.source) == ("tag", str(path))


@quick
@given(data=st.data(), rows=tables(), ending=st.sampled_from(list(PACK)), block=st.sampled_from([1, 5, 64, None]))
def test_the_same_judgments_whatever_the_form_of_the_file(
    data: st.DataObject, rows: Rows, ending: str, block: int | None, tmp_path: Path
) -> None:
    graded = [(topic, doc, float(data.draw(st.integers(0, 5)))) for topic, doc, _ in rows]
    text = data.draw(texts(graded, lambda row: [row[0], "0", row[1], str(int(row[2]))]))
    path = write(tmp_path / f"file.txt{ending}", PACK[ending](text))
    blocks = sources.BLOCK_BYTES
    try:
        sources.BLOCK_BYTES = block or blocks
        qrels = uj.read_qrels(path)
    finally:
        sources.BLOCK_BYTES = blocks
    expected: dict[str, dict[str, int]] = {}
    for topic, doc, grade in graded:
        expected.setdefault(topic, {})[doc] = int(grade)
    assert judgments(qrels) == expected
    assert qrels.strata is None and qrels.subtopics is None


@quick
@given(text=st.binary(max_size=300))
@example(text=b"\xef\xbb\xbf")
@example(text=b"301 0 d1 1\r301 0 d2 1")
@example(text=b"1 Q0 a 1 1 \xff")
@example(text=b"\x1f\x8b\x08\x00" + b"0" * 40)
@example(text=b"\x28\xb5\x2f\xfd" + b"0" * 40)
def test_any_bytes_are_read_or_refused(text: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "fuzz", text)
    for read in (uj.read_qrels, uj.read_run):
        try:
            read(path)
        except InputError as problem:
            assert "\n" not in str(problem)


# ---- odd but legal


@pytest.mark.parametrize(
    "topic", ["MB01", "301.5", "-1", "topic-é", "0301", "301", "q#1", "2019_dl", "話題", "1e5", "nan", "\u00a0x"]
)
def test_odd_topics(topic: str, tmp_path: Path) -> None:
    assert uj.read_run(write(tmp_path / "r", f"{topic} Q0 d 1 1 t\n")).topics == (topic,)
    assert uj.read_qrels(write(tmp_path / "q", f"{topic} 0 d 1\n")).topics == (topic,)


@pytest.mark.parametrize(
    "doc", ["d#1", "#d", "文書", "d" * 200, "http://a/?b=c&d=%20", "'\"", "\\n", "é\u0301", "\U0001d4b9", "0"]
)
def test_odd_documents(doc: str, tmp_path: Path) -> None:
    assert uj.read_run(write(tmp_path / "r", f"1 Q0 {doc} 1 1 t\n")).ranking("1") == [(doc, 1.0)]
    assert uj.read_qrels(write(tmp_path / "q", f"1 0 {doc} 1\n")).judgments("1") == {doc: 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1E-3", 1e-3),
        ("-0.0", 0.0),
        ("1e-400", 0.0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
        ("4.9e-324", 5e-324),
    ],
)
def test_scores(text: str, value: float, tmp_path: Path) -> None:
    assert uj.read_run(write(tmp_path / "r", f"1 Q0 d 1 {text} t\n")).ranking("1") == [("d", value)]


def test_rank_and_second_column_are_ignored(tmp_path: Path) -> None:
    run = uj.read_run(write(tmp_path / "r", "1 x a first 1 t\n1 y b -7 2 t\n"))
    assert run.ranking("1") == [("b", 2.0), ("a", 1.0)]


def test_ties_are_broken_by_document_descending_by_bytes(tmp_path: Path) -> None:
    docs = ["a", "B", "b", "ab", "é", "\U0001d4b9", "\uff5e", "10", "9"]
    run = uj.read_run(write(tmp_path / "r", "".join(f"1 Q0 {doc} 1 0 t\n" for doc in docs)))
    assert [doc for doc, _ in run.ranking("1")] == sorted(docs, key=str.encode, reverse=True)


def test_float32_ranks_as_trec_eval_9(tmp_path: Path) -> None:
    # Different as doubles, the same in single precision: the ids decide.
    path = write(tmp_path / "r", "1 Q0 a 1 0.30000001 t\n1 Q0 b 2 0.3 t\n1 Q0 c 3 1e39 t\n1 Q0 d 4 2e39 t\n")
    assert [doc for doc, _ in uj.read_run(path).ranking("1")] == ["d", "c", "a", "b"]
    assert [doc for doc, _ in uj.read_run(path, scores="float32").ranking("1")] == ["d", "c", "b", "a"]


def test_topics_may_be_interleaved_and_keep_the_order_of_their_first_line(tmp_path: Path) -> None:
    run = uj.read_run(write(tmp_path / "r", "2 Q0 a 1 1 t\n1 Q0 a 1 5 t\n2 Q0 b 2 3 t\n1 Q0 c 2 7 t\n"))
    assert as_dict(run) == {"2": [("b", 3.0), ("a", 1.0)], "1": [("c", 7.0), ("a", 5.0)]}


def test_thousands_of_comment_lines_before_the_data(tmp_path: Path) -> None:
    assert judgments(uj.read_qrels(write(tmp_path / "q", "# licence\n" * 5000 + QRELS))) == JUDGED


def test_files_joined_with_their_byte_order_marks(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf301 0 d1 1\n\xef\xbb\xbf302 0 d1 1\n"
    assert uj.read_qrels(write(tmp_path / "q", text)).topics == ("301", "302")


@pytest.mark.parametrize("ending", list(PACK))
def test_compression_is_told_by_content(ending: str, tmp_path: Path) -> None:
    assert as_dict(uj.read_run(write(tmp_path / "run.txt", PACK[ending](RUN.encode())))) == RANKED


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst"])
def test_members_are_read_one_after_the_other(ending: str, tmp_path: Path) -> None:
    halves = RUN.encode()[:30], RUN.encode()[30:]
    packed = b"".join(PACK[ending](half) for half in halves)
    assert as_dict(uj.read_run(write(tmp_path / "r", packed))) == RANKED
    assert as_dict(uj.read_run(write(tmp_path / "r", packed + bytes(8)))) == RANKED


def test_a_bomb_is_read_in_bounded_memory(tmp_path: Path) -> None:
    # 100 MB of blank lines behind 100 KB of gzip; a reader that keeps a number per line needs 800 MB.
    path = write(tmp_path / "bomb.gz", gzip.compress(QRELS.encode() + b"\n" * (100 << 20) + b"303 0 x 1\n", 9))
    script = f"""
import resource
import unjudged as uj
import unjudged.api
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(uj.read_qrels({str(path)!r})) == 4
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 250


# ---- judgments


def test_strata(tmp_path: Path) -> None:
    qrels = uj.read_qrels(write(tmp_path / "q", "1 0 a 1 2\n1 0 b 2 -1\n1 0 c 0 0\n"))
    assert qrels.strata is not None and qrels.strata.tolist() == [1, 2, 0]
    assert qrels.judgments("1") == {"a": 2, "c": 0}


def test_diversity_is_told_by_documents_judged_for_two_subtopics(tmp_path: Path) -> None:
    qrels = uj.read_qrels(write(tmp_path / "q", "1 1 a 1\n1 2 a 0\n1 x b 2\n"))
    assert qrels.subtopics is not None and qrels.subtopics.names == ("1", "2", "x")
    assert qrels.subtopics.numbers.tolist() == [0, 1, 2] and qrels.subtopics.docs.tolist() == [0, 0, 1]
    assert judgments(qrels) == {"1": {"a": 1, "b": 2}}


def test_a_second_column_that_only_varies_is_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "q", "1 0 a 1\n1 1 b 0\n2 Q0 a 1\n")
    assert uj.read_qrels(path).subtopics is None
    subtopics = uj.read_qrels(path, format="diversity").subtopics
    assert subtopics is not None and subtopics.names == ("0", "1", "Q0")
    assert uj.read_qrels(path, format="trec").subtopics is None


def test_iterations_of_a_frame_are_read_as_the_second_column_of_a_file() -> None:
    rows = [("1", "a", 1, "0"), ("1", "b", 0, "1")]
    varies = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    assert uj.read_qrels(varies).subtopics is None
    subtopics = uj.read_qrels(varies, format="diversity").subtopics
    assert subtopics is not None and subtopics.names == ("0", "1")
    twice = pd.concat([varies, varies.assign(iteration="2")])
    assert uj.read_qrels(twice).subtopics is not None
    with pytest.raises(InputError, match=r"^qrels: document 'a' is judged twice for topic '1'$"):
        uj.read_qrels(twice, format="trec")


@pytest.mark.parametrize(
    ("format_", "text", "message"),
    [
        ("strata", QRELS, "expected 5 columns, got 4"),
        ("trec", "1 0 a 1 1\n", "expected 4 columns, got 5"),
        ("diversity", "1 0 a 1 1\n", "expected 4 columns, got 5"),
        ("trec", "1 1 a 1\n1 2 a 1\n", "document 'a' is judged twice for topic '1'"),
    ],
)
def test_the_format_asked_for_is_insisted_on(format_: Any, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        uj.read_qrels(write(tmp_path / "q", text), format=format_)


@pytest.mark.parametrize(
    ("negative", "expected"),
    [
        ("pooled", {"1": {"b": 2}, "2": {}}),
        ("judged", {"1": {"a": 0, "b": 2}, "2": {"c": 0}}),
        ("drop", {"1": {"b": 2}}),
    ],
)
def test_three_readings_of_grades_below_0(negative: Any, expected: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "q", "1 0 a -2\n1 0 b 2\n2 0 c -1\n")
    assert judgments(uj.read_qrels(path, negative=negative)) == expected
    table = {"1": {"a": -2, "b": 2}, "2": {"c": -1}}
    assert judgments(uj.read_qrels(table, negative=negative)) == expected


SPAM = "qrels: 2 grades below 0 (-2) taken as judged, with grade 0; say --negative pooled if that is wrong"
SAMPLE = "qrels: 1 grade below 0 (-1) taken as pooled but not judged; say --negative judged if that is wrong"


@pytest.mark.parametrize(
    ("rows", "pooled", "message"),
    [
        pytest.param("1 0 a 1|1 0 b 0|2 0 a 2", 0, None, id="no grade below 0: nothing to say"),
        pytest.param("1 0 a 1|1 0 b 0|1 0 c -1|2 0 a 0", 1, SAMPLE, id="-1 beside 0 in half of the topics: a sample"),
        pytest.param("1 0 a 1|1 0 b 0|1 0 c -1|2 0 a 0|3 0 a 0", 0, None, id="-1 in few topics: a judgment"),
        pytest.param("1 0 a 1|1 0 c -1|2 0 a 1|2 0 c -1", 0, None, id="-1 and no 0: the scale begins there"),
        pytest.param("1 0 a 1|1 0 b 0|1 0 c -2|2 0 a 0|2 0 b -2", 0, SPAM, id="-2: spam"),
        pytest.param("1 0 a 1|1 0 b 0|1 0 c -1|2 0 a -1|2 0 b -2", 0, None, id="-1 and -2: all are judgments"),
        pytest.param("1 0 a 1 1|1 0 b 1 0|2 0 c 1 1|3 0 a 2 -1", 1, None, id="five columns: a sample"),
        pytest.param("1 0 a -1|2 0 b -1", 2, None, id="nothing else: nothing is judged"),
        pytest.param("1 1 a 1|1 2 a 1|1 1 b -2|2 1 a 0", 0, None, id="diversity judgments: spam"),
    ],
)
def test_what_grades_below_0_mean_is_told_from_all_of_them(
    rows: str, pooled: int, message: str | None, tmp_path: Path
) -> None:
    qrels = uj.read_qrels(write(tmp_path / "qrels", rows.replace("|", "\n") + "\n"))
    assert int((~qrels.judged).sum()) == pooled
    assert [one.code for one in qrels.notices] == ["negative-grades"] * ("-" in rows)
    if message is not None:
        (said,) = (one.message.removeprefix(f"{tmp_path}/") for one in qrels.notices)
        assert said == message


def test_who_says_what_grades_below_0_mean_is_told_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "q", "1 0 a 1\n1 0 b 0\n1 0 c -2\n")
    for negative in ("pooled", "judged", "drop"):
        assert uj.read_qrels(path, negative=negative).notices == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["file", "dict"])
def test_dropping_everything_is_refused(source: str, tmp_path: Path) -> None:
    what = write(tmp_path / "q", "1 0 a -1\n") if source == "file" else {"1": {"a": -1}}
    with pytest.raises(InputError, match="all grades are below 0, so dropping them leaves no judgment"):
        uj.read_qrels(what, negative="drop")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: uj.read_qrels({}, format="xml"),
            "format must be 'auto', 'trec', 'strata', 'diversity', 'csv', 'json', 'opensearch', 'elasticsearch',"
            " 'quepid', 'rre' or 'rank_eval', not 'xml'",
        ),  # type: ignore[arg-type]
        (lambda: uj.read_qrels({}, negative=0), "negative must be 'auto', 'pooled', 'judged' or 'drop', not 0"),  # type: ignore[arg-type]
        (lambda: uj.read_run({}, scores="float16"), "scores must be 'float64' or 'float32', not 'float16'"),  # type: ignore[arg-type]
    ],
)
def test_unknown_choices_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        call()
