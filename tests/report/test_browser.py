"""The page in a real browser (Chromium without a window), as a reader uses it. Skipped where there is none."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.reports import html
from unjudged.reports.cells import Table
from unjudged.reports.page import Page, contents, make_page
from unjudged.results.comparison import SIGNIFICANT
from unjudged.wording import visible

from .conftest import HOLES, MEASURES
from .test_page import NASTY

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")

Browser = Any

DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


@pytest.fixture(scope="session")
def saved(demo_report: Page, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    demo_report.save(path)
    return path


@pytest.fixture
def page(browser: Browser, saved: Path) -> Browser:
    return opened(browser, saved)


def opened(browser: Browser, path: Path) -> Browser:
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())
    return browser


def one(page: Browser, css: str) -> Any:
    return page.find_element("css selector", css)


def cells(page: Browser, table: str) -> list[list[str]]:
    """The text of a table's body, all rows shown."""
    script = """
        const table = document.getElementById(arguments[0]);
        const more = table.parentNode.nextSibling;
        if (more && !more.hidden && more.textContent.startsWith('Show all')) more.click();
        return [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    """
    return page.execute_script(script, table)


def column(page: Browser, table: str, label: str) -> list[str]:
    heads = page.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((head) => head.firstChild?.textContent)",
        f"#{table} thead th",
    )
    return [row[heads.index(label)] for row in cells(page, table)]


def choose(page: Browser, select: str, text: str) -> None:
    for option in one(page, f"#{select}").find_elements("tag name", "option"):
        if option.text == text:
            option.click()
            return
    raise AssertionError(f"no {text} in {select}")


