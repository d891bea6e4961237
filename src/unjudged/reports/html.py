"""Tables as a page that needs nothing but itself, and what the pages that we write may do: only what is in them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence

from unjudged.reports.cells import Table
from unjudged.reports.escape import for_html

__all__ = ["captioned", "fragment", "page", "policy_element", "table"]

_LONGEST_NAME = 40

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0 2rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #888; }
.text { text-align: left; }
.long { white-space: normal; }
.wide { overflow-x: auto; }
.caption { margin-bottom: 0; max-width: 55rem; font-size: 0.9rem; }
"""

# No colours of our own, so that text is readable on whatever the notebook's theme puts behind it. The
# selectors are long enough to win against those of Jupyter.
_FRAGMENT_STYLE = """
.unjudged { overflow-x: auto; }
.unjudged p { margin: 0.4em 0; max-width: 60em; white-space: pre-wrap; }
.unjudged .small { font-size: 0.9em; opacity: 0.85; }
.unjudged .cells { border-collapse: collapse; border: none; margin: 0.4em 0 1em; font-size: 0.85em;
  font-variant-numeric: tabular-nums; }
.unjudged .cells th, .unjudged .cells td { padding: 0.2em 0.7em; border: none; text-align: right; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.3); white-space: pre; }
.unjudged .cells th { border-bottom: 2px solid rgba(128, 128, 128, 0.7); font-weight: bold; vertical-align: bottom; }
.unjudged .cells th.text, .unjudged .cells td.text { text-align: left; }
.unjudged .cells td.long { white-space: pre-wrap; min-width: 18em; max-width: 32em; }
"""


def table(table: Table) -> str:
    """A table; its names are text, the other cells numbers."""

    def line(cells: Sequence[str], tag: str) -> str:
        kinds = [_kind(cell) if i < table.left else "" for i, cell in enumerate(cells)]
        parts = [f"<{tag}{kind}>{for_html(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)]
        return "<tr>" + "".join(parts) + "</tr>"

    head, body = f"<thead>{line(table.header, 'th')}</thead>", [line(row, "td") for row in table.rows]
    return "\n".join(['<table class="cells">', head, "<tbody>", *body, "</tbody>", "</table>"])


def captioned(cells: str, caption: str) -> str:
    """A table that scrolls by itself where it is wider than the page, below what it is about."""
    about = f'<p class="caption">{for_html(caption)}</p>\n' if caption else ""
    return f'{about}<div class="wide">\n{cells}\n</div>'


def _kind(cell: str) -> str:
    """Names stay on one line; only sentences are broken."""
    return ' class="text long"' if len(cell) > _LONGEST_NAME else ' class="text"'


def fragment(parts: Sequence[str]) -> str:
    """Part of somebody else's page, such as a notebook; the parts are HTML already."""
    return "\n".join([f'<div class="unjudged">\n<style>{_FRAGMENT_STYLE}</style>', *parts, "</div>"])


def page(title: str, parts: Iterable[str], words: Sequence[str]) -> str:
    """A whole page: sentences, then the parts, which are HTML already."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            policy_element(style=_STYLE),
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{for_html(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f"<h1>{for_html(title)}</h1>",
            *(f"<p>{for_html(text)}</p>" for text in words),
            *parts,
            "</body>\n</html>",
        ]
    )


def policy_element(*, style: str, script: str | None = None, images: str = "") -> str:
    """The element that allows a page this style and this script, and images from these sources; nothing else.

    Text is hashed as it stands between the tags. So whatever a name from a file would become, no browser runs it, and
    nothing can be loaded from or sent to anywhere.
    """
    rules = ["default-src 'none'"]
    if script is not None:
        rules.append(f"script-src '{_hash(script)}'")
    rules.append(f"style-src '{_hash(style)}'")
    if images:
        rules.append(f"img-src {images}")
    rules += ["base-uri 'none'", "form-action 'none'"]
    return f'<meta http-equiv="Content-Security-Policy" content="{for_html("; ".join(rules))}">'


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
