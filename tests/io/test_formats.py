"""Files of search teams: CSV and TSV with a header, and JSON. The content says what they are, never a name."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import judgments, write

import unjudged as uj
from unjudged.errors import InputError
from unjudged.io import sources
from unjudged.io.formats import format_of
from unjudged.io.formats.base import Head
from unjudged.io.json_stream import JsonStream, key_path

JUDGED = {"red dress": {"d1": 2, "d 2": 0}, "q2": {"d1": 1}}

QRELS = {
    "BEIR's TSV": "query-id\tcorpus-id\tscore\nred dress\td1\t2\nred dress\td 2\t0\nq2\td1\t1\n",
    "Quepid's CSV": "query,docid,rating\nred dress,d1,2\nred dress,d 2,0\nq2,d1,1\n",
    "a spreadsheet's": "\ufeffTopic ID;Doc;Grade;Note\r\nred dress;d1;2;a, b\r\nred dress;d 2;0;\r\nq2;d1;1;\r\n",
    "quotes": '"query","title","docid","rating"\n"red dress","two\nlines, ""quoted""",d1,2\n'
    'red dress,,"d 2",0\nq2,,d1,1\n',
    "whole floats": "qid,pid,relevance\nred dress,d1,2.0\nred dress,d 2,0.0\nq2,d1,1.0\n",
    "spaces around fields": "query , docid , rating\nred dress , d1 , 2\n red dress,d 2, 0\nq2, d1 ,1\n",
    "blank lines and a comment above": "# ours\n\nquery,doc,rel\n\nred dress,d1,2\nred dress,d 2,0\n\nq2,d1,1",
    "queries that nobody rated": "query,docid,rating\nlonely\nred dress,d1,2\nred dress,d 2,0\nq2,d1,1\nlonely too\n",
    "dict of dicts": json.dumps(JUDGED),
    "dict of dicts, indented": json.dumps(JUDGED, indent=2),
    "array of rows": json.dumps([{"query": t, "doc": d, "rating": g} for t in JUDGED for d, g in JUDGED[t].items()]),
    "a row per line": "\n".join(
        json.dumps({"query_id": t, "doc_id": d, "relevance": g}) for t in JUDGED for d, g in JUDGED[t].items()
    ),
}


@pytest.mark.parametrize("name", QRELS)
def test_judgments_of_every_form_are_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "any.name", QRELS[name])
    assert judgments(uj.read_qrels(path)) == JUDGED
    monkeypatch.setattr(sources, "BLOCK_BYTES", 7)  # blocks, and so threads, do not matter
    assert judgments(uj.read_qrels(path)) == JUDGED


