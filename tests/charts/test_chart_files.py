"""Charts as files: valid, not blank, and readable in grey."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.errors import FileError, MissingExtraError
from unjudged.reports.charts import all_charts, choose, theme, writing
from unjudged.reports.charts.naming import Box, label_box, place_labels, short_names

EVERY = [(one.command, one.name) for one in all_charts()]


def pixels(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and the filtered rows of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
    at, data = 8, b""
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4]), png[at + 4 : at + 8]
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return width, height, zlib.decompress(data)


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_every_chart_is_a_valid_picture(
    command: str, name: str, draw: Callable[[str, str], uj.Chart], tmp_path: Path
) -> None:
    chart = draw(command, name)
    assert chart.to_altair().to_dict() == chart.to_dict(), "Altair checks the first, not the second"
    chart.save(tmp_path / "chart.png")
    width, height, rows = pixels((tmp_path / "chart.png").read_bytes())
    assert width > 600
    assert height > 300
    assert len(set(rows)) > 20, "blank"
    chart.save(tmp_path / "chart.svg")
    words = {"".join(one.itertext()) for one in ElementTree.parse(tmp_path / "chart.svg").iter() if one.text}
    assert chart.title in words
    assert "NaN" not in (tmp_path / "chart.svg").read_text(), "something has no place or no size"
    for remark in chart.remarks:
        assert any(word and remark.startswith(word) for word in words), remark


ONE_TOPIC = {"1": {"a": 1, "b": 0}}
TWO_RUNS = {"x": {"1": {"a": 2.0, "z": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
SMALLEST = {
    "one hole model": lambda: uj.plots.scores(uj.score(ONE_TOPIC, TWO_RUNS, "P@1")),
    "five hole models": lambda: uj.plots.scores(
        uj.score(ONE_TOPIC, TWO_RUNS, "P@1", holes=["nonrelevant", "condensed", "bounds", "joint", "bootstrap"])
    ),
    "no verdicts, one topic": lambda: uj.plots.differences(uj.compare(ONE_TOPIC, TWO_RUNS, "infAP", draws=3, test="t")),
    "a matrix of one cell": lambda: uj.plots.pairs(uj.compare(ONE_TOPIC, TWO_RUNS, "infAP", draws=3, test="t")),
    "nobody adds anything": lambda: uj.plots.relative(
        uj.relative(ONE_TOPIC, {"m": {"1": {"z": 1.0}}, **TWO_RUNS}, "P@1")
    ),
    "one rank": lambda: uj.plots.holes(uj.doctor(ONE_TOPIC, {"m": {"1": {"a": 1.0}}})),
}


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
@pytest.mark.parametrize("which", SMALLEST)
def test_small_results_are_drawn_too(which: str, tmp_path: Path) -> None:
    chart = SMALLEST[which]()
    assert chart.to_altair().to_dict() == chart.to_dict()
    chart.save(tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text()
    assert "NaN" not in text
    assert "undefined" not in text.replace("undetermined", "")


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_what_is_undefined_everywhere_is_not_drawn() -> None:
    nothing = uj.score({"1": {"a": 0, "b": 0}}, {"m": {"1": {"z": 1.0}}}, "P@1")
    nothing.means[:] = float("nan")
    with pytest.raises(uj.InputError, match="there is nothing to draw: P@1 is undefined for every run"):
        uj.plots.scores(nothing)


def test_pdf_html_and_json(scores: uj.Scores, tmp_path: Path) -> None:
    chart = uj.plots.scores(scores)
    for form in ("pdf", "html", "json"):
        chart.save(tmp_path / f"chart.{form}")
    pdf = (tmp_path / "chart.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert len(pdf) > 5000
    assert json.loads((tmp_path / "chart.json").read_text())["$schema"].startswith("https://vega.github.io/schema/")
    page = (tmp_path / "chart.html").read_text()
    assert page.count("later-neural-large") >= 1


def test_endings_may_be_in_capitals(scores: uj.Scores, tmp_path: Path) -> None:
    uj.plots.scores(scores).save(tmp_path / "CHART.SVG")
    assert (tmp_path / "CHART.SVG").read_text().startswith("<svg")


@pytest.mark.parametrize("name", ["chart.gif", "chart", "png"])
def test_an_unknown_ending_is_an_error(scores: uj.Scores, name: str) -> None:
    with pytest.raises(uj.InputError) as caught:
        uj.plots.scores(scores).save(name)
    assert str(caught.value) == f"{name}: the name of a chart ends in .png, .svg, .pdf, .html, .json"


def test_a_file_that_cannot_be_written_is_an_error(scores: uj.Scores, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written: No such file or directory"):
        uj.plots.scores(scores).save(tmp_path / "nowhere" / "chart.svg")


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_a_missing_extra_is_one_line(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        writing.check_file("chart.png")
    assert str(caught.value) == ("drawing a chart needs altair and vl-convert-python: pip install 'unjudged[report]'")


def test_the_columns_need_no_extra(scores: uj.Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    chart = uj.plots.scores(scores)
    assert repr(chart) == (
        "ScoreIntervals('nDCG@10 over 25 topics', 36 rows of run, holes, value, low, high, judged, first, thickness,"
        " size)"
    )


def test_charts_show_themselves_in_notebooks(scores: uj.Scores) -> None:
    assert uj.plots.scores(scores)._repr_svg_().startswith("<svg")


# ---- grey


def lightness(colour: str) -> float:
    """CIE L* of a colour such as ``#0072B2``: 0 is black, 100 white; what is left of it on a grey printer."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    luminance = sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    cube = (6 / 29) ** 3
    return float(116 * (luminance ** (1 / 3) if luminance > cube else luminance / (3 * (6 / 29) ** 2) + 4 / 29) - 16)


