r"""One page that tells everything: HTML, style and scripts are plain files beside this one, the data goes in as JSON.

`studies/overview` asks all studies about the same runs, which it reads once, and returns their results as they are. A
study that cannot use a measure raises `InputError`; the overview keeps that as `Skipped` with its reason. What a user
typed is checked before, so that no mistake of theirs ends as a reason.

`reports/page` makes the page: `contents.py` turns results into JSON (columns; names once, then numbers; 8 digits),
`sentences.py` into the answers that sections begin with, and `__init__.py` puts `page.html`, the styles, the scripts
and the data together. These are plain files, one script for each section, joined in the order of `_SCRIPTS` into one
script, whose hash is in the content security policy (`reports/html.py`, for all pages that we write); so there is
nothing to build. Three rules keep text from files harmless: JSON has no `<`, `>` or `&` (they are written `\u003c`);
`_visible` shows what cannot be seen as escapes (`wording.visible`, the one rule for that; scripts get text that went
through it); and scripts make elements with `el` and `svg` (`elements.js`), which take text, never HTML. Tests hold all
three, and a browser runs against hostile names.

`sortable` (`table.js`) is every table: what somebody sorted or filtered is remembered by the table's id, so sections
are simply made again when another measure is chosen. A matrix of 129 x 129 pairs is painted on a canvas, which takes
a hundredth of the time of as many elements; the table below it has the same pairs for the keyboard and for those who
listen.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from typing import Any

from unjudged.io.writing import write_file
from unjudged.notebook_repr import NotebookRepr
from unjudged.reports.escape import for_html
from unjudged.reports.html import policy_element
from unjudged.reports.page.contents import page_contents
from unjudged.studies.overview import Overview
from unjudged.wording import visible

__all__ = ["QUESTIONS", "Page", "make_page"]

_SCRIPTS = (
    *("elements", "dom", "table", "files", "scores", "topics", "rankings"),
    *("order", "matrix", "segments", "added", "labels", "reuse", "judge", "corpus", "origin", "main"),
)
"""In the order in which they are run; together they are one script."""
_STYLES = ("theme", "page", "graphics")
QUESTIONS = {
    "files": "Are the files sound?",
    "scores": "What are the scores, and how sure are they?",
    "topics": "What happened on each topic?",
    "order": "Who beats whom, and does it survive the holes?",
    "segments": "Is it so on every segment of the topics?",
    "added": "Who adds something new?",
    "labels": "Can the labels be trusted?",
    "reuse": "Can the collection be reused?",
    "judge": "What should be judged next?",
    "corpus": "Would another corpus change this?",
    "origin": "Where do these numbers come from?",
}
"""The sections, in the order of the story."""
_IF_ASKED = ("segments", "labels", "judge", "corpus")
"""Sections that are there only if they were asked for."""
_SHORT = {
    "scores": "Scores",
    "topics": "Topics",
    "order": "Order",
    "segments": "Segments",
    "added": "New",
    "labels": "Labels",
    "reuse": "Reuse",
    "judge": "Next",
    "corpus": "Corpus",
}
"""What links at the top of the page say; the last is that to the origin."""
# What could end the script element, or the line of a script. All of them stand in strings only, where \u is understood.
_UNSAFE = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, eq=False, repr=False)
class Page(NotebookRepr):
    """A report: its HTML, the sentences that it begins with, and the results that it shows."""

    html: str
    sentences: dict[str, str]
    """The answer to each question, by section."""
    overview: Overview

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, but not over one that it was made of."""
        write_file(path, self.html, inputs=self.overview.provenance.files)

    def __repr__(self) -> str:
        return f"Page of {len(self.html.encode()) / 1e6:.1f} MB: {self.overview!r}"


def make_page(overview: Overview, title: str | None = None) -> Page:
    """The page of an overview."""
    contents = _visible(page_contents(overview))
    leads = {
        "files": contents["files"]["lead"],
        "scores": contents["measures"][0]["lead"],
        "order": contents["order"][0]["lead"],
        "added": contents["added"][0]["lead"],
        "reuse": contents["reuse"]["lead"],
        **{name: _first(contents[name])["lead"] for name in _IF_ASKED if name in contents},
    }
    leads = {name: leads[name] for name in QUESTIONS if name in leads}
    questions = {name: one for name, one in QUESTIONS.items() if name not in _IF_ASKED or name in contents}
    style = "\n".join(_part(f"{name}.css") for name in _STYLES)
    scripts = [name for name in _SCRIPTS if name not in _IF_ASKED or name in contents]
    script = "\n".join(["'use strict';", *(_part(f"{name}.js") for name in scripts)])
    parts = {
        "policy": policy_element(script=script, style=style, images="data:"),
        "title": for_html(title or "Evaluation report"),
        "style": style,
        "answers": "\n".join(_answer(name, sentence) for name, sentence in leads.items()),
        "links": " ".join(
            f'<a href="#{name}">{_SHORT.get(name, "Origin")}</a>' for name in questions if name != "files"
        ),
        "sections": "\n".join(_section(name, question) for name, question in questions.items()),
        "data": _json(contents),
        "script": script,
    }
    # In one pass, so that nothing that is put in is looked at again.
    html = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], _part("page.html"))
    return Page(html, leads, overview)


def _first(section: Any) -> dict[str, Any]:
    """What a section begins with: that of the first measure, where it has one for each."""
    return section[0] if isinstance(section, list) else section  # type: ignore[no-any-return]


def _part(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _answer(name: str, sentence: str) -> str:
    question = for_html(QUESTIONS[name])
    return f'<dt><a href="#{name}">{question}</a></dt>\n<dd data-answer="{name}">{for_html(sentence)}</dd>'


def _section(name: str, question: str) -> str:
    heading = f'<h2 id="{name}-question">{for_html(question)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-question">\n{heading}\n<div class="body"></div>\n</section>'


def _visible(value: Any) -> Any:
    """The same with all text as people should see it: characters that move or reverse text are shown as escapes."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible(str(key)): _visible(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(one) for one in value]
    return value


def _json(contents: Any) -> str:
    text = json.dumps(contents, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: _UNSAFE[match.group()], text)