RUNS = {
    "TSV": "query_id\tdoc_id\tscore\tname\nred dress\td1\t0.5\tx\nred dress\td 2\t0.7\tx\nq2\td1\t1e-3\tx\n",
    "CSV": "score,topic,doc\n0.5,red dress,d1\n.7,red dress,d 2\n0.001,q2,d1\n",
    "JSON": json.dumps({"red dress": {"d1": 0.5, "d 2": 0.7}, "q2": {"d1": 0.001}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_of_every_form_are_the_same(name: str, tmp_path: Path) -> None:
    run = uj.read_run(write(tmp_path / "mine.run", RUNS[name]))
    assert {topic: run.ranking(topic) for topic in run.topics} == {
        "red dress": [("d 2", 0.7), ("d1", 0.5)],
        "q2": [("d1", 0.001)],
    }
    assert run.name == "mine"


def test_a_run_with_ranks_only(tmp_path: Path) -> None:
    run = uj.read_run(write(tmp_path / "mine.csv", "query,doc,rank\n1,b,2\n1,a,1\n1,c,10\n"))
    assert ([doc for doc, _ in run.ranking("1")], run.name) == (["a", "b", "c"], "mine")


def test_what_somebody_says_goes_first(tmp_path: Path) -> None:
    lines = "topic,doc,grade 0 d1 1\n"
    path = write(tmp_path / "odd", lines)
    assert judgments(uj.read_qrels(path, format="trec")) == {"topic,doc,grade": {"d1": 1}}
    with pytest.raises(InputError, match=r"odd:1: this is not JSON|expected"):
        uj.read_qrels(path, format="json")


def test_rows_without_a_grade_are_holes_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "q.csv", "query,docid,rating\nq,d1,1\nq,d2,\nq,d3,\n")
    qrels = uj.read_qrels(path)
    assert judgments(qrels) == {"q": {"d1": 1}}
    assert [one.message for one in qrels.notices] == [
        f"{path}: 2 rows without a grade; these documents count as not judged"
    ]


def test_subtopics_strata_and_pools_have_columns_of_their_own(tmp_path: Path) -> None:
    diverse = uj.read_qrels(write(tmp_path / "d", "topic,subtopic,doc,grade\n1,a,d,1\n1,b,d,0\n"))
    assert diverse.subtopics is not None and diverse.subtopics.names == ("a", "b")
    sampled = uj.read_qrels(write(tmp_path / "s", "topic,doc,stratum,grade\n1,d,2,1\n1,e,1,-1\n"))
    assert sampled.strata is not None and sampled.strata.tolist() == [2, 1]
    assert len(uj.read_pool(write(tmp_path / "p", "topic,doc\n1,d\n1,e\n"))) == 2
    assert len(uj.read_pool(write(tmp_path / "j", '{"1": ["d", "e"]}'))) == 2


ALL = "1 duplicate in all, `unjudged doctor` lists them"
BAD = {
    "a column is missing": (
        "query,name,rating\na,b,1\n",
        "{}:1: no column doc_id or docno or docid; the columns are query, name, rating",
    ),
    "two columns may be the grade": (
        "query,doc,rating,label\na,b,1,2\n",
        "{}:1: two columns may be the grade, 'label' and 'rating'; rename or remove one of them",
    ),
    "words": ("query,doc,rating\na,b,1\na,c,good\n", "{}:3: the grade is not a number: 'good'"),
    "words below a field with a line break": (
        'query,doc,title,rating\na,b,"x\ny",1\na,c,,good\n',
        "{}:4: the grade is not a number: 'good'",
    ),
    "a decimal comma": ("query;doc;rating\na;b;0,5\n", "{}:2: the grade is not a number: '0,5'"),
    "no header": (
        "q1;d1;1\n",
        "{}:1: the first line must name the columns, such as query_id,doc_id,relevance: 'q1;d1;1'",
    ),
    "too few fields": ("query,doc,rating\na,b\n", "{}:2: expected 3 columns, got 2: 'a,b'"),
    "too many fields, one of them empty": (
        "query,doc,rating\na,,b,1\n",
        "{}:2: expected 3 columns, got 4: 'a,,b,1'",
    ),
    "too many fields": ("query,doc,rating\na, b c,1,2\n", "{}:2: expected 3 columns, got 4: 'a,b c,1,2'"),
    "an empty id": ("query,doc,rating\na,b,1\na,,1\n", "{}:3: the document id is empty"),
    "an empty topic": ("query,doc,rating\na,b,1\n,c,1\n", "{}:3: the topic is empty"),
    "a line break in an id": ('query,doc,rating\n"a\nb",c,1\n', "{}:2: the topic has a line break in it"),
    "a quote that does not end": (
        'query,doc,rating\na,b,1\n"c,d,2\ne,f,0\n',
        "{}:3: a quoted field that begins here does not end",
    ),
    "a control character": (
        "query,doc,rating\na,b\x1fc,1\n",
        "{}:2: the control character 0x1f cannot stand in columns",
    ),
    "twice": (
        "query,doc,rating\na b,c,1\na b,c,1\n",
        "{}:3: document 'c' is judged twice for topic 'a b' (first in line 2); " + ALL,
    ),
    "a grade beyond all": (
        "query,doc,rating\na,b,1e9\n",
        "{}:2: the grade is not between -100,000 and 100,000: 1000000000",
    ),
    "an array of numbers": ("[1, 2, 3]", "{}: .[0]: expected an object, got a number"),
    "JSON that ends too early": (
        '{"q1": {"d1": 1},\n "q2": {"d',
        "{}:2: the JSON ends before it is complete, in .q2; was the file cut off?",
    ),
    "JSON that is none": (
        '{"q1": {"d1" 1}}',
        "{}:1: this is not JSON (expecting ':' delimiter): '{\"d1\" 1}}'",
    ),
    "a grade that is text": ('{"q1": {"d1": 1, "d 2": "good"}}', "{}: .q1[\"d 2\"]: the grade is not a number: 'good'"),
    "a grade that is a list": ('{"q1": {"d1": [1]}}', "{}: .q1.d1: the grade is not a number: [1]"),
    "a list of documents": ('{"q1": ["d1"]}', "{}: .q1: expected an object, got an array"),
    "a key that is there twice": ('{"q1": {"d1": 1, "d1": 2}}', "{}: .q1: the key 'd1' is there twice"),
    "a topic that is there twice": (
        '{"q1": {"d1": 1}, "q1": {"d1": 2}}',
        "{}: .q1.d1: document 'd1' is judged twice, with different grades, for topic 'q1' (first in .q1.d1); " + ALL,
    ),
    "a row without a grade": (
        '[{"query": "q", "doc": "d"}]',
        "{}: .[0]: no relevance or label or rel; the names are query, doc",
    ),
    "a line without a topic": (
        '{"query": "q", "doc": "d", "grade": 1}\n{"doc": "e", "grade": 1}\n',
        "{}:2: no query_id or qid or q_id; the names are doc, grade",
    ),
    "too deep": ('{"q1": ' + "[" * 100_000, "{}: .q1: expected an object, got an array"),
    "many digits": ('{"q1": {"d": ' + "1" * 5000 + "}}", "{}: .q1: a number has too many digits"),
    "a huge number": ('{"q1": {"d": 1' + "0" * 400 + "}}", None),
    "not UTF-8": (
        b'{"q1": {"d\xe9": 1}}',
        "{}:1: byte 0xe9 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
    ),
    "no grades": ("{}", "{}: there are no grades"),
    "an id with a line break": (
        '{"q\\n1": {"d": 1}}',
        "{}: .[\"q\\n1\"]: a topic id has spaces around it or a line break: 'q\\n1'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_one_line_with_a_place(name: str, tmp_path: Path) -> None:
    content, message = BAD[name]
    path = tmp_path / "bad"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        uj.read_qrels(path)
    assert "\n" not in str(caught.value)
    if message is not None:
        assert str(caught.value) == message.replace("{}", str(path))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to say how much memory was used")
def test_an_array_of_ten_million_is_refused_at_its_first_item(tmp_path: Path) -> None:
    path = write(tmp_path / "array.json", "[" + "0," * 10_000_000 + "0]")
    code = "import sys, unjudged as uj\ntry: uj.read_qrels(sys.argv[1])\n"
    code += "except uj.UnjudgedError as problem: print(problem)\n"
    code += "print(next(one for one in open('/proc/self/status') if one.startswith('VmHWM')).split()[1])"
    said, kilobytes = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said == f"{path}: .[0]: expected an object, got a number"
    assert int(kilobytes) < 150_000


# ---- whatever is in a table comes back

cells = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff"), min_size=1, max_size=9)
ids = cells.map(str.strip).filter(bool)
others = st.text(st.sampled_from("ab \t,;\"'\n#|"), max_size=6)


@given(
    st.lists(st.tuples(ids, ids, st.integers(-3, 9), others), min_size=1, max_size=9, unique_by=lambda row: row[:2]),
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.integers(3, 40),
)
def test_what_csv_writes_is_read(
    tmp_path_factory: Any, rows: list[tuple[str, str, int, str]], separator: str, end: str, quoting: Any, block: int
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(["note", "query", "doc", "rating"])
    writer.writerows([[note, topic, doc, grade] for topic, doc, grade, note in rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(text.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", block)
        qrels = uj.read_qrels(path, negative="judged")
    wanted: dict[str, dict[str, int]] = {}
    for topic, doc, grade, _ in rows:
        wanted.setdefault(topic, {})[doc] = max(grade, 0)
    assert {topic: qrels.judgments(topic) for topic in qrels.topics} == wanted


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


def _walk(stream: JsonStream, depth: int) -> Any:
    """A value, read bit by bit down to a depth."""
    if depth and stream.kind == "{":
        return {key: _walk(stream, depth - 1) for key in stream.members()}
    if depth and stream.kind == "[":
        return [_walk(stream, depth - 1) for _ in stream.items()]
    return stream.value()


@given(json_values, st.integers(1, 30), st.integers(0, 4), st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_the_same_in_pieces(value: Any, size: int, depth: int, indent: int | None, plain: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=plain).encode("utf-8", "surrogatepass")
    try:
        text.decode()
    except UnicodeDecodeError:
        return  # lone surrogates are no UTF-8
    stream = JsonStream("file", iter([text[at : at + size] for at in range(0, len(text), size)]))
    assert [_walk(stream, depth) for _ in stream.documents()] == [value]


@given(json_values.filter(lambda one: isinstance(one, dict | list) and one), st.data())
def test_json_that_is_cut_off_is_always_said(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))].encode()
    with pytest.raises(InputError, match=r"the JSON ends before it is complete|this is not JSON"):
        for _ in (stream := JsonStream("file", iter([cut]))).documents():
            _walk(stream, 3)


def test_keys_are_looked_for_in_json_only() -> None:
    """In a file of TREC's that takes longer than to cut its lines."""
    heads = [
        Head.of(text) for text in (b"1 Q0 d1 1 2.5 mine\n", b"query_id,doc_id,score\n1,d1,2.5\n", b'{"1": {"d1": 2}}')
    ]
    names = [format_of(head).name for head in heads]
    assert names == ["trec", "csv", "json"]
    assert ["keys" in vars(head) for head in heads] == [False, False, True]


def test_key_paths_are_those_of_jq() -> None:
    assert key_path("requests", 3, "a doc", "x") == '.requests[3]["a doc"].x'
    assert (key_path(3, "x"), key_path("1a"), key_path()) == (".[3].x", '.["1a"]', ".")
