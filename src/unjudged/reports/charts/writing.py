"""The one place that knows formats of charts: PNG, SVG, PDF, an HTML page that needs no network, the specification."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
from collections.abc import Callable
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any

from unjudged.errors import InputError, MissingExtraError, UnjudgedError
from unjudged.reports.escape import for_html
from unjudged.reports.html import policy_element

__all__ = ["FORMATS", "altair", "chart_page", "check_file", "content"]

FORMATS = ("png", "svg", "pdf", "html", "json")
_PIXELS_PER_INCH = 216
"""Of a PNG: three times what charts are laid out in, which is sharp in print at half a page."""

_MARK = re.compile(r'<g class="mark-(?!group )\w+ role-mark[^>]*><(?:path|line|text|rect|image) ')
"""Something that is drawn for the data, not for an axis or a legend."""
# Names are text or values of attributes, which have no "<", ">" or (attributes) quotes; so these find what they say.
_TAG = re.compile(r"<[^<>]+>")
_ID = re.compile(r'(<(?:clipPath|linearGradient|radialGradient) id="| (?:clip-path|fill|stroke)="url\(#)([^")]+)(\)?")')


def altair() -> Any:
    """Altair, which takes a third of a second to load and is not always installed."""
    return _extra("altair")


def _extra(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError("altair and vl-convert-python", "report", "drawing a chart") from None


def check_file(path: str | PathLike[str]) -> str:
    """The format that a file's name asks for; an error if there is none, or if nothing can be drawn here at all."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise InputError(f"{path}: the name of a chart ends in {', '.join(f'.{one}' for one in FORMATS)}")
    altair()
    _extra("vl_convert")
    return ending


def content(specification: dict[str, Any], form: str, title: str) -> bytes:
    """The bytes of a chart in one of ``FORMATS``."""
    if form == "json":
        return json.dumps(specification, indent=1, allow_nan=False).encode()
    converter = _extra("vl_convert")
    version = ".".join(altair().SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Nothing is fetched: the data are in the specification.
    drawn = str(converter.vegalite_to_svg(specification, vl_version=version, allowed_base_urls=[]))
    if not _MARK.search(drawn):  # Vega only logs that it failed
        raise UnjudgedError(
            f"the chart {title!r} came out blank: Vega failed; save it as .json, and tell us with that file"
        )
    if form == "html":
        return chart_page(specification, title, partial(_with_vega, version=version)).encode()
    svg = _with_own_ids(drawn)
    if form == "svg":
        return svg.encode()
    return bytes(converter.svg_to_pdf(svg) if form == "pdf" else converter.svg_to_png(svg, ppi=_PIXELS_PER_INCH))


@cache
def _with_vega(script: str, version: str) -> str:
    """The script with Vega in front of it, which takes seconds, and is the same for all charts."""
    return str(_extra("vl_convert").javascript_bundle(script, vl_version=version))


def _with_own_ids(svg: str) -> str:
    """The picture with ids made from what it shows.

    vl-convert counts them in each process, but a notebook may have pictures of several processes on one page, where the
    second would be clipped as the first is. So saved files do not depend on what was drawn before, either.
    """
    numbers = {
        name: str(i)
        for i, name in enumerate(re.findall(r'<(?:clipPath|linearGradient|radialGradient) id="([^"]+)"', svg))
    }

    def renamed(mark: str) -> str:
        def in_tag(tag: re.Match[str]) -> str:
            return _ID.sub(lambda match: f"{match[1]}{mark}{numbers[match[2]]}{match[3]}", tag[0])

        return _TAG.sub(in_tag, svg)

    return renamed(f"u{hashlib.sha256(renamed('').encode()).hexdigest()[:12]}-") if numbers else svg


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
{policy}
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="chart"></div>
<div id="tip" role="tooltip" hidden></div>
<script type="application/json" id="specification">{specification}</script>
<script type="module">{script}</script>
</body>
</html>
"""
# Vega's own styles are not in the policy, because they are made by its script.
_STYLE = """
body { margin: 1.5rem; background: white; font: 13px/1.4 Helvetica, Arial, 'Liberation Sans', sans-serif; }
#chart svg { max-width: 100%; height: auto; }
.vega-actions { margin-top: 1rem; }
.vega-actions a { margin-right: 1rem; color: #0072b2; }
#tip { position: fixed; max-width: 40rem; padding: 0.3rem 0.6rem; background: white; border: 1px solid #bbb; }
#tip { pointer-events: none; font-size: 12px; overflow-wrap: anywhere; box-shadow: 0 1px 4px rgb(0 0 0 / 0.2); }
#tip th { text-align: right; font-weight: normal; color: #555; padding-right: 0.5rem; vertical-align: top; }
"""
# Vega would compile its expressions with eval, which the policy forbids; with `ast` it walks through them instead. Its
# own tooltips need a style attribute; these take names as text only.
_SCRIPT = """
const specification = JSON.parse(document.getElementById('specification').textContent);
const chart = document.getElementById('chart');
const tip = document.getElementById('tip');

function row([key, value]) {
  const line = document.createElement('tr');
  line.append(document.createElement('th'), document.createElement('td'));
  line.firstChild.textContent = key;
  line.lastChild.append(document.createElement('bdi'));
  line.lastChild.firstChild.textContent = value;
  return line;
}

function tooltip(_, event, item, value) {
  tip.hidden = value === null || value === undefined || value === '';
  if (tip.hidden) return;
  const table = document.createElement('table');
  table.append(...Object.entries(value).map(row));
  tip.replaceChildren(table);
  const left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 14;
  const top = below + tip.offsetHeight < window.innerHeight ? below : event.clientY - tip.offsetHeight - 8;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

const how = { ast: true, renderer: 'svg', defaultStyle: false, tooltip, logLevel: 1 };
how.actions = { export: true, source: false, compiled: false, editor: false };
vegaEmbed(chart, specification, how).catch((problem) => {
  chart.textContent = `This chart cannot be drawn: ${problem}`;
});
"""


def chart_page(specification: dict[str, Any], title: str, bundle: Callable[[str], str]) -> str:
    """The page of a Vega-Lite specification; *bundle* puts Vega in front of a script."""
    # vl-convert's own page writes data into a script as it is, so that "</script>" in a run's name would end it.
    text = json.dumps(specification, allow_nan=False).replace("<", "\\u003c")
    script = bundle(_SCRIPT).replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return _PAGE.format(
        policy=policy_element(script=script, style=_STYLE, images="data: blob:"),
        title=for_html(title),
        style=_STYLE,
        specification=text,
        script=script,
    )
