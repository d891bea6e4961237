"""--plot and --chart"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import unjudged as uj
from unjudged.cli.app import app
from unjudged.demo.collection import Collection, write_collection
from unjudged.reports.charts import all_charts, chart_names

from .conftest import Command


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return write_collection(tmp_path_factory.mktemp("plots") / "demo")


ARGUMENTS = {
    "doctor": (),
    "score": ("-m", "nDCG@10", "--holes", "bootstrap(draws=50)"),
    "compare": ("--draws", "20", "--test", "t"),
    "gate": ("-m", "P@10", "--draws", "20"),
    "history": (),
    "relative": (),
    "judges": (),
    "audit": (),
    "properties": ("-m", "AP", "-m", "P@10", "--corpus-size", "1500", "--images", "20", "--shallow", "5"),
    "reuse": ("--degrade", "LeaveOutRun", "--degrade", "DepthCut(2,5)", "--holes", "nonrelevant", "--jobs", "1"),
}
EVERY = [(one.command, one.name) for one in all_charts()]


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_every_chart_of_every_command(
    unjudged: Command, demo: Collection, tmp_path: Path, command: str, name: str
) -> None:
    which = ("--chart", name) if len(chart_names(command)) > 1 else ()
    if name == "strategies":  # which were not asked for otherwise
        which = (*which, "--strategy", "depth", "--strategy", "mtf")
    if name == "segments":
        (tmp_path / "s.tsv").write_text("".join(f"{topic} {topic % 2}\n" for topic in range(101, 126)))
        which = (*which, "--segments", str(tmp_path / "s.tsv"))
    labels = (demo.truth,) if command == "judges" else ()
    where = (demo.qrels, *labels, demo.runs[0].parent, *ARGUMENTS[command], "--quiet")
    if command == "history":
        for run in demo.runs[:2]:
            uj.add_release(demo.qrels, run, tmp_path / "h.jsonl", "P@10", holes="nonrelevant")
        command, where = "history show", (tmp_path / "h.jsonl",)
    done = unjudged(command, *where, "--plot", tmp_path / "a.json", "--plot", tmp_path / "b.svg", *which)
    assert (done.code, done.err) == (3 if command == "gate" else 0, "")  # its answer is undecided
    assert done.out, "the result is still there"
    assert json.loads((tmp_path / "a.json").read_text())["title"]["text"]
    assert (tmp_path / "b.svg").read_text().startswith("<svg")


def test_the_chart_that_says_most_is_the_default(unjudged: Command, demo: Collection, tmp_path: Path) -> None:
    def title(*arguments: object) -> str:
        command, *rest = arguments
        unjudged(command, demo.qrels, demo.runs[0].parent, *rest, "--quiet", "--plot", tmp_path / "chart.json")
        return str(json.loads((tmp_path / "chart.json").read_text())["title"]["text"])

    compare = ("compare", *ARGUMENTS["compare"])
    assert title(*compare) == "Pairs of runs by nDCG@10 over 25 topics"
    assert title(*compare, "--baseline", "cedar-fused") == "Differences from the baseline cedar-fused over 25 topics"
    reuse = ("reuse", "--holes", "nonrelevant", "--jobs", "1")
    assert title(*reuse).startswith("Runs that are new to the pool")
    assert title(*reuse, "--degrade", "DepthCut(2,5)").startswith("Agreement with the truth")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--plot", "x.gif"), "x.gif: the name of a chart ends in .png, .svg, .pdf, .html, .json"),
        (("--chart", "pairs"), "--chart needs --plot FILE"),
        (
            ("--plot", "x.png", "--chart", "pie"),
            "unjudged compare has no chart 'pie'; there is budget, differences, pairs, ranks, segments",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_any_work(
    unjudged: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = unjudged("compare", "no-such-qrels", "no-such-run", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"unjudged: {message}\n")


def test_a_missing_extra_is_refused_before_any_work(unjudged: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = unjudged("score", "no-such-qrels", "no-such-run", "--plot", "x.png")
    assert done.err == (
        "unjudged: drawing a chart needs altair and vl-convert-python: pip install 'unjudged[report]'\n"
    )
    assert done.code == 2


@pytest.mark.parametrize("command", ARGUMENTS)
def test_the_help_lists_the_charts(command: str) -> None:
    typed = "history show" if command == "history" else command
    parameters = {one.name: one for one in get_command(app).commands[typed].params}  # type: ignore[attr-defined]
    assert "plot" in parameters
    if len(chart_names(command)) == 1:
        assert "chart" not in parameters
    else:
        assert parameters["chart"].help == f"Which chart: {', '.join(chart_names(command))}."


def test_nothing_is_drawn_with_unless_something_is_drawn() -> None:
    code = (
        "import sys; from unjudged.cli import main; import unjudged.reports.charts\n"
        "print([name for name in ('altair', 'vl_convert', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