def test_segments_have_tables_that_fit(browser: Browser, tmp_path: Path) -> None:
    qrels = {str(topic): {"a": 2, "b": 0, "c": 1} for topic in range(8)}
    runs = {"x": {t: {"a": 3.0, "b": 1.0} for t in qrels}, NASTY: {t: {"b": 3.0, "n": 2.0} for t in qrels}}
    kinds = {topic: f"{NASTY} {int(topic) % 2}" for topic in qrels}
    made = uj.report(qrels, runs, ["P@2", "nDCG@3"], segments=kinds, reuse=False, test="t")
    made.save(tmp_path / "segments.html")
    page = opened(browser, tmp_path / "segments.html")
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    comparison = made.overview.comparisons[0]
    assert isinstance(comparison, uj.Comparison)
    means = {(visible(row.segment), visible(row.run)): f"{row.mean:.4f}" for row in comparison.segments()}
    shown = zip(*(column(page, "segment-table", name) for name in ("Segment", "Run", "P@2")), strict=True)
    assert {(segment, run): mean for segment, run, mean in shown} == means
    assert len(cells(page, "segment-pair-table")) == 2
    choose(page, "measure", "nDCG@3")
    assert len(column(page, "segment-table", "nDCG@3")) == 4
    for width in (390, 1280):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.execute_script(script), width
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_labels_have_tables(browser: Browser, tmp_path: Path) -> None:
    topics = [str(topic) for topic in range(6)]
    qrels = {topic: {"a": 2, "b": 0, "c": 1} for topic in topics}
    runs = {name: {topic: dict.fromkeys(docs, 1.0) for topic in topics} for name, docs in (("x", "ac"), ("y", "bc"))}
    labels = {topic: {"a": 2, "b": 0, "c": 2, "d": 0} for topic in topics}
    given = {"labels": {NASTY: labels, "other": labels}, "groups": {"x": NASTY, "y": "g"}}
    report = uj.report(qrels, runs, "P@2", reuse=False, holes="nonrelevant", **given)
    report.save(tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    result = uj.judges(qrels, runs, {NASTY: labels, "other": labels}, "P@2")
    assert column(page, "judge-table", "Judge") == [visible(NASTY), "other"]
    assert column(page, "judge-table", "Weighted") == [f"{row.weighted_kappa:.3f}" for row in result.judges()]
    assert column(page, "judge-order-table", "tau-b") == [f"{row.tau_b:.3f}" for row in result.orders()]
    assert set(column(page, "favour-table", "Group")) == {visible(NASTY), "g"}
    assert sum(map(int, column(page, "confusion-table", "Pairs"))) == 36
    assert one(page, "nav a[href='#labels']").text == "Labels"
    assert page.execute_script("return window.hacked") is None


def test_pictures_are_beside_names_and_what_needs_no_attention_is_folded(page: Browser) -> None:
    for table in ("score-table", "rank-table", "leaveout-table"):
        assert one(page, f"#{table} tbody tr td").find_elements("css selector", "svg"), table
    assert not one(page, "#notes").is_displayed()
    assert one(page, "#findings").is_displayed()
    assert not one(page, "#input-table").is_displayed()
    for width in (1280, 1400):
        page.set_window_size(width, 1000)
        hidden = "const f = document.querySelector('#score-table').parentNode; return f.scrollWidth - f.clientWidth"
        assert page.execute_script(hidden) <= 0, f"the picture of the scores is cut off at {width} pixels"
    page.set_window_size(1300, 1000)


def press(page: Browser, css: str) -> None:
    page.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", one(page, css))


def is_number(shown: str, true: float | None) -> bool:
    """Whether a cell shows a number of the JSON, which has all its digits."""
    return shown == DASH if true is None else abs(float(shown.replace(MINUS, "-").replace("<", "")) - true) <= 0.5001e-4


def colours(page: Browser) -> int:
    """How many different values the bytes of a picture of the page have; a blank one has a handful."""
    png = page.get_screenshot_as_png()
    data, at = b"", 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return len(set(zlib.decompress(data)))


def requests(page: Browser) -> list[str]:
    """What the page asked for; Chromium's own first page may still be loading while ours is opened."""
    entries = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
    return [
        one["request"]["url"] for one in sent if not one["documentURL"].startswith(("chrome:", "chrome-untrusted:"))
    ]


def test_it_loads_without_errors_and_asks_nobody(page: Browser, saved: Path) -> None:
    assert page.title == "The demo"
    assert one(page, "#about").text.startswith("12 runs · 6 groups · 25 topics · 1,070 judgments")
    assert page.get_log("browser") == []
    asked = [url for url in requests(page) if not url.startswith("data:")]
    assert asked == [saved.as_uri()]
    assert colours(page) > 50


def test_many_scores_do_not_overflow_the_stack(page: Browser) -> None:
    """20 runs on the 6,980 topics of MS MARCO have as many scores as a function may have arguments."""
    shown = page.execute_script("""
        const before = topicRows;
        topicRows = () => before().map((row) => ({ ...row, values: new Array(6000).fill(0.5) }));
        try { return showTopics().length; } finally { topicRows = before; }
    """)
    assert shown == 4


def test_ranks_of_ties_are_halves(page: Browser) -> None:
    assert page.execute_script("return [2.5, 3, null].map(ranks)") == ["2.5", "3", DASH]


def test_the_policy_lets_no_other_script_run(page: Browser) -> None:
    page.execute_script("""
        const script = document.createElement('script');
        script.textContent = 'window.hacked = 1';
        document.body.append(script);
        const image = document.createElement('img');
        image.src = 'https://example.org/x.png';
        document.body.append(image);
    """)
    assert page.execute_script("return window.hacked") is None
    messages = " ".join(entry["message"] for entry in page.get_log("browser"))
    assert "script-src" in messages
    assert "img-src" in messages


def test_scores_are_those_of_the_json_for_every_measure_and_hole_model(page: Browser, demo: Path) -> None:
    scores = uj.score(demo / "qrels.txt", demo / "runs", MEASURES, holes=HOLES, groups=demo / "teams.tsv")
    document = json.loads(scores.to_json())
    for measure in MEASURES:
        for holes in HOLES:
            choose(page, "measure", measure)
            choose(page, "holes", holes)
            true = {row["run"]: row for row in document["rows"] if (row["measure"], row["holes"]) == (measure, holes)}
            names = column(page, "score-table", "Run")
            assert sorted(names) == sorted(true)
            for label, key in ((holes, "value"), ("Low", "low"), ("High", "high")):
                shown = column(page, "score-table", label)
                assert all(is_number(text, true[run][key]) for run, text in zip(names, shown, strict=True))
            shares = column(page, "score-table", "Judged")
            assert shares == [f"{100 * true[run]['judged']:.1f}%" for run in names]
    assert page.get_log("browser") == []


def test_pairs_what_runs_add_and_methods_are_those_of_the_json(page: Browser, demo: Path) -> None:
    qrels, runs, groups = demo / "qrels.txt", demo / "runs", demo / "teams.tsv"
    choose(page, "measure", "P@10")
    pairs = json.loads(uj.compare(qrels, runs, "P@10", groups=groups).to_json())["pairs"]
    choose(page, "against", "cedar-vector")
    others = column(page, "pair-table", "B: other run")
    assert len(others) == 11
    for other, difference, verdict in zip(
        others, column(page, "pair-table", f"A {MINUS} B"), column(page, "pair-table", "Verdict"), strict=True
    ):
        true = next(row for row in pairs if {row["run"], row["other"]} == {"cedar-vector", other})
        sign = 1 if true["run"] == "cedar-vector" else -1
        assert is_number(difference, sign * true["difference"])
        assert verdict == true["verdict"]
    added = {row["run"]: row for row in json.loads(uj.relative(qrels, runs, "P@10", groups=groups).to_json())["rows"]}
    for run, nrg in zip(column(page, "added-table", "Run"), column(page, "added-table", "Adds (NRG)"), strict=True):
        assert is_number(nrg, added[run]["nrg"])
    reused = uj.reuse(qrels, runs, "nDCG@10", groups=groups, holes=[HOLES[0], HOLES[1], HOLES[3]], jobs=1)
    methods = json.loads(reused.to_json())["methods"]
    assert column(page, "method-table", "Unjudged documents") == [row["holes"] for row in methods]
    for text, row in zip(column(page, "method-table", "RMSE"), methods, strict=True):
        assert is_number(text, row["rmse"])


def test_other_corpora_are_those_of_the_json(browser: Browser, demo: Path, tmp_path: Path) -> None:
    how = uj.CorpusBootstrap(images=15, corpus_size=1500)
    measures = ["nDCG@10", "P@10", "GMAP"]
    given: dict[str, Any] = {"holes": "nonrelevant", "reuse": False, "corpus": how}
    uj.report(demo / "qrels.txt", demo / "runs", measures, **given).save(tmp_path / "corpus.html")
    page = opened(browser, tmp_path / "corpus.html")
    expected = json.loads(uj.properties(demo / "qrels.txt", demo / "runs", measures[:2], corpus=how).to_json())
    moves = column(page, "precision-table", "Difference moves")
    for name, shown in zip(column(page, "precision-table", "Measure"), moves, strict=True):
        row = next(one for one in expected["precision"] if one["measure"] == name)
        assert shown == f"{row['difference_sd']:.4f} ± {row['difference_spread']:.4f}"
    for measure in measures[:2]:
        choose(page, "measure", measure)
        runs = {row["run"]: row for row in expected["runs"] if row["measure"] == measure}
        for label, name in ((measure, "mean"), ("On a topic", "score_sd"), ("Rank", "rank")):
            for run, shown in zip(
                column(page, "images-table", "Run"), column(page, "images-table", label), strict=True
            ):
                assert is_number(shown, runs[run][name])
        for run, shown in zip(
            column(page, "images-table", "Run"), column(page, "images-table", "All ranks"), strict=True
        ):
            best, worst = runs[run]["best"], runs[run]["worst"]
            assert shown == (str(best) if best == worst else f"{best} to {worst}")
        rules = [row for row in expected["tests"] if row["measure"] == measure]
        pairs = sorted((row["apart"] for row in rules), reverse=True)
        assert column(page, "rules-table", "Pairs") == [f"{apart} of 66" for apart in pairs]
    choose(page, "measure", "GMAP")
    assert "GMAP cannot be scored on other corpora, or is no mean over topics." in one(page, "#corpus").text
    assert page.find_elements("css selector", "#images-table") == []
    assert one(page, "#controls nav").text.split() == ["Scores", "Topics", "Order", "New", "Reuse", "Corpus", "Origin"]
    assert page.get_log("browser") == []


@pytest.mark.parametrize("level", [SIGNIFICANT, 0.5])
def test_pairs_are_significant_at_the_level_of_the_library(
    browser: Browser, demo_report: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: float
) -> None:
    monkeypatch.setattr(contents, "SIGNIFICANT", level)
    made = make_page(demo_report.overview)
    made.save(tmp_path / "report.html")
    legend = one(opened(browser, tmp_path / "report.html"), "#order").text
    comparison = made.overview.comparisons[0]
    assert isinstance(comparison, uj.Comparison)
    sure = [row.corrected_p < level for row in comparison.pairs()]
    assert f"\nsignificant, {sum(sure)}: corrected p below {level:g}\n" in legend
    assert f"\nnot significant, {len(sure) - sum(sure)}\n" in legend


def test_tables_are_sorted_and_filtered(page: Browser) -> None:
    press(page, "#score-table thead th:first-child button")
    names = column(page, "score-table", "Run")
    assert names == sorted(names)
    assert one(page, "#score-table thead th:first-child").get_attribute("aria-sort") == "ascending"
    press(page, "#score-table thead th:first-child button")
    assert column(page, "score-table", "Run") == names[::-1]
    assert colours(page) > 50
    box = one(page, "input[aria-label='Filter: Scores by nDCG@10']")
    box.send_keys("LATER")
    assert column(page, "score-table", "Run") == [name for name in names[::-1] if name.startswith("later")]
    assert "3 of 12 runs" in one(page, "#scores").text
    assert colours(page) > 50
    choose(page, "measure", "P@10")
    assert colours(page) > 50
    assert len(column(page, "score-table", "Run")) == 3, "what was filtered stays filtered"


def test_a_topic_shows_what_each_run_returned(page: Browser, demo: Path) -> None:
    press(page, "[data-topic='2']")
    title = (demo / "topics.tsv").read_text().splitlines()[3].split("\t")  # the first line has names of columns
    assert one(page, "#topic h3").text == f"Topic {title[0]}: {title[1]}"
    grades = {tuple(line.split()[0:3:2]): line.split()[3] for line in (demo / "qrels.txt").read_text().splitlines()}
    rows = {row[0]: row[2:] for row in cells(page, "rankings")}
    for run in uj.read_runs(demo / "runs"):
        assert rows[run.name] == [grades.get((title[0], doc), "?") for doc, _ in run.ranking(title[0])[:20]]
    hole = one(page, "#rankings .hole")
    page.execute_script("arguments[0].click()", hole)
    doc = hole.get_attribute("data-tip").splitlines()[0]
    assert one(page, "#doc").text.startswith(f"{doc} {DASH} not judged")
    returning = [run.name for run in uj.read_runs(demo / "runs") if doc in dict(run.ranking(title[0])[:20])]
    assert f"Returned by {len(returning)} of 12 runs" in one(page, "#doc").text
    assert all(name in one(page, "#doc").text for name in returning)
    text = next(
        line["text"]
        for line in map(json.loads, (demo / "docs.jsonl").read_text().splitlines())
        if line["doc_id"] == doc
    )
    assert one(page, "#doc .text").text[:40] == " ".join(text.split())[:40]
    assert colours(page) > 50


def test_rankings_can_be_read_with_the_keyboard(page: Browser) -> None:
    press(page, "[data-topic='0']")
    keys = pytest.importorskip("selenium.webdriver").Keys
    one(page, "#rankings [tabindex='0']").send_keys(keys.ARROW_RIGHT)
    page.switch_to.active_element.send_keys(keys.ARROW_DOWN)
    here = page.execute_script("""
        const cell = document.activeElement.closest('td');
        return [cell.parentNode.rowIndex, cell.cellIndex];
    """)
    assert here == [2, 3]
    doc = page.switch_to.active_element.get_attribute("data-doc")
    same = page.find_elements("css selector", ".same")
    assert {node.get_attribute("data-doc") for node in same} == {doc}
    page.switch_to.active_element.send_keys(keys.ENTER)
    assert "Returned by" in one(page, "#doc").text
    assert not one(page, "#tip").get_attribute("hidden")


def test_both_colour_schemes_and_print(page: Browser) -> None:
    def background() -> str:
        return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))

    def emulate(media: str = "", scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    matrix = "return [...document.getElementById('matrix').getContext('2d').getImageData(30, 2, 1, 1).data].join()"
    try:
        emulate()
        light, cell = background(), page.execute_script(matrix)
        emulate(scheme="dark")
        dark = background()
        assert dark != light
        assert page.execute_script(matrix) != cell, "what is painted follows the scheme"
        assert colours(page) > 50
        press(page, "#theme")
        assert background() == light
        press(page, "#theme")
        assert background() == dark
        assert colours(page) > 50
        emulate("print", "dark")
        assert background() == "rgb(255, 255, 255)"
        assert not one(page, "#controls").is_displayed()
        assert colours(page) > 50
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_on_paper_pages_are_light_and_tables_whole(browser: Browser, tmp_path: Path) -> None:
    qrels = {topic: {"a": 1, "b": 0} for topic in "12"}
    runs = {f"r{i:02}": {topic: {"a": i % 3, "b": 1.5} for topic in qrels} for i in range(26)}
    path = tmp_path / "report.html"
    uj.report(qrels, runs, "P@2", reuse=False).save(path)
    page = opened(browser, path)
    shown = """
        const rest = [...document.querySelectorAll('button')].filter((one) => /^Show all/.test(one.textContent));
        const pixel = document.getElementById('matrix').getContext('2d').getImageData(30, 2, 1, 1).data;
        return [rest.some((one) => !one.hidden), pixel.join(), document.documentElement.dataset.theme || null];
    """
    in_part, light, _ = page.execute_script(shown)
    assert in_part, "some table has more rows than are shown at first"
    for press_first in (False, True):  # the system's scheme; then what somebody chose
        if press_first:
            press(page, "#theme")
        before = page.execute_script(shown)
        page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        assert page.execute_script(shown) == [False, light, "light"]
        page.execute_script("window.dispatchEvent(new Event('afterprint'))")
        assert page.execute_script(shown) == before
    assert before[1] != light, "it was dark"


def test_hostile_names_are_shown_and_never_executed(browser: Browser, tmp_path: Path) -> None:
    word, hidden, hebrew = NASTY.replace(" ", ""), "right\u202eto\u2066left", "\u05e9\u05dc\u05d5\u05dd1"
    qrels = {word: {word: 1, "b": 0, hebrew: 2}, "__proto__": {hidden: 1}}
    runs: dict[str, Any] = {
        name: {word: {word: 3.0 - i, hidden: 2.0, "b": 1.0}, "__proto__": {hidden: 1.0, hebrew: 0.5}}
        for i, name in enumerate([word, hidden, hebrew, "__proto__"])
    }
    everything = dict.fromkeys([word, hidden, hebrew, "__proto__"], NASTY)
    path = tmp_path / "hostile.html"
    about: dict[str, Any] = dict.fromkeys(["groups", "topics", "texts"], everything)
    how = uj.CorpusBootstrap(images=4, corpus_size=9)
    uj.report(qrels, runs, "P@2", **about, title=NASTY, jobs=1, corpus=how).save(path)
    page = opened(browser, path)
    assert page.title == NASTY
    press(page, "[data-topic='0']")
    press(page, "#rankings .doc")
    assert sorted(column(page, "score-table", "Run")) == sorted([word, visible(hidden), hebrew, "__proto__"])
    assert sorted(column(page, "images-table", "Run")) == sorted([word, visible(hidden), hebrew, "__proto__"])
    assert set(column(page, "score-table", "Group")) == {NASTY}
    assert NASTY in one(page, "#topic h3").text
    assert NASTY in one(page, "#doc .text").text
    assert page.execute_script("return [...document.querySelectorAll('#score-table th[scope=row] > bdi')].length") == 4
    assert page.execute_script("return document.querySelectorAll('img, iframe, object').length") == 0
    assert page.execute_script("return document.scripts.length") == 2
    assert page.execute_script("return window.hacked") is None
    assert page.get_log("browser") == []
    assert [url for url in requests(page) if not url.startswith("data:")] == [path.as_uri()]


OF_EVERY_OBJECT = ["constructor", "__proto__", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"]


def test_names_that_every_object_has_are_names(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "objects.html"
    qrels = {name: {other: i % 2 for i, other in enumerate(OF_EVERY_OBJECT)} for name in OF_EVERY_OBJECT}
    runs = {
        name: {topic: {doc: float((i * j) % 5) for j, doc in enumerate(OF_EVERY_OBJECT, start=1)} for topic in qrels}
        for i, name in enumerate(OF_EVERY_OBJECT, start=1)
    }
    same = dict(zip(OF_EVERY_OBJECT, OF_EVERY_OBJECT, strict=True))
    uj.report(qrels, runs, "P@2", groups=same, topics=same, texts=same, jobs=1).save(path)
    page = opened(browser, path)
    names = sorted(OF_EVERY_OBJECT)
    for table, label in [("score-table", "Run"), ("score-table", "Group"), ("added-table", "Run")]:
        assert sorted(column(page, table, label)) == names
    assert len(column(page, "pair-table", "B: other run")) == len(names) - 1
    press(page, "[data-topic='0']")
    press(page, "#rankings .doc")
    assert one(page, "#topic h3").text == "Topic constructor: constructor"
    assert one(page, "#doc .id").text in names
    assert len(cells(page, "rankings")) == len(names)
    assert page.get_log("browser") == []


def test_tables_as_pages_run_nothing(browser: Browser, tmp_path: Path) -> None:
    path, word = tmp_path / "tables.html", NASTY.replace(" ", "")
    tables = html.page(word, [html.table(Table(["run", "value"], [[word, "0.5"]])), f"<p>{NASTY}</p>"], [word])
    path.write_text(tables)
    page = opened(browser, path)
    assert [cell.text for cell in page.find_elements("css selector", "td")] == [word, "0.5"]
    assert one(page, "table").value_of_css_property("border-collapse") == "collapse", "its own style is allowed"
    assert page.execute_script("return window.hacked") is None, "not even where escaping were forgotten"
    assert any("Content Security Policy" in entry["message"] for entry in page.get_log("browser"))


def test_a_narrow_screen_scrolls_tables_and_not_the_page(page: Browser) -> None:
    size = page.get_window_size()
    try:
        page.set_window_size(500, 900)
        press(page, "[data-topic='0']")
        assert page.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
        assert colours(page) > 50
    finally:
        page.set_window_size(size["width"], size["height"])


@pytest.mark.shared
@pytest.mark.slow
def test_129_runs_stay_usable(browser: Browser, shared_data: Path, tmp_path: Path) -> None:
    trec8, path = shared_data / "trec8", tmp_path / "trec8.html"
    uj.report(trec8 / "trec8.qrels", trec8 / "runs", groups=trec8 / "runs-pids", reuse=False).save(path)
    assert path.stat().st_size < 15e6
    page = opened(browser, path)
    timing = page.execute_script("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
    assert timing < 3000
    assert len(cells(page, "score-table")) == 129
    press(page, "[data-topic='0']")
    assert len(cells(page, "rankings")) == 129
    assert page.get_log("browser") == []
