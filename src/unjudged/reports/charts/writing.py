"""The one place that writes charts: PNG, SVG and PDF, an HTML page that needs no network, and the specification."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from unjudged.errors import InputError, MissingExtraError
from unjudged.io.writing import write_file
from unjudged.reports.escape import for_html

__all__ = ["FORMATS", "altair", "check_file", "content", "write"]

FORMATS = ("png", "svg", "pdf", "html", "json")
_PIXELS_PER_INCH = 216
"""Of a PNG: three times what charts are laid out in, which is sharp in print at half a page."""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>body {{ margin: 1.5rem; background: white; }}</style>
</head>
<body>
<div id="chart"></div>
<script type="application/json" id="specification">{specification}</script>
<script type="module">
{script}
</script>
</body>
</html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:"
"""The page may load nothing from anywhere. Vega compiles its own expressions, which no name is part of."""
_SCRIPT = """
const specification = JSON.parse(document.getElementById("specification").textContent);
vegaEmbed("#chart", specification, {actions: {export: true, source: false, compiled: false, editor: false}});
"""
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


def write(specification: dict[str, Any], path: str | PathLike[str], *, title: str, inputs: Iterable[str] = ()) -> None:
    """Write a Vega-Lite specification in the format that the file's name asks for, but not over one of the *inputs*."""
    write_file(path, content(specification, check_file(path), title), inputs=inputs)


def content(specification: dict[str, Any], form: str, title: str) -> bytes:
    """The bytes of a chart in one of ``FORMATS``."""
    if form == "json":
        return json.dumps(specification, indent=1, allow_nan=False).encode()
    converter = _extra("vl_convert")
    version = ".".join(altair().SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    if form == "html":
        # vl-convert's own page writes data into a script as it is, so that "</script>" in a run's name would end it.
        text = json.dumps(specification, allow_nan=False).replace("<", "\\u003c")
        script = converter.javascript_bundle(_SCRIPT, vl_version=version).replace("</script", "<\\/script")
        return _PAGE.format(policy=_POLICY, title=for_html(title), specification=text, script=script).encode()
    # Nothing is fetched: the data are in the specification.
    how: dict[str, Any] = {"vl_version": version, "allowed_base_urls": []}
    if form == "svg":
        return _with_own_ids(str(converter.vegalite_to_svg(specification, **how))).encode()
    if form == "pdf":
        return bytes(converter.vegalite_to_pdf(specification, **how))
    return bytes(converter.vegalite_to_png(specification, ppi=_PIXELS_PER_INCH, **how))


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
            return _ID.sub(lambda found: f"{found[1]}{mark}{numbers[found[2]]}{found[3]}", tag[0])

        return _TAG.sub(in_tag, svg)

    return renamed(f"u{hashlib.sha256(renamed('').encode()).hexdigest()[:12]}-") if numbers else svg