def test_the_first_four_colours_differ_in_grey() -> None:
    for one, other in combinations(theme.COLOURS[:4], 2):
        assert abs(lightness(one) - lightness(other)) > 10


def test_a_colour_and_its_shape_occur_once() -> None:
    number = len(theme.COLOURS) * len(theme.SHAPES)
    signs = list(zip(theme.cycled(theme.COLOURS, number), theme.cycled(theme.SHAPES, number), strict=True))
    assert len(set(signs)) == number
    assert len(set(theme.SHAPES)) == len(theme.SHAPES) > len(theme.COLOURS)
    assert len(set(map(tuple, theme.DASHES))) == len(theme.DASHES)


def test_the_ramp_gets_darker_all_the_way() -> None:
    steps = [lightness(colour) for colour in theme.RAMP]
    assert all(before - after > 8 for before, after in pairwise(steps))


def test_every_colour_can_be_seen_on_white() -> None:
    for colour in (*theme.COLOURS, theme.FAINT):
        assert lightness(colour) < 75


@pytest.mark.parametrize(("colour", "expected"), [("#000000", 0), ("#ffffff", 100), ("#777777", 50.03)])
def test_lightness(colour: str, expected: float) -> None:
    assert lightness(colour) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_what_colours_say_shapes_or_dashes_or_lightness_say_too(
    command: str, name: str, draw: Callable[[str, str], uj.Chart]
) -> None:
    chart = draw(command, name)
    text = json.dumps(chart.to_dict())
    for field in ("holes", "source", "group", "method"):
        if f'"color": {{"field": "{field}"' in text:
            assert f'"shape": {{"field": "{field}"' in text


# ---- names


def test_long_names_lose_their_middle_and_stay_different() -> None:
    names = ["x" * 60 + str(i) + "y" * 60 for i in range(3)] + ["short"]
    short = short_names(names)
    assert len(set(short)) == 4
    assert max(map(len, short)) <= 36
    assert short[3] == "short"


boxes = st.lists(
    st.tuples(st.floats(0, 300), st.floats(0, 300), st.text("abMW_1", min_size=1, max_size=12)), min_size=1, max_size=25
)


