"""Library and command line are twins: a parameter is in both, or there is a reason why not."""

from __future__ import annotations

import inspect
from typing import get_type_hints

import pytest
from typer.main import get_command

import unjudged as uj
from unjudged.cli.app import app
from unjudged.cli.options import make_collection
from unjudged.collection import BaseCollection, Reading

QUESTIONS = (
    "doctor",
    "score",
    "compare",
    "gate",
    "add_release",
    "relative",
    "judges",
    "audit",
    "reuse",
    "properties",
    "report",
    "next_judgments",
)
COMMANDS = {"next_judgments": "next", "add_release": "history add"}
"""A built-in function of Python has the name of the command; a command has two words."""
COLLECTION = list(Reading.__annotations__)

SPELLED_OTHERWISE = {
    ("*", "format"): (["qrels_format"], "--format is how the result is written"),
    ("*", "texts"): (
        ["texts", "text_format", "stem", "stop_words", "term_counts", "text_cache"],
        "in Python a source and how to read it are one thing, uj.text_source(...)",
    ),
    ("*", "measures"): (["measure"], "an option that is repeated stands for one of them"),
    ("doctor", "cutoffs"): (["cutoff"], "an option that is repeated stands for one of them"),
    ("*", "corpus"): (["corpus_size", "images"], "in Python the bootstrap of the corpus is a specification"),
    ("judges", "labels"): (["files"], "labels and runs are told apart by their columns"),
    ("judges", "runs"): (["files"], "labels and runs are told apart by their columns"),
    ("report", "reuse"): (["no_reuse"], "a flag says what is not usual"),
}
"""By question (* for all) and parameter of the library: the names of the options, and why they differ."""

LIBRARY_ONLY = {
    ("*", "progress"): "the command line shows a bar, unless --quiet",
    ("*", "command"): "the command line says what was typed",
    ("*", "outputs"): "the command line knows where it is going to write",
    ("*", "hashes"): "-f json has them, and the page; other formats do not show them",
}

COMMAND_ONLY = {
    ("*", "help_all"): "help(uj.score)",
    ("*", "quiet"): "no progress and no warnings: Python has warnings.simplefilter",
    ("*", "output"): "results can be saved in Python",
    ("*", "format"): "results have to_json, to_frame and the like",
    ("*", "plot"): "uj.plots draws a result",
    ("*", "chart"): "uj.plots draws a result",
    ("*", "methods"): "uj.methods(result)",
    ("*", "table"): "results have a method for each table",
    ("*", "per_topic"): "results have the topics anyway",
    ("score", "long"): "how the table is laid out; .mean() and .to_frame() are long",
    ("reuse", "only_judged"): "the old name of what is done anyway",
    ("report", "show"): "webbrowser.open does",
    ("doctor", "strict"): "an exit code; in Python diagnosis.ok and diagnosis.count",
    ("doctor", "all_runs"): "how much of the table is shown",
}


def library(question: str) -> set[str]:
    """Parameters of the function, with those of the collection."""
    own = inspect.signature(getattr(uj, question)).parameters
    assert "reading" in own
    return {*own, *COLLECTION} - {"reading"}


def options(question: str) -> list[str]:
    return [one.name for one in get_command(app).commands[COMMANDS.get(question, question)].params]  # type: ignore[attr-defined]


def looked_up(table: dict[tuple[str, str], object], question: str, name: str) -> tuple[str, str] | None:
    return next((key for key in ((question, name), ("*", name)) if key in table), None)


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_the_library_takes_is_an_option(question: str) -> None:
    there = options(question)
    for name in library(question):
        other = looked_up(SPELLED_OTHERWISE, question, name)  # type: ignore[arg-type]
        wanted = [name] if other is None else SPELLED_OTHERWISE[other][0]
        if looked_up(LIBRARY_ONLY, question, name) is None:  # type: ignore[arg-type]
            assert [one for one in wanted if one not in there] == [], f"unjudged {question} has no option for {name}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_an_option_the_library_takes(question: str) -> None:
    taken = library(question)
    for (where, name), (names, _) in SPELLED_OTHERWISE.items():
        if where in ("*", question) and name in taken:
            taken = taken | set(names)
    extra = [name for name in options(question) if name not in taken]
    assert [name for name in extra if looked_up(COMMAND_ONLY, question, name) is None] == []  # type: ignore[arg-type]


def test_every_exception_is_needed() -> None:
    for table in (SPELLED_OTHERWISE, LIBRARY_ONLY):
        for where, name in table:
            assert any(name in library(one) for one in QUESTIONS if where in ("*", one)), f"{where} {name}"
    for where, name in COMMAND_ONLY:
        asked = [one for one in QUESTIONS if where in ("*", one)]
        assert any(name in options(one) for one in asked), f"{where} {name}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_options_of_the_collection_are_the_same_everywhere(question: str) -> None:
    wanted = [name for name in inspect.signature(make_collection).parameters if name not in ("hashes", "outputs")]
    result = {one.name: one for one in get_command(app).commands[COMMANDS.get(question, question)].params}  # type: ignore[attr-defined]
    first = {one.name: one for one in get_command(app).commands["score"].params}  # type: ignore[attr-defined]
    if question == "judges":
        wanted.remove("runs")
    assert [name for name in result if name in wanted] == wanted
    for name in wanted:
        assert (result[name].help, result[name].default) == (first[name].help, first[name].default)


def test_functions_hand_on_what_the_collection_takes() -> None:
    taken = inspect.signature(BaseCollection, eval_str=True).parameters
    hints = get_type_hints(Reading)
    assert list(hints) == [one.name for one in taken.values() if one.kind is one.KEYWORD_ONLY]
    assert {name: taken[name].annotation for name in hints} == hints


@pytest.mark.parametrize("question", [*QUESTIONS, "resample", "start_judging"])
def test_a_function_is_a_question_of_a_collection(question: str) -> None:
    asked = list(inspect.signature(getattr(uj.Collection, question)).parameters.values())[1:]
    called = list(inspect.signature(getattr(uj, question)).parameters.values())
    assert [one.name for one in called[:2]] == ["qrels", "runs"]
    assert [(one.name, one.default, one.kind) for one in called[2:-1]] == [
        (one.name, one.default, one.kind) for one in asked
    ]
