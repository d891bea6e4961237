"""What the measures and hole models are, generated from the classes: lists, explanations, reference pages."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import MISSING
from typing import Any

from unjudged.holes import HoleModel, hole_models
from unjudged.measures.base import Measure, measures
from unjudged.measures.requested import find_trec_name
from unjudged.registry import Registry, find_plugins, plugin_of
from unjudged.reports import layout
from unjudged.spec import Spec
from unjudged.wording import json_text

__all__ = ["explain", "holes_page", "list_measures", "measures_page", "registry_table"]

WIDTH = 80


def _usual(cls: type[Spec]) -> str:
    """How it is written: ``P@k``, ``AP[@k]`` where the cut-off may be left out, ``IPrec@recall``."""
    if not cls.at:
        return cls.name
    at = "@" + ("k" if cls.at == "cutoff" else cls.at)
    required = next(field for field in cls.parameters() if field.name == cls.at).default is MISSING
    return cls.name + (at if required else f"[{at}]")


def _trec(cls: type[Measure]) -> str:
    return ", ".join(f"{trec.name}_{trec.form.format(trec.at[0])}" if trec.at else trec.name for trec in cls.trec_names)


def _plugin(cls: type[Spec]) -> str:
    return str(plugin_of(cls) or "")


def list_measures(form: str = "table") -> str:
    """All measures: name, what it is, trec_eval's name; in files also the plugin it comes from."""
    header = ["measure", "title", "trec_eval", "plugin"]
    rows = [[_usual(cls), cls.title, _trec(cls), _plugin(cls)] for cls in measures]
    if form == "json":
        return json_text([dict(zip(header, row, strict=True)) for row in rows])
    if form in {"tsv", "csv"}:
        return layout.delimited(header, rows, "\t" if form == "tsv" else ",")
    table = layout.Table(header[:-1], [row[:-1] for row in rows], 3)
    if form in {"markdown", "latex"}:
        return layout.render_tables([table], [], form)
    hint = (
        "`unjudged measures NAME` explains one, or a hole model such as bootstrap."
        " trec_eval's names and groups (official, all_trec) work too."
    )
    added = [plugin.words() for plugin in find_plugins() if plugin.classes]
    listed = [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in added]
    return "\n\n".join([layout.aligned(table), *listed, textwrap.fill(hint, WIDTH)])


def registry_table(registry: Registry[Any]) -> layout.Table:
    """All specifications of one kind: name, and what it is."""
    return layout.Table([registry.kind, "title"], [[_usual(cls), cls.title] for cls in registry], 2)


def explain(name: str) -> str:
    """A measure or a hole model: what it is, its parameters, its reference."""
    bare = re.split(r"[(@]", name, maxsplit=1)[0]
    trec = find_trec_name(name)  # as it is typed in `score -m`
    cls: type[Measure] | type[HoleModel]
    if bare in hole_models:
        cls = hole_models[bare]
    elif trec is not None and bare not in measures:
        cls = trec[0]
    else:
        cls = measures[bare]
    lines = [f"{_usual(cls)}: {cls.title}", ""]
    for paragraph in inspect.cleandoc(cls.__doc__ or "").split("\n\n"):
        lines += [textwrap.fill(_plain(paragraph), WIDTH), ""]
    for label, text in _facts(cls):
        if text:
            lines.append(textwrap.fill(f"{label:<11} {text}", WIDTH, subsequent_indent=" " * 12))
    parameters = _parameters(cls)
    if parameters:
        lines += ["", "Parameters"]
        wide = max(len(row[0]) for row in parameters)
        for row in parameters:
            lines.append(textwrap.fill(f"  {row[0]:<{wide}}  {row[1]}", WIDTH, subsequent_indent=" " * (wide + 4)))
    return "\n".join(lines)


def _plain(paragraph: str) -> str:
    """A paragraph of a docstring without the marks that only Sphinx reads."""
    return re.sub(r":class:`(\w+)`", r"\1", paragraph).replace("``", "`")


def _facts(cls: type[Measure] | type[HoleModel]) -> list[tuple[str, str]]:
    facts = []
    if issubclass(cls, Measure):
        facts = [
            ("Formula", cls.formula),
            ("Unjudged", cls.unjudged),
            ("Range", _range(cls)),
            ("Summary", _summary(cls)),
        ]
    if cls.aliases:
        facts.append(("Also called", ", ".join(cls.aliases)))
    if issubclass(cls, Measure) and cls.trec_names:
        facts.append(("trec_eval", _trec(cls)))
    return [*facts, ("Reference", cls.reference), ("Plugin", _plugin(cls))]


def _parameters(cls: type[Spec]) -> list[list[str]]:
    rows = []
    for field in cls.parameters():
        default = "required" if field.default is MISSING else f"default {field.default!r}"
        at = f" (also {cls.name}@...)" if field.name == cls.at else ""
        rows.append([field.name, f"{field.metadata['words']}{at}; {field.metadata['limit']}; {default}"])
    return rows


def _range(cls: type[Measure]) -> str:
    low, high = cls.value_range
    return f"{low:g} to {'no upper limit' if high == float('inf') else format(high, 'g')}"


def _summary(cls: type[Measure]) -> str:
    words = {
        "mean": "mean over topics",
        "sum": "sum over topics",
        "geometric": "geometric mean over topics",
        "standard_error": "root of the sum of squares over topics, divided by their number",
    }
    return words[cls.summary]


_GENERATED = "Generated from the code by `make docs`; do not edit. `unjudged measures NAME` prints the same."


def measures_page() -> str:
    """The reference page of the measures, in Markdown."""
    return _page("Measures", list_measures("markdown"), list(measures))


def holes_page() -> str:
    """The reference page of the hole models, in Markdown."""
    listing = layout.Table(["model", "what it does"], [[cls.name, cls.title] for cls in hole_models], 2)
    return _page("Hole models", layout.markdown(listing), list(hole_models))


def _page(title: str, listing: str, classes: list[type[Measure]] | list[type[HoleModel]]) -> str:
    parts = [f"# {title}", _GENERATED, listing]
    for cls in classes:
        text = explain(cls.name).split("\n", 1)[1].strip()
        parts += [f"## {cls.name}", f"*{cls.title}*", f"```text\n{text}\n```"]
    return "\n\n".join(parts) + "\n"
