"""One report of the demo collection, which all tests of pages look at."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import unjudged as uj
from unjudged.demo.collection import write_collection
from unjudged.reports.page import Page

MEASURES = ["nDCG@10", "P@10", "AP@20"]
HOLES = ["nonrelevant", "condensed", "joint", "evidence"]


class Elements(HTMLParser):
    """The elements of a page: tags with their attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[str, dict[str, str | None], str]] = []
        self._raw = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._raw = tag in {"script", "style"}
        if self._raw:
            self.inside.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._raw = False

    def handle_data(self, data: str) -> None:
        if self._raw:
            tag, attrs, text = self.inside[-1]
            self.inside[-1] = tag, attrs, text + data

    def data(self) -> Any:
        """What the page knows."""
        return json.loads(next(text for tag, attrs, text in self.inside if attrs.get("id") == "data"))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_collection(tmp_path_factory.mktemp("report") / "demo").directory


@pytest.fixture(scope="session")
def demo_report(demo: Path) -> Page:
    return uj.report(
        demo / "qrels.txt",
        demo / "runs",
        MEASURES,
        groups=demo / "teams.tsv",
        topics=demo / "topics.tsv",
        texts=demo / "docs.jsonl",
        title="The demo",
        jobs=1,
    )
