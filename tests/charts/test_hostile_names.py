"""Charts of runs, topics and groups whose names would like to be more than that: all is drawn, and nothing is run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.errors import UnjudgedError
from unjudged.reports.charts import all_charts, choose
from unjudged.reports.charts.base import Chart
from unjudged.reports.charts.naming import short_names
from unjudged.wording import visible

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

HOSTILE = "</script><script>owned=1</script>"
ODD = "owned\"'`${1}\u202e.[x]\\"
"""Both short enough to be shown in full."""
OF_EVERY_OBJECT = (
    *("constructor", "__proto__", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
    *("toString", "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
"""What every object of JavaScript has, so that a name is there before somebody puts it there."""
LIKE_VALUES = ("null", "undefined", "NaN", "true", "0", "-0", "1e5", "2024-01-01", "a.b", "a[0]", "datum", "length")
EVERY = [(one.command, one.name) for one in all_charts()]
FROM_FILES = {"run", "topic", "group", "better", "worse", "left_out", "judge", "other"}
"""Columns with names from files."""


@pytest.fixture(scope="module")
def harmless(draw: Callable[[str, str], Chart]) -> dict[str, Chart]:
    return {f"{command} {name}": draw(command, name) for command, name in EVERY}


def renamed(chart: Chart, names: tuple[str, ...]) -> Chart:
    """The same chart of runs, topics and groups with these names."""
    there = {column for column in chart.columns if column in FROM_FILES}
    old = list(dict.fromkeys(cell for column in there for cell in chart.columns[column]))
    new = dict(zip(old, [*names, *(f"{name} {i}" for i in range(9) for name in names)], strict=False))
    columns = {name: [new[cell] for cell in cells] if name in there else cells for name, cells in chart.columns.items()}
    return replace(chart, columns=columns)


def drawn(chart: Chart, folder: Path) -> tuple[list[Any], set[str]]:
    """The shape, the place and the colour of every mark of a picture; and all its words."""
    chart.save(folder / "chart.svg")
    root = ElementTree.parse(folder / "chart.svg").getroot()
    marks = []
    for group in root.iter():
        kind = group.get("class", "").split()
        if "role-mark" in kind and "mark-group" not in kind:
            for mark in group:
                marks.append((kind[0], {key: one for key, one in mark.attrib.items() if not key.startswith("aria")}))
    return marks, {"".join(one.itertext()) for one in root.iter() if one.tag.endswith("text")}


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_every_mark_is_where_it_is_for_harmless_names(
    command: str, name: str, harmless: dict[str, Chart], tmp_path: Path
) -> None:
    chart = harmless[f"{command} {name}"]
    expected, _ = drawn(chart, tmp_path)
    assert len(expected) >= len(next(iter(chart.columns.values()))), "each row is drawn at least once"
    for names in (OF_EVERY_OBJECT, LIKE_VALUES):
        other = renamed(chart, names)
        marks, words = drawn(other, tmp_path)
        assert marks == expected
        # Others have names under the pointer, or where there is room.
        if command not in {"relative", "reuse"} and name != "deviations" and (command, name) != ("judges", "scores"):
            assert {cell for column in FROM_FILES & set(other.columns) for cell in other.columns[column]} <= words


def test_the_names_are_those_that_javascript_gives_to_all_objects(browser: Any) -> None:
    browser.get("about:blank")
    result = browser.execute_script("return Object.getOwnPropertyNames(Object.prototype)")
    assert sorted(result) == sorted(OF_EVERY_OBJECT)


@dataclass(frozen=True, eq=False, repr=False)
class Stacked(Chart):
    """What Vega cannot do: it looks up the stacks of bars by name, in a plain object."""

    def marks(self, alt: Any, data: Any) -> Any:
        return alt.Chart(data).mark_bar().encode(y="run:N", x="value:Q")


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "html"])
def test_a_blank_chart_is_an_error_and_not_a_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{form}"
    with pytest.raises(UnjudgedError) as caught:
        Stacked({"run": ["constructor"], "value": [1]}, "Stacks").save(path)
    assert str(caught.value) == (
        "the chart 'Stacks' came out blank: Vega failed; save it as .json, and tell us with that file"
    )
    assert not path.exists()
    Stacked({"run": ["mine"], "value": [1]}, "Stacks").save(path)
    assert path.stat().st_size > 500


def test_names_that_look_the_same_once_shown_stay_apart() -> None:
    assert short_names(["a\u200b", "a\\u200b", "b"]) == ["a\\u200b", "a\\u200b (2)", "b"]
    qrels = {topic: {"x": 1, "y": 0, "w": 1} for topic in ("t\u200b", "t\\u200b")}
    runs = {name: {key: {"x": 2.0, "z": 1.0} for key in qrels} for name in ("r\x1b", "r\\x1b")}
    scores = uj.score(qrels, runs, "P@2", holes="bootstrap(draws=20)")
    assert set(uj.plots.scores(scores).columns["run"]) == {"r\\x1b", "r\\x1b (2)"}
    assert set(uj.plots.topics(scores).columns["topic"]) == {"t\\u200b", "t\\u200b (2)"}


def test_a_group_called_like_the_rest_is_not_the_rest() -> None:
    names = [f"g{i:02}" for i in range(20)]
    qrels = {"1": {"a": 1, "b": 0}}
    runs = {name: {"1": {"a": 1.0 + i, "b": 2.5}} for i, name in enumerate(["other groups", "more", *names])}
    groups = {**{name: name for name in names}, "other groups": "other groups", "more": "other groups"}
    shown = uj.plots.relative(uj.relative(qrels, runs, "P@1", groups=groups)).columns
    named = dict(zip(shown["run"], shown["group"], strict=True))
    assert named["more"] == named["other groups"] == "other groups (2)"
    assert named["g19"] == "other groups"


# ---- names that are scripts


def released(qrels: Any, runs: dict[str, Any], folder: Path) -> uj.History:
    """A history in which releases are called as runs."""
    (folder / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, own in qrels.items() for d, g in own.items()))
    for i, (name, run) in enumerate(runs.items()):
        lines = [f"{t} Q0 {doc} 1 {score} tag\n" for t, own in run.items() for doc, score in own.items()]
        (folder / f"{i}.run").write_text("".join(lines))
        how = {"release": name, "holes": "nonrelevant"}
        history = uj.add_release(folder / "qrels", folder / f"{i}.run", folder / "h.jsonl", "P@3", **how)
    return history


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Chart]:
    topics = [HOSTILE, *"234567"]
    qrels = {topic: {"a": 2, "b": 0, "c": 1, "d": 2, "e": 1, "f": 0} for topic in topics}
    new, old = {"x": 3.0, "a": 2.0, "c": 1.0}, {"b": 3.0, "a": 2.0, "c": 1.0}
    runs = {
        HOSTILE: dict.fromkeys(qrels, new),
        "constructor": dict.fromkeys(qrels, old),
        ODD: dict.fromkeys(qrels, new),
    }
    tried = uj.reuse(
        qrels,
        runs,
        "nDCG@3",
        degrade=["LeaveOutRun(2)", "DepthCut(1,2)"],
        holes="nonrelevant",
        jobs=1,
    )
    groups = {HOSTILE: HOSTILE, "constructor": "b", ODD: "c"}
    kinds = dict(zip(qrels, [HOSTILE, HOSTILE, "constructor", "constructor", ODD, ODD, ODD], strict=True))
    results: dict[str, Any] = {
        "doctor": uj.doctor(qrels, runs),
        "score": uj.score(qrels, runs, "nDCG@3", holes=["bounds", "bootstrap(draws=50)"]),
        "compare": uj.compare(qrels, runs, "P@3", draws=20, test="t"),
        "score segments": uj.score(qrels, runs, "P@3", segments=kinds),
        "compare segments": uj.compare(qrels, runs, "P@3", draws=20, test="t", segments=kinds),
        "gate": uj.gate(qrels, runs, "P@3", draws=20),
        "history": released(qrels, runs, tmp_path_factory.mktemp("history")),
        "relative": uj.relative(qrels, runs, "nDCG@3", groups=groups),
        "judges": uj.judges(qrels, runs, {HOSTILE: qrels, ODD: qrels}, "nDCG@3", groups=groups),
        "audit": uj.audit(qrels, runs, "P@3", groups=groups),
        "reuse": tried,
        "reuse strategies": uj.reuse(qrels, runs, "nDCG@3", strategy=["depth", "mtf"], budget="50%", jobs=1),
        "properties": uj.properties(
            qrels, runs, ["P@3", "RR"], corpus=uj.CorpusBootstrap(images=9, corpus_size=20), shallow=[1, 2]
        ),
    }
    charts = {f"{command} {name}": (command, choose(command, name)) for command, name in EVERY}
    return {key: make(results.get(key, results[command])) for key, (command, make) in charts.items()}


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_names_are_data_and_never_part_of_an_expression(
    command: str, name: str, hostile: dict[str, Chart], tmp_path: Path
) -> None:
    chart = hostile[f"{command} {name}"]
    result: list[str] = []

    def look(part: object, path: str) -> None:
        if isinstance(part, dict):
            for key, value in part.items():
                assert "owned" not in key
                look(value, f"{path}.{key}")
        elif isinstance(part, list):
            for value in part:
                look(value, path)
        elif isinstance(part, str) and "owned" in part:
            result.append(path)

    look(chart.to_dict(), "")
    safe = (
        "scale.domain",
        "title.text",
        "title.subtitle",
        "x.title",
        ".description",
        *(f".{column}" for column in chart.columns),
    )
    assert result or not {"run", "better", "topic"} & set(chart.columns), "names from files are shown as they are"
    assert all(path.endswith(safe) for path in result), result
    assert all(path.startswith((".datasets.", ".data.values.")) or path.endswith(safe[:5]) for path in result), result
    chart.save(tmp_path / "chart.svg")
    words = "".join(ElementTree.parse(tmp_path / "chart.svg").getroot().itertext())
    assert "\u202e" not in words


# ---- pages


def test_a_page_allows_its_own_script_and_style_by_their_hashes(hostile: dict[str, Chart], tmp_path: Path) -> None:
    hostile["score intervals"].save(tmp_path / "chart.html")
    page = (tmp_path / "chart.html").read_text()
    assert HOSTILE not in page

    def hash_of(tag: str, attributes: str = "") -> str:
        text = re.search(f"<{tag}{attributes}>(.*?)</{tag}>", page, re.DOTALL)
        assert text is not None
        return base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()

    policy = re.search('Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    assert policy[1].replace("&#x27;", "'") == (
        f"default-src 'none'; script-src 'sha256-{hash_of('script', ' type=.module.')}'; style-src"
        f" 'sha256-{hash_of('style')}'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    specification = re.search('id="specification">(.*?)</script>', page)
    assert specification is not None
    assert json.loads(specification[1])["title"]["text"] == "nDCG@3 over 7 topics"


def problems(browser: Any) -> list[str]:
    """Errors, and what the policy forbade; Vega-Lite's remarks about its own defaults are none."""
    log = browser.get_log("browser")
    return [one["message"] for one in log if one["level"] == "SEVERE" or one["source"] == "security"]


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_pages_draw_under_their_policy_and_run_no_name(
    command: str, name: str, hostile: dict[str, Chart], browser: Any, tmp_path: Path
) -> None:
    chart = hostile[f"{command} {name}"]
    path = tmp_path / "chart.html"
    chart.save(path)
    expected = [kind for kind, _ in drawn(chart, tmp_path)[0]]
    browser.get_log("browser")
    browser.get(path.as_uri())
    result = browser.execute_async_script("""
        const done = arguments[0];
        const look = () => {
          const shown = document.querySelector('#chart svg');
          if (!shown && !document.getElementById('chart').textContent) return setTimeout(look, 20);
          const marks = [...document.querySelectorAll('#chart [class*=role-mark]:not(.mark-group) > *')];
          done([marks.map((one) => one.parentNode.classList[0]), document.body.textContent, window.owned]);
        };
        look();
    """)
    assert result[0] == expected, result[1][-200:]
    assert result[2] is None
    assert problems(browser) == [], "the policy is kept to"
    assert browser.execute_script("return document.scripts.length") == 2


