"""What notebooks show of results: everything is there, nothing in a name can do anything, long tables are cut."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter

import unjudged as uj
from unjudged.data.pool import depth_pool
from unjudged.errors import Notice, few_of_each_kind
from unjudged.holes import hole_models
from unjudged.notebook_repr import NotebookRepr
from unjudged.reports import notebook
from unjudged.results.scores import ScoreRow, ScoreRows
from unjudged.results.tabular import Tabular
from unjudged.wording import visible

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

HOSTILE = "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e&lt;\"'`${1}"
TAGS = {"div", "style", "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}


class Shape(HTMLParser):
    """What a browser would make of HTML: its tags, its tables as cells, and its sentences."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[tuple[str, str | None]] = set()
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.sentences: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= set(attrs)
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        if tag == "p":
            self.sentences.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in {"td", "th"}:
            self.tables[-1][-1][-1] += data
        elif "p" in self.open:
            self.sentences[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def shape(thing: Any) -> Shape:
    """The HTML of a thing, which has nothing in it but tables and sentences."""
    bundle = thing._repr_mimebundle_()
    assert list(bundle) == ["text/plain", "text/html"]
    assert bundle["text/html"] == thing._repr_html_()
    out = Shape(bundle["text/html"])
    assert set(out.tags) <= TAGS
    assert out.attributes <= {("class", name) for name in ("unjudged", "cells", "text", "text long", "small")}
    assert not re.search(r"url|@import|http", bundle["text/html"].partition("</style>")[0]), "styles load nothing"
    unsafe = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", bundle["text/plain"] + bundle["text/html"])
    assert unsafe is None, "nothing can move the cursor or turn text around"
    return out


def results(run: str = "one", topic: str = "1", doc: str = "d") -> dict[str, Any]:
    """One thing of each function of the library, over a collection with these names in it."""
    qrels = {topic: {doc: 2, "b": 0, "c": 1}, f"{topic}2": {doc: 0, "c": 2}, f"{topic}3": {"b": 1, "c": 1}}
    runs = {
        run: {name: {doc: 3.0, f"{doc}?": 2.0, "b": 1.0} for name in qrels},
        f"{run}2": {name: {"c": 3.0, "b": 2.0} for name in qrels},
        f"{run}3": {name: {"b": 3.0, f"{doc}?": 2.0, "c": 1.0} for name in qrels},
    }
    groups = dict.fromkeys(runs, "all but") | {run: f"{run}'s"}
    models = ["nonrelevant", "bootstrap(prior=evidence, draws=9)"]
    scores = uj.score(qrels, runs, ["P@2", "nDCG@3"], holes=models, groups=groups, explain=[(run, topic)])
    page = uj.report(qrels, runs, "P@2", reuse=False, test="t", jobs=1)
    with tempfile.TemporaryDirectory() as folder:
        for name, one in runs.items():
            history = uj.add_release(qrels, {name: one}, f"{folder}/h.jsonl", "P@2", release=name, holes="bounds")
    return {
        "score": scores,
        "mean": scores.mean(),
        "per_topic": scores.per_topic(),
        "distribution": uj.score(qrels, runs, "P@2", holes="bootstrap(draws=9)").distribution(run, topic),
        "compare": uj.compare(qrels, runs, "P@2", draws=9, test="t"),
        "baseline": uj.compare(qrels, runs, "P@2", draws=9, test="t", baseline=run),
        "gate": uj.gate(qrels, runs, "P@2", draws=9),
        "add_release": history,
        "history": history,
        "relative": uj.relative(qrels, runs, "P@2", groups=groups, explain=run, choose=2),
        "reuse": uj.reuse(
            qrels,
            runs,
            "P@2",
            degrade=["LeaveOutGroup(2)", "KeepFraction(50%)"],
            holes=["nonrelevant", "bounds"],
            groups=groups,
            target="tau=0.5",
            repeat=2,
            jobs=1,
        ),
        "judges": uj.judges(qrels, runs, {run: qrels, f"{run}2": qrels}, "P@2", groups=groups),
        "audit": uj.audit(qrels, runs, "P@2", top=2, assessors=dict.fromkeys(qrels, "somebody")),
        "next_judgments": uj.next_judgments(qrels, runs, measure="P@2", budget=3),
        "properties": uj.properties(
            qrels, runs, "P@2", corpus=uj.CorpusBootstrap(images=4, corpus_size=20), shallow=1, shallow_runs=3
        ),
        "doctor": uj.doctor(qrels, runs),
        "resample": uj.resample(qrels, runs, "P@2", uj.CorpusBootstrap(images=4, corpus_size=20)),
        "report": page,
        "overview": page.overview,
        "methods": uj.methods(scores),
        "agreement": uj.agreement([0.1, 0.2, 0.3], [0.1, 0.3, 0.2]),
        "read_qrels": uj.read_qrels(qrels),
        "read_run": uj.read_run(runs[run], name=run),
        "read_pool": uj.read_pool({topic: [doc, "b"]}),
        "depth_pool": depth_pool(uj.read_runs(runs), 2),
        "read_texts": uj.read_texts({doc: "some words", "b": "more of them"}),
        "measures": uj.measures.measures,
        "hole_models": hole_models,
    }


@pytest.fixture(scope="module")
def harmless() -> dict[str, Any]:
    return results()


@pytest.fixture(scope="module")
def hostile() -> dict[str, Any]:
    return results(HOSTILE, HOSTILE, HOSTILE)


# ---- everything is shown


def test_everything_that_the_library_returns_can_be_shown(harmless: dict[str, Any]) -> None:
    functions = {name for name in uj.__all__ if inspect.isfunction(getattr(uj, name))}
    functions -= {
        "convert",
        "progress_bar",
        "read_runs",
        "start_judging",
        "text_source",
    }  # a file or a state is no result
    assert functions <= set(harmless), "what returns no result"
    for thing in harmless.values():
        page = shape(thing)
        assert page.tables or page.sentences


def test_whatever_says_that_it_can_be_shown_has_a_view(harmless: dict[str, Any]) -> None:
    for module in pkgutil.walk_packages(uj.__path__, "unjudged."):
        if not module.name.startswith(("unjudged.compat", "unjudged.kernels.fast")) and "__main__" not in module.name:
            importlib.import_module(module.name)
    classes = [NotebookRepr]
    for cls in classes:
        classes += cls.__subclasses__()  # also those of the ones that are added here
        names = {one.__name__ for one in cls.__mro__}
        assert names & set(notebook._VIEWS) or cls in (NotebookRepr, Tabular), cls
    tried = {cls.__name__ for thing in harmless.values() for cls in type(thing).__mro__}
    assert set(notebook._VIEWS) <= tried, "results() has one of each"


def test_jupyter_takes_text_and_html_and_nothing_else(harmless: dict[str, Any]) -> None:
    formatter = DisplayFormatter()
    for thing in harmless.values():
        data, metadata = formatter.format(thing)
        assert set(data) == {"text/plain", "text/html"}
        assert metadata == {}
        assert data["text/html"] == thing._repr_html_()
    only_text, _ = formatter.format(harmless["score"], include={"text/plain"})
    assert set(only_text) == {"text/plain"}


def test_the_cells_are_the_numbers_of_the_result(harmless: dict[str, Any]) -> None:
    scores: uj.Scores = harmless["score"]
    means = scores.mean()
    for measure, (header, *rows) in zip(scores.measures, shape(scores).tables, strict=False):
        assert header == ["run", measure, "evidence", "interval", header[-1]]
        assert sorted(row[0] for row in rows) == sorted(scores.runs)
        for run, plain, likely, _, judged in rows:
            assert plain == f"{means[run, measure, 'nonrelevant']:.4f}"
            assert likely == f"{means[run, measure, scores.holes[1]]:.4f}"
            assert float(judged.rstrip("%")) / 100 in [pytest.approx(row.judged, abs=0.0005) for row in means]
    holes_of_run = shape(scores).tables[2]
    assert [row[0] for row in holes_of_run[1:]] == [row.doc for row in scores.explained if row.measure == "P@2"]

    pairs = shape(harmless["compare"]).tables[1]
    assert [row[:2] for row in pairs[1:]] == [[row.run, row.other] for row in harmless["compare"].pairs()]
    assert [row[-1] for row in pairs[1:]] == [row.verdict for row in harmless["compare"].pairs()]

    ranking = shape(harmless["read_run"]).tables[0]
    assert ranking == [
        ["topic", "doc", "rank", "score"],
        *(
            [
                ["1", doc, str(rank), f"{value:g}"]
                for rank, (doc, value) in enumerate([("d", 3), ("d?", 2), ("b", 1)], 1)
            ]
        ),
    ]
    assert shape(harmless["read_qrels"]).tables == [
        [["grade", "documents", "topics with such"], ["0", "2", "2"], ["1", "3", "2"], ["2", "2", "2"]]
    ]
    assert shape(harmless["report"]).tables[0][1][1] == harmless["report"].sentences["files"]
    assert [row[0] for row in shape(hole_models).tables[0][1:]] == [cls.name for cls in hole_models]


def test_pooled_documents_are_no_grade() -> None:
    qrels = uj.read_qrels({"1": {"a": 1, "b": -1}, "2": {"b": -2}}, negative="pooled")
    assert shape(qrels).tables[0][1:] == [["1", "1", "1"], ["pooled, not judged", "2", "2"]]


def test_what_a_result_warns_of_is_below_it() -> None:
    scores = uj.score({"1": {"a": 1}, "2": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}, "P@1")
    assert scores.warnings
    assert shape(scores).sentences[-1] == f"Warning: {scores.warnings[0].message} [{scores.warnings[0].code}]"


def test_of_many_warnings_of_a_kind_some_are_shown(harmless: dict[str, Any]) -> None:
    notices = [Notice("a", 1, f"number {i}") for i in range(5)] + [Notice("b", 1, "other")]
    shown, more = few_of_each_kind(notices)
    assert ([notice.message for notice in shown], more) == (["number 0", "number 1", "number 2", "other"], {"a": 2})
    scores = uj.score({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}, "P@1")
    object.__setattr__(scores, "warnings", tuple(notices))
    assert shape(scores).sentences[-2:] == [
        "Warning: other [b]",
        "Warning: 2 more of [a]; .warnings has all of them",
    ]


# ---- names


NAMELESS = {"agreement", "distribution", "hole_models", "measures", "methods", "overview", "read_qrels", "read_texts"}
"""What shows no name from a file."""


def test_names_are_text(hostile: dict[str, Any]) -> None:
    for name, thing in hostile.items():
        page = shape(thing)
        cells = [cell for table in page.tables for row in table for cell in row]
        shown = visible(HOSTILE) in " ".join([*cells, *page.sentences])
        assert shown or name in NAMELESS, name


def test_nothing_that_a_result_prints_can_move_the_cursor_or_turn_text_around(hostile: dict[str, Any]) -> None:
    findings = uj.doctor({"1": {"a\x1b": 1}}, {"\x1b\u202e": {"1": {"b": 1.0}}})
    for name, thing in {**hostile, "findings": findings}.items():
        assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", repr(thing) + str(thing)) is None, name
    for name in ("score", "mean", "per_topic", "relative"):
        assert visible(HOSTILE) in repr(hostile[name]), name


def test_a_name_with_a_line_break_stays_in_its_row() -> None:
    rows = repr(uj.score({"1": {"a": 1}}, {"x\ny": {"1": {"a": 1.0}}}, "P@1").mean()).split("\n")
    assert len(rows) == 2 and rows[1].startswith(r"x\ny ")


def test_one_is_not_several() -> None:
    qrels, run = {"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}}
    assert repr(uj.score(qrels, run, "P@1")).startswith("Scores of 1 run over 1 topic\n")
    assert repr(uj.read_qrels(qrels)) == "Qrels(1 topic, 1 judged, grades {1: 1})"
    assert repr(uj.read_runs(run)[0]) == "Run('one', 1 topic, 1 document)"


NAMES = st.text(st.characters(codec="utf-8"), max_size=12).map(str.strip).filter(bool)


@given(run=NAMES, topic=NAMES, doc=NAMES)
@settings(max_examples=25)
def test_no_name_can_change_what_is_shown_around_it(run: str, topic: str, doc: str) -> None:
    qrels = {topic: {doc: 1, f"{doc}2": 0}}
    runs = {run: {topic: {doc: 2.0, f"{doc}3": 1.0}}, f"{run}2": {topic: {f"{doc}2": 1.0}}}
    scores = uj.score(qrels, runs, "P@2", holes="bounds")
    assert {row[0] for row in shape(scores).tables[0][1:]} == {visible(run), visible(f"{run}2")}
    assert shape(scores.per_topic()).tables[0][1][:2] == [visible(run), visible(topic)]
    assert shape(uj.read_run(runs[run], name=run)).tables[0][1][:2] == [visible(topic), visible(doc)]
    for thing in (uj.doctor(qrels, runs), uj.relative(qrels, runs, "P@2"), uj.methods(scores)):
        shape(thing)


# ---- long tables


def many_rows(number: int) -> ScoreRows:
    row = ScoreRow("mine", "1", "P@1", "nonrelevant", 0.5, None, None, 1.0, None, None)
    return ScoreRows([row._replace(topic=str(i)) for i in range(number)])


@pytest.mark.parametrize("extra", [0, 1, 10_000])
def test_long_tables_are_cut_and_say_so(extra: int) -> None:
    rows = many_rows(notebook.MOST_ROWS + extra)
    page = shape(rows)
    assert [row[1] for row in page.tables[0][1:]] == [str(i) for i in range(notebook.MOST_ROWS)]
    rest = f"{extra:,} of {len(rows):,} rows are not shown; .to_frame() has all of them."
    assert page.sentences == ([rest] if extra else [])


def test_runs_beyond_the_limit_are_not_shown_but_counted() -> None:
    number = notebook.MOST_ROWS + 7
    runs = {f"r{i:03}": {"1": {"a": 1.0 if i % 2 else 2.0, "b": 1.5}} for i in range(number)}
    scores = uj.score({"1": {"a": 1, "b": 0}}, runs, "P@1")
    page = shape(scores)
    assert len(page.tables[0]) == 1 + notebook.MOST_ROWS
    assert page.sentences[-1] == f"7 of {number} rows are not shown; .to_frame() has all of them."
    comparison = uj.compare({"1": {"a": 1, "b": 0}, "2": {"a": 1}}, runs, "P@1", draws=3, test="t")
    sentences = shape(comparison).sentences
    hidden = math.comb(number, 2) - len(shape(comparison).tables[1]) + 1
    assert any(
        re.fullmatch(r"[\d,]+ pairs are not shown; \.to_frame\(table='pairs'\) has all of them\.", one)
        for one in sentences
    )
    assert hidden > 0
    names = [re.search(r"not shown; (\S+) has", one) for one in sentences]
    for name in {match[1] for match in names if match}:
        assert len(eval(f"comparison{name}", {"comparison": comparison})) > 0, "the way to see all rows is one"


def test_of_many_left_out_runs_the_rest_is_counted() -> None:
    qrels = {topic: {f"only {i}": 1 for i in range(12)} for topic in ("1", "2")}
    runs = {f"r{i:02}": {topic: {f"only {i}": 1.0} for topic in qrels} for i in range(12)}
    result = uj.reuse(qrels, runs, "P@1", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)
    assert "2 of 12 rows are not shown; .to_frame(table='runs') has all of them." in shape(result).sentences


@pytest.mark.parametrize("name", ["relative", "reuse", "properties", "doctor", "resample", "depth_pool"])
def test_the_ways_to_see_all_rows_are_there(
    name: str, harmless: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "MOST_ROWS", 1)
    thing = harmless[name]
    ways = {match[1] for one in shape(thing).sentences if (match := re.search(r"not shown; (\S+) has all", one))}
    assert ways
    for way in ways:
        assert eval(f"thing{way}", {"thing": thing}) is not None


# ---- charts

DRAWN: dict[str, Callable[[dict[str, Any]], uj.Chart]] = {
    "scores": lambda there: uj.plots.scores(there["score"]),
    "relative": lambda there: uj.plots.relative(there["relative"]),
    "holes": lambda there: uj.plots.holes(there["doctor"]),
}


def ids(svg: str) -> set[str]:
    return {one.attrib["id"] for one in ElementTree.fromstring(svg).iter() if "id" in one.attrib}


@pytest.mark.parametrize("which", DRAWN)
def test_charts_are_pictures_without_scripts(which: str, hostile: dict[str, Any]) -> None:
    chart = DRAWN[which](hostile)
    data, _ = DisplayFormatter().format(chart)
    assert set(data) == {"text/plain", "image/svg+xml"}
    svg = data["image/svg+xml"]
    assert chart._repr_svg_() == svg
    tree = ElementTree.fromstring(svg)
    for element in tree.iter():
        assert element.tag.rpartition("}")[2] not in {"script", "foreignObject", "a", "image", "style", "use"}
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert name.startswith(("aria", "font")) or not re.search(r"https?:|javascript:", value)
    used = set(re.findall(r'="url\(#([^")]+)\)"', svg))
    assert used == ids(svg), "what is referred to is there"


def test_two_charts_on_a_page_share_no_id_and_the_same_chart_is_the_same_file(harmless: dict[str, Any]) -> None:
    first, again = (DRAWN["relative"](harmless)._repr_svg_() for _ in range(2))
    other = DRAWN["relative"](results(doc="e", run="two"))._repr_svg_()
    assert first is not None and other is not None
    assert first == again, "not numbered by how many were drawn before"
    assert ids(first)
    assert not ids(first) & ids(other)


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_without_altair_a_chart_says_what_to_install(
    module: str, harmless: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = uj.plots.scores(harmless["score"])
    monkeypatch.setitem(sys.modules, module, None)
    data, _ = DisplayFormatter().format(chart)
    install = "drawing a chart needs altair and vl-convert-python: pip install 'unjudged[report]'"
    assert data == {"text/plain": f"{chart!r}\n{install}"}
