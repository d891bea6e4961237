"""Rewrites what the documentation takes from the code: the reference pages, the picture of the output, and charts."""

from __future__ import annotations

import dataclasses
import inspect
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text
from typer.main import get_command

import unjudged as uj
from unjudged.cli.app import app
from unjudged.cli.help import examples, metavar, paragraphs
from unjudged.demo.collection import CORPUS_SIZE, write_collection
from unjudged.holes import hole_models
from unjudged.measures import measures
from unjudged.registry import Registry
from unjudged.reports.charts import all_charts, chart_names
from unjudged.reports.reference import holes_page, measures_page
from unjudged.reports.scores import render_scores

DOCS = Path(__file__).parent
COMMAND = "unjudged score qrels.txt runs/ -m nDCG@10"


def score_output() -> str:
    """What ``unjudged score`` prints for the demo collection."""
    with tempfile.TemporaryDirectory() as folder:
        collection = write_collection(Path(folder) / "demo")
        scores = uj.score(collection.qrels, collection.runs, "nDCG@10", holes="auto")
    return render_scores(scores, "table")


def picture(command: str, output: str) -> str:
    """A terminal as SVG, without the web fonts that rich links to: documentation loads nothing from elsewhere."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=84, file=nowhere)
        console.print(Text(f"$ {command}\n", style="bold"))
        console.print(Text(output))
        svg = console.export_svg(title="unjudged", theme=MONOKAI, unique_id="score")
    return re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)


_GENERATED = "Generated from the code by `make docs`; do not edit."


def commands_page() -> str:
    """Every command with its arguments and options, as ``--help`` has them."""
    parts = ["# Commands", f"{_GENERATED} `unjudged COMMAND --help` prints the same."]
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        lines = "\n".join(["```text", _usage(name, command), *examples(command.help), "```"])
        parts += [f"## unjudged {name}", *paragraphs(command.help), lines]
        options = [parameter for parameter in command.params if not parameter.hidden]
        rows = [f"| {_spelling(one)} | {_cell(one.help or '')} | {_default(one)} |" for one in options if one.help]
        if rows:
            parts.append("\n".join(["| | what it is | unless given |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _paragraphs(text: str | None) -> Iterator[str]:
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        if paragraph.strip() != "\b":
            yield " ".join(paragraph.replace("\b", "").split())


def _usage(name: str, command: Any) -> str:
    arguments = [metavar(one) for one in command.params if one.param_type_name == "argument"]
    options = any(one.param_type_name == "option" for one in command.params)
    return " ".join(["unjudged", name, *(["[OPTIONS]"] if options else []), *arguments])


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{metavar(parameter)}`"
    given = " / ".join(f"`{one}`" for one in [*parameter.opts, *parameter.secondary_opts])
    return given + (f" `{parameter.metavar}`" if parameter.metavar else "")


def _default(parameter: Any) -> str:
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):  # words for a default that the command finds out by itself
        return _cell(shown)
    value = parameter.default
    if value is None or value is False or callable(value) or type(value).__name__ == "Sentinel" or value == ():
        return ""
    return f"`{getattr(value, 'value', value)}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def library_page() -> str:
    """Every public name of ``import unjudged as uj``."""
    parts = [
        "# Python",
        f"{_GENERATED} Each command has a function of the same name, with the same arguments; it is a method of"
        " `uj.Collection`, too. `**reading` stands for what `uj.Collection` takes beside judgments and runs.",
    ]
    for name in sorted(uj.__all__, key=str.lower):
        thing = getattr(uj, name)
        if name == "__version__" or inspect.ismodule(thing):
            continue
        parts += [f"## uj.{name}", *_documented(name, thing), *_table_of_members(thing)]
    parts += ["## uj.judging", *_paragraphs(uj.judging.__doc__)][:2]
    for name in uj.judging.__all__:
        thing = getattr(uj.judging, name)
        parts += [f"### uj.judging.{name}", *_documented(f"judging.{name}", thing), *_table_of_members(thing)]
    parts += ["## uj.plots", *_paragraphs(uj.plots.__doc__)][:2]
    for name in dir(uj.plots):
        parts += [f"### uj.plots.{name}", *_documented(f"plots.{name}", getattr(uj.plots, name))]
    return "\n\n".join(parts) + "\n"


def _table_of_members(thing: Any) -> list[str]:
    rows = []
    if inspect.isclass(thing) and issubclass(thing, tuple):
        return [f"Fields: {', '.join(f'`{name}`' for name in thing._fields)}."]
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        rows = [f"| {called} | {_cell(words)} |" for called, words in _members(thing)]
    if not rows and dataclasses.is_dataclass(thing):
        return [f"Fields: {', '.join(f'`{one.name}`' for one in dataclasses.fields(thing))}."]
    return ["\n".join(["| | |", "|---|---|", *rows])] if rows else []


def _documented(name: str, thing: Any) -> Iterator[str]:
    if inspect.isfunction(thing) or thing is uj.Collection:
        yield f"```text\n{_signature(name, thing)}\n```"
    text = inspect.cleandoc(thing.__doc__ or "")
    question = getattr(uj.Collection, name, None)
    if question is not None:  # the method says what parameters mean, the function has the example
        text = "\n\n".join([inspect.cleandoc(question.__doc__), *text.split("\n\n")[1:]])
    text = text.replace("``", "`")
    for paragraph in re.split(r"\n\n+", re.sub(r":(?:class|func|meth|mod|attr):`~?([^`]*)`", r"`\1`", text)):
        example = paragraph.lstrip().startswith(">>>")
        yield f"```text\n{paragraph}\n```" if example else paragraph


def _signature(name: str, function: Any) -> str:
    """One argument a line, where they do not fit in one."""
    arguments, keyword_only = [], False
    for one in inspect.signature(function).parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            arguments.append("*")
            keyword_only = True
        default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        every = one.kind is inspect.Parameter.VAR_KEYWORD
        arguments.append(f"**{one.name}" if every else f"{one.name}: {one.annotation}{default}")
    line = f"uj.{name}({', '.join(arguments)})"
    return line if len(line) <= 100 else f"uj.{name}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def _members(cls: type) -> Iterator[tuple[str, str]]:
    """Public methods and properties with the first sentence about each."""
    for name, member in inspect.getmembers(cls):
        words = inspect.getdoc(member)
        if name.startswith("_") or not words or (not callable(member) and not hasattr(member, "__get__")):
            continue
        call = "()" if inspect.isfunction(member) or inspect.ismethod(member) else ""
        yield f"`{name}{call}`", words.split("\n\n")[0].replace("``", "`")


_CHARTS = ("<!-- charts: made by `make docs` -->", "<!-- end of charts -->")


def charts_page() -> str:
    """The page about charts, which is written by hand, with the table of those that there are."""
    before, _, rest = (DOCS / "charts.md").read_text(encoding="utf-8").partition(_CHARTS[0])
    rows = []
    for one in all_charts():
        name = f"`{one.name}`" if len(chart_names(one.command)) > 1 else ""  # nothing to choose: no --chart
        rows.append(f"| `{one.command}` | {name} | `uj.plots.{one.function.__name__}` | {_cell(one.words)} |")
    table = "\n".join(["| command | `--chart` | in Python | shows |", "|---|---|---|---|", *rows])
    return f"{before}{_CHARTS[0]}\n\n{table}\n\n{_CHARTS[1]}{rest.partition(_CHARTS[1])[2]}"


def index_of(registry: Registry[Any], package: str) -> str:
    """Which module of a package has which name, for whoever does not want to import all of them."""
    homes = {name: cls.__module__ for cls in registry.loaded() for name in (cls.name, *cls.aliases)}
    ours = sorted((name, home) for name, home in homes.items() if home.startswith(f"{package}."))
    return "\n".join(
        [
            '"""Which module has which name, so that only those are imported that are asked for."""',
            "",
            f"# {_GENERATED}",
            "",
            "from __future__ import annotations",
            "",
            '__all__ = ["MODULES"]',
            "",
            "MODULES = {",
            *(f'    "{name}": "{home.removeprefix(f"{package}.")}",' for name, home in ours),
            "}\n",
        ]
    )


PAGES = {
    "measures.md": measures_page,
    "holes.md": holes_page,
    "charts.md": charts_page,
    "commands.md": commands_page,
    "python.md": library_page,
    "../src/unjudged/holes/index.py": lambda: index_of(hole_models, "unjudged.holes"),
    "../src/unjudged/measures/index.py": lambda: index_of(measures, "unjudged.measures"),
}
"""Pages that are made from the code, or that have a part that is, and indexes of names."""


def charts() -> Iterator[tuple[str, uj.Chart]]:
    """The charts of the documentation, all of the demo collection."""
    with tempfile.TemporaryDirectory() as folder:
        demo = write_collection(Path(folder) / "demo")
        runs = demo.runs[0].parent
        scores = uj.score(demo.qrels, runs, "nDCG@10", holes=["bounds", "condensed", "discounted"])
        yield "intervals", uj.plots.scores(scores)
        yield "topics", uj.plots.topics(scores, run="later-neural-large", top=4)
        comparison = uj.compare(demo.qrels, runs, corpus=uj.CorpusBootstrap(corpus_size=CORPUS_SIZE))
        yield "pairs", uj.plots.pairs(comparison)
        yield "differences", uj.plots.differences(comparison)
        yield "ranks", uj.plots.ranks(comparison)
        yield "budget", uj.plots.budget(comparison)
        added = uj.relative(demo.qrels, runs, groups=demo.teams)
        yield "added", uj.plots.relative(added)
        yield "unique", uj.plots.unique(added)
        ways = ["LeaveOutGroup", "DepthCut(1,2,4,8)", "KeepFraction(10%,20%,50%)"]
        reuse = uj.reuse(demo.truth, runs, degrade=ways, groups=demo.teams)
        yield "curves", uj.plots.curves(reuse)
        yield "left-out", uj.plots.left_out(reuse)
        yield "estimates", uj.plots.estimates(uj.reuse(demo.qrels, runs, truth_qrels=demo.truth))
        how = uj.CorpusBootstrap(images=200, corpus_size=CORPUS_SIZE)
        properties = uj.properties(demo.qrels, runs, ["nDCG@10", "AP", "P@10", "RR"], corpus=how, shallow=[5, 10])
        yield "deviations", uj.plots.deviations(properties)
        yield "ranks-on-images", uj.plots.ranks_on_images(properties)
        yield "intervals-against-test", uj.plots.intervals_against_test(properties)
        yield "holes", uj.plots.holes(uj.doctor(demo.qrels, runs), ranks=20)


if __name__ == "__main__":
    for page, generate in PAGES.items():
        (DOCS / page).write_text(generate(), encoding="utf-8")
    (DOCS / "images").mkdir(exist_ok=True)
    (DOCS / "images" / "score.svg").write_text(picture(COMMAND, score_output()) + "\n", encoding="utf-8")
    warnings.simplefilter("ignore", uj.UnjudgedWarning)
    for name, chart in charts():
        chart.save(DOCS / "images" / f"{name}.svg")