@pytest.mark.parametrize("name", ["added", "unique", "rareness", "tasc"])
def test_charts_fit_a_phone(name: str, harmless: dict[str, Chart], browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "chart.html"
    harmless[f"relative {name}"].save(path)
    size = {"width": 360, "height": 700, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.get(path.as_uri())
        widths = browser.execute_async_script("""
            const done = arguments[0];
            const look = () => {
              const shown = document.querySelector('#chart svg');
              if (!shown) return setTimeout(look, 20);
              done([window.innerWidth, document.documentElement.scrollWidth, shown.getBoundingClientRect().right]);
            };
            look();
        """)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert widths[:2] == [360, 360]
    assert widths[2] <= 360


def test_tooltips_have_names_as_text(hostile: dict[str, Chart], browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "chart.html"
    hostile["doctor holes"].save(path)
    browser.get_log("browser")
    browser.get(path.as_uri())
    output = browser.execute_async_script("""
        const done = arguments[0];
        const tip = document.getElementById('tip');
        const look = () => {
          const marks = [...document.querySelectorAll('#chart .mark-rect.role-mark > *')];
          if (!marks.length) return setTimeout(look, 20);
          done(marks.map((mark) => {
            const { left, top } = mark.getBoundingClientRect();
            const where = { bubbles: true, clientX: left + 2, clientY: top + 2 };
            for (const kind of ['pointermove', 'mousemove']) mark.dispatchEvent(new PointerEvent(kind, where));
            return tip.hidden ? null : [...tip.querySelectorAll('td')].map((cell) => cell.textContent);
          }));
        };
        look();
    """)
    assert {row[0] for row in output} == {HOSTILE, visible(ODD), "constructor"}
    assert {row[1] for row in output} == {"1", "2", "3"}
    assert browser.execute_script("return window.owned") is None
    assert problems(browser) == []


def test_the_links_below_save_the_picture(hostile: dict[str, Chart], browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "chart.html"
    hostile["score intervals"].save(path)
    browser.get_log("browser")
    browser.get(path.as_uri())
    saved = browser.execute_async_script("""
        const done = arguments[0];
        const look = () => {
          const links = [...document.querySelectorAll('.vega-actions a')];
          if (!links.length) return setTimeout(look, 20);
          links.forEach((link) => link.dispatchEvent(new MouseEvent('mousedown')));
          const wait = () => {
            if (!links.every((link) => /^(data|blob):/.test(link.href))) return setTimeout(wait, 20);
            done(links.map((link) => [link.textContent, link.href]));
          };
          wait();
        };
        look();
    """)
    assert [(words, link[:10]) for words, link in saved] == [
        ("Save as SVG", "blob:null/"),
        ("Save as PNG", "data:image"),
    ]
    assert problems(browser) == []
