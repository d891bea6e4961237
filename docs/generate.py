"""Rewrites what the documentation takes from the code: the reference page, and the picture of the output."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.report.reference import reference_page
from unjudged.report.tables import render_scores

DOCS = Path(__file__).parent
COMMAND = "unjudged score qrels.txt runs/ -m nDCG@10 -m AP -m P@10"


def score_output() -> str:
    """What ``unjudged score`` prints for the demo collection."""
    with tempfile.TemporaryDirectory() as folder:
        collection = write_collection(Path(folder) / "demo")
        scores = uj.score(collection.qrels, collection.runs[0].parent, ["nDCG@10", "AP", "P@10"])
    return render_scores(scores, "table")


def picture(command: str, output: str) -> str:
    """A terminal as SVG, without the web fonts that rich links to: documentation loads nothing from elsewhere."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=60, file=nowhere)
        console.print(Text(f"$ {command}\n", style="bold"))
        console.print(Text(output))
        svg = console.export_svg(title="unjudged", theme=MONOKAI, unique_id="score")
    return re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)


if __name__ == "__main__":
    (DOCS / "measures.md").write_text(reference_page(), encoding="utf-8")
    (DOCS / "images").mkdir(exist_ok=True)
    (DOCS / "images" / "score.svg").write_text(picture(COMMAND, score_output()) + "\n", encoding="utf-8")