@given(boxes)
def test_labels_never_overlap(labels: list[tuple[float, float, str]]) -> None:
    points, names = [(x, y) for x, y, _ in labels], [name for _, _, name in labels]
    frame = Box(0, 0, 300, 300)
    places = place_labels(points, names, range(len(points)), frame)
    drawn = [label_box(at, name) for at, name in zip(places, names, strict=True) if at is not None]
    assert not any(one.overlaps(other) for one, other in combinations(drawn, 2))
    assert all(box.inside(frame) for box in drawn)
    for box in drawn:
        assert not any(box.left < x < box.right and box.low < y < box.high for x, y in points)


def test_a_point_alone_gets_its_label() -> None:
    assert place_labels([(100.0, 100.0)], ["mine"], [0], Box(0, 0, 300, 300)) != [None]


def history_of(runs: dict[str, Any], qrels: Any, path: Path) -> uj.History:
    """45 releases, more than a chart shows."""
    for name in list(runs)[:45]:
        history = uj.add_release(qrels, {name: runs[name]}, path, "P@1", holes="nonrelevant")
    return history


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Results of 129 runs, as many as TREC-8 has."""
    topics = [str(topic) for topic in range(9)]
    qrels = {topic: {"a": 1, "b": 0} for topic in topics}
    runs = {
        f"a-run-of-some-team-{i:03}": {
            topic: {"a" if (i * int(topic)) % 7 else "b": 2.0, "x" if i % 5 else "b": 1.0} for topic in topics
        }
        for i in range(129)
    }
    teams = {name: f"team {i // 4}" for i, name in enumerate(runs)}
    labels = {topic: {**grades, "x": 0} for topic, grades in qrels.items()}
    return {
        "doctor": uj.doctor(qrels, runs),
        "score": uj.score(qrels, runs, "P@1"),
        "compare": uj.compare(qrels, runs, "P@1", draws=2, test="t"),
        "gate": uj.gate(qrels, dict([*runs.items()][:2]), "P@1", draws=2),
        "history": history_of(runs, qrels, tmp_path_factory.mktemp("history") / "h.jsonl"),
        "relative": uj.relative(qrels, runs, "P@1", groups=teams, holes="nonrelevant"),
        "judges": uj.judges(qrels, runs, {f"a-judge-of-some-team-{i:03}": labels for i in range(60)}, "P@1"),
        "audit": uj.audit(qrels, runs, "P@1", top=1),
        "properties": uj.properties(
            qrels, runs, ["P@1", "RR"], corpus=uj.CorpusBootstrap(images=5, corpus_size=9), shallow=1
        ),
    }


@pytest.mark.parametrize(
    ("command", "name"), [one for one in EVERY if one[1] not in ("topics", "segments") and one[0] != "reuse"]
)
def test_labels_have_room_with_129_runs(command: str, name: str, many: dict[str, object]) -> None:
    chart = choose(command, name)(many[command])
    if command == "judges":  # names of runs are under the pointer only
        assert name == "scores" or chart.remarks[0].startswith("The first ")
        return
    if command == "relative":
        assert chart.remarks[-2].startswith("Names of ")
        return
    if command == "history":
        assert len(set(chart.columns["release"])) == 40
        assert chart.remarks[0].startswith("The last 40 of 4")
        return
    if not {"run", "better"} & set(chart.columns):  # it shows no runs
        return
    (first, *_) = chart.remarks or ("it says nothing of runs that have no room",)
    assert re.search(r"\b(30|40) of 12[89] (other )?runs; the other (88|89|99) have ", first)
    specification = chart.to_dict()
    parts = [specification, *specification.get("hconcat", [])]
    steps = [part["height"]["step"] for part in parts if isinstance(part.get("height"), dict)]
    assert steps, "a line has a height of its own, however many there are"
    assert min(steps) >= 13, "names of 10 pixels need lines of 13"
    for column in {"run", "better", "worse"} & set(chart.columns):
        assert len(set(chart.columns[column])) <= 40
