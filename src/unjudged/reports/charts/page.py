"""A chart as a page that needs no network: tooltips, and links that save the picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from unjudged.reports.escape import for_html
from unjudged.reports.policy import policy_element

__all__ = ["chart_page"]

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
