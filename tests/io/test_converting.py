"""Judgments and runs written for other tools are read again as what they were."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_files import judgments, write

import unjudged as uj
from unjudged.errors import InputError, UnjudgedWarning
from unjudged.limits import ConvertTo

TARGETS = get_args(ConvertTo)
RUN_TARGETS = [to for to in TARGETS if to != "quepid"]


def ids(alphabet: str) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=1, max_size=5).filter(lambda one: one == one.strip())


def tables(alphabet: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, dict[str, Any]]]:
    docs = st.dictionaries(ids(alphabet), values, min_size=1, max_size=4)
    return st.dictionaries(ids(alphabet), docs, min_size=1, max_size=4)


PLAIN = "ab1-_.é中😀=+@"
NASTY = PLAIN + " \"\\,;#'{}[]:\x1c\x7f\x85\u2028\ufeff\x0b\x01\n\t\r"
GRADES = st.integers(-2, 4) | st.floats(-100, 100).map(lambda one: one + 0.0)
SCORES = st.floats(allow_nan=False, allow_infinity=False).map(lambda one: one + 0.0)


def through(content: Any, *path: str, kind: Any) -> Any:
    """What is read after it was written for one tool after the other."""
    with TemporaryDirectory() as folder:
        for step, to in enumerate(path):
            output = Path(folder) / f"x{step}"
            uj.convert(content, output, to, kind=kind)  # type: ignore[arg-type]
            content = output
        return uj.read_qrels(content, negative="judged") if kind == "qrels" else uj.read_run(content)


def grades(qrels: uj.Qrels) -> dict[str, dict[str, float]]:
    return {topic: qrels.judgments(topic) for topic in qrels.topics}


def rankings(run: uj.Run) -> dict[str, list[str]]:
    return {topic: list(dict(run.ranking(topic))) for topic in run.topics}


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@given(tables(PLAIN, GRADES))
def test_judgments_come_back_from_every_tool_and_from_one_after_the_other(content: dict[str, Any]) -> None:
    wanted = grades(uj.read_qrels(content, negative="judged"))
    for to in TARGETS:
        assert grades(through(content, to, kind="qrels")) == wanted
    assert grades(through(content, *TARGETS, kind="qrels")) == wanted


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@given(tables(NASTY, GRADES))
def test_ids_of_any_characters_come_back_or_are_refused(content: dict[str, Any]) -> None:
    wanted = grades(uj.read_qrels(content, negative="judged"))
    for to in TARGETS:
        try:
            found = grades(through(content, to, kind="qrels"))
        except InputError as problem:
            assert " cannot hold the " in str(problem) or " would look like " in str(problem)
        else:
            assert found == wanted


@given(tables(PLAIN, SCORES))
def test_runs_come_back(content: dict[str, Any]) -> None:
    wanted = uj.read_run(content)
    for to in RUN_TARGETS:
        found = through(content, to, kind="run")
        assert rankings(found) == rankings(wanted)
        if to in ("trec", "beir"):
            assert found.scores.tolist() == wanted.scores.tolist()


@given(tables(NASTY, SCORES))
def test_runs_with_ids_of_any_characters_come_back_or_are_refused(content: dict[str, Any]) -> None:
    wanted = rankings(uj.read_run(content))
    for to in RUN_TARGETS:
        try:
            found = rankings(through(content, to, kind="run"))
        except InputError as problem:
            assert " cannot hold the " in str(problem) or " would look like " in str(problem)
        else:
            assert found == wanted


FILES = {
    "qrels.txt": "q1 0 d1 2\nq1 0 d2 0.25\nq2 0 d1 -1\n",
    "a.run": "q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1e-3 mine\n",
    "strata.txt": "q1 0 d1 3 1\nq1 0 d2 0 0\n",
    "subtopics.txt": "q1 1 d1 1\nq1 2 d1 0\n",
    "iterations.txt": "q1 7 d1 1\nq1 8 d2 0\n",
    "spaces.csv": "query,docid,rating\nred dress,d1,1\n",
    "rated.csv": "query,docid,rating\nq1,d1,1\n",
    "ranked.csv": "query,docid,rank\nq1,d1,1\n",
    "scored.csv": "query,docid,score\nq1,d1,1\n",
    "nested.json": '{"q1": {"d1": 1}}',
    "rows.jsonl": '{"query": "q1", "doc": "d1", "rating": 1}',
    "search.jsonl": '{"query_id": "q1", "response": {"hits": {"hits": [{"_id": "d1"}]}}}',
    "requests.json": '{"requests": [{"id": "q1", "ratings": [{"_id": "d1", "rating": 1}]}]}',
    "empty.csv": "query,docid,rating\nq1,d1,1\nq1,d2,\n",
    "twice.run": "q1 Q0 d1 1 2 mine\nq1 Q0 d1 2 1 mine\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        write(tmp_path / name, text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRITTEN = {
    ("qrels.txt", "trec"): "q1 0 d1 2\nq1 0 d2 0.25\nq2 0 d1 -1\n",
    ("qrels.txt", "beir"): "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0.25\nq2\td1\t-1\n",
    ("qrels.txt", "quepid"): "query,docid,rating\nq1,d1,2\nq1,d2,0.25\nq2,d1,-1\n",
    ("a.run", "trec"): "q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 0.001 mine\n",
    ("a.run", "beir"): '{"q1": {"d1": 2.5, "d2": 0.001}}\n',
    ("strata.txt", "trec"): "q1 0 d1 3 1\nq1 0 d2 0 0\n",
    ("subtopics.txt", "trec"): "q1 1 d1 1\nq1 2 d1 0\n",
    ("iterations.txt", "trec"): "q1 7 d1 1\nq1 8 d2 0\n",
    ("iterations.txt", "quepid"): "query,docid,rating\nq1,d1,1\nq1,d2,0\n",
}


@pytest.mark.parametrize(("source", "to"), WRITTEN)
def test_what_is_written(here: Path, source: str, to: ConvertTo) -> None:
    uj.convert(source, "out", to)
    assert Path("out").read_text() == WRITTEN[source, to]


def test_what_is_written_as_json(here: Path) -> None:
    uj.convert("qrels.txt", "out", "elasticsearch")
    first = {"id": "q1", "ratings": [{"_id": "d1", "rating": 2}, {"_id": "d2", "rating": 0.25}]}
    assert json.loads(Path("out").read_text())["requests"][0] == first
    uj.convert("qrels.txt", "out", "opensearch")
    found = json.loads(Path("out").read_text())
    assert (found["name"], found["type"]) == ("qrels", "IMPORT_JUDGMENT")
    rated = [{"docId": "d1", "rating": "2"}, {"docId": "d2", "rating": "0.25"}]
    assert found["judgmentRatings"][0] == {"query": "q1", "ratings": rated}
    uj.convert("a.run", "out", "elasticsearch")
    hits = [{"_id": "d1", "_score": 2.5}, {"_id": "d2", "_score": 0.001}]
    assert json.loads(Path("out").read_text()) == {"query_id": "q1", "response": {"hits": {"hits": hits}}}


def test_other_readers_read_it(here: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    uj.convert("rated.csv", "out", "trec")
    with Path("out").open() as file:
        assert pytrec_eval.parse_qrel(file) == {"q1": {"d1": 1}}
    uj.convert({"red, dress": {'6" shoe': 1}}, "out", "quepid", kind="qrels")
    with Path("out").open(newline="") as file:
        assert list(csv.reader(file))[1] == ["red, dress", '6" shoe', "1"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "qrels") for name in ("qrels.txt", "strata.txt", "rated.csv", "rows.jsonl", "requests.json")),
        *((name, "run") for name in ("a.run", "ranked.csv", "search.jsonl")),
    ],
)
def test_what_a_file_is_its_content_says(here: Path, name: str, kind: str) -> None:
    assert uj.convert(name, "out", "trec").kind == kind


@pytest.mark.parametrize("name", ["scored.csv", "nested.json", "-", "ir_datasets:x"])
def test_where_it_does_not_the_user_says_it(here: Path, name: str) -> None:
    with pytest.raises(InputError) as problem:
        uj.convert(name, "out", "trec")
    assert str(problem.value) == f"{name}: this may be judgments or a run; say which with --as qrels or --as run"


def test_what_the_user_says_holds(here: Path) -> None:
    for kind in ("qrels", "run"):
        assert uj.convert("scored.csv", "out", "trec", kind=kind).kind == kind  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "to", "message"),
    [
        (
            "a.run",
            "quepid",
            "a.run: quepid has no files of runs; write this run --to trec or beir or elasticsearch or opensearch",
        ),
        (
            "spaces.csv",
            "trec",
            "spaces.csv: trec cannot hold the topic 'red dress'; beir, quepid, elasticsearch, opensearch can",
        ),
        ("strata.txt", "beir", "strata.txt: these judgments have strata, which beir cannot hold; trec can"),
        (
            "subtopics.txt",
            "quepid",
            "subtopics.txt: these judgments have subtopics, which quepid cannot hold; trec can",
        ),
        (
            "qrels.txt",
            "excel",
            "to must be 'trec', 'beir', 'quepid', 'elasticsearch' or 'opensearch', not 'excel'",
        ),
        (
            "twice.run",
            "beir",
            "twice.run:2: document 'd1' is ranked twice for topic 'q1' (first in line 1); 1 duplicate in all,"
            " `unjudged doctor` lists them, --duplicates best keeps one of each",
        ),
        ("missing", "trec", "missing: no such file"),
    ],
)
def test_what_cannot_be_written_is_refused_and_what_was_there_stays(
    here: Path, source: str, to: Any, message: str
) -> None:
    Path("out").write_text("of another day")
    with pytest.raises(InputError) as problem:
        uj.convert(source, "out", to)
    assert str(problem.value) == message
    assert Path("out").read_text() == "of another day"
    assert sorted(one.name for one in here.iterdir()) == sorted([*FILES, "out"])


def test_what_would_be_read_as_something_else_is_refused(here: Path) -> None:
    with pytest.raises(InputError) as problem:
        uj.convert({'{"a":': {"d": 1}}, "out", "trec", kind="qrels")
    assert str(problem.value) == (
        "qrels: written for trec, its first ids would look like {topic: {doc: number}}, or objects with the names of"
        " columns"
    )


def test_ids_that_a_spreadsheet_would_compute_are_written_and_said(here: Path) -> None:
    content = {"q1": {"=1+1": 1, "-x": 0}}
    with pytest.warns(UnjudgedWarning) as said:
        uj.convert(content, "out", "quepid", kind="qrels")
    assert [str(one.message) for one in said] == [
        "qrels: a spreadsheet may take 2 ids for formulas (they begin with =, +, - or @); ids are written as they are"
    ]
    assert judgments(uj.read_qrels("out")) == content


def test_rows_without_a_grade_are_left_out_and_counted(here: Path) -> None:
    with pytest.warns(UnjudgedWarning, match="1 row without a grade"):
        assert uj.convert("empty.csv", "out", "trec").rows == 1


def test_duplicates_of_a_run_are_kept_once_if_that_is_wished(here: Path) -> None:
    assert uj.convert("twice.run", "out", "trec", duplicates="last").rows == 1
    assert Path("out").read_text() == "q1 Q0 d1 1 1 mine\n"


def test_the_input_is_not_written_over(here: Path) -> None:
    Path("link").symlink_to("qrels.txt")
    with pytest.raises(InputError) as problem:
        uj.convert("qrels.txt", "link", "beir")
    assert str(problem.value) == "link: this is the same file as the input qrels.txt; write to another file"
    assert Path("qrels.txt").read_text() == FILES["qrels.txt"]
