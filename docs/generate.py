"""Rewrites what the documentation takes from the code: the reference pages, and the picture of the output."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import unjudged as uj
from unjudged.demo.collection import write_collection
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


if __name__ == "__main__":
    (DOCS / "measures.md").write_text(measures_page(), encoding="utf-8")
    (DOCS / "holes.md").write_text(holes_page(), encoding="utf-8")
    (DOCS / "images").mkdir(exist_ok=True)
    (DOCS / "images" / "score.svg").write_text(picture(COMMAND, score_output()) + "\n", encoding="utf-8")
