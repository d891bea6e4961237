"""Rewrites what the documentation takes from the code: the reference pages, the picture of the output, and charts."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import unjudged as uj
from unjudged.demo.collection import CORPUS_SIZE, write_collection
from unjudged.report.reference import holes_page, measures_page
from unjudged.report.tables import render_scores

DOCS = Path(__file__).parent
COMMAND = "unjudged score qrels.txt runs/ -m nDCG@10 --holes nonrelevant --holes bootstrap"
SHOWN = {"dogwood-fused", "cedar-fused", "birch-expanded", "later-neural-base", "later-neural-large"}


def score_output() -> str:
    """What ``unjudged score`` prints for the demo collection."""
    with tempfile.TemporaryDirectory() as folder:
        collection = write_collection(Path(folder) / "demo")
        best = [run for run in collection.runs if run.stem in SHOWN]
        scores = uj.score(collection.qrels, best, "nDCG@10", holes=["nonrelevant", "bootstrap"])
    return render_scores(scores, "table")


def picture(command: str, output: str) -> str:
    """A terminal as SVG, without the web fonts that rich links to: documentation loads nothing from elsewhere."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=84, file=nowhere)
        console.print(Text(f"$ {command}\n", style="bold"))
        console.print(Text(output))
        svg = console.export_svg(title="unjudged", theme=MONOKAI, unique_id="score")
    return re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)


def charts() -> Iterator[tuple[str, uj.Chart]]:
    """The charts of the documentation, all of the demo collection."""
    with tempfile.TemporaryDirectory() as folder:
        demo = write_collection(Path(folder) / "demo")
        runs = demo.runs[0].parent
        scores = uj.score(demo.qrels, runs, "nDCG@10", holes=["bounds", "condensed", "bootstrap"])
        yield "intervals", uj.plot_scores(scores)
        yield "topics", uj.plot_topics(scores, run="later-neural-large", top=4)
        comparison = uj.compare(demo.qrels, runs, corpus=uj.CorpusBootstrap(corpus_size=CORPUS_SIZE))
        yield "pairs", uj.plot_pairs(comparison)
        yield "differences", uj.plot_differences(comparison)
        yield "ranks", uj.plot_ranks(comparison)
        yield "budget", uj.plot_budget(comparison)
        yield "added", uj.plot_relative(uj.relative(demo.qrels, runs, groups=demo.teams))
        ways = ["LeaveOutGroup", "DepthCut(1,2,4,8)", "KeepFraction(10%,20%,50%)"]
        reuse = uj.reuse(demo.truth, runs, degrade=ways, groups=demo.teams)
        yield "curves", uj.plot_curves(reuse)
        yield "left-out", uj.plot_left_out(reuse)
        yield "holes", uj.plot_holes(uj.doctor(demo.qrels, runs), ranks=20)


if __name__ == "__main__":
    (DOCS / "measures.md").write_text(measures_page(), encoding="utf-8")
    (DOCS / "holes.md").write_text(holes_page(), encoding="utf-8")
    (DOCS / "images").mkdir(exist_ok=True)
    (DOCS / "images" / "score.svg").write_text(picture(COMMAND, score_output()) + "\n", encoding="utf-8")
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    for name, chart in charts():
        chart.save(DOCS / "images" / f"{name}.svg")
