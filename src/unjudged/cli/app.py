"""The application: its commands, and what ``unjudged --help`` and ``unjudged --version`` say.

A module of this folder that has a ``PLACE`` is a command: the function of the same name. ``--help`` lists commands in
the order of their places. A ``NAME`` is what is typed where that is not the name of the module: ``history add``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from types import ModuleType

import typer

from unjudged import cli
from unjudged.cli.declared import for_typer
from unjudged.cli.help import Command, Group
from unjudged.cli.options import option
from unjudged.registry import import_modules

__all__ = ["app", "app_for", "whole_app"]  # noqa: F822  # app is made when it is asked for


def _new_app() -> typer.Typer:
    """The application without commands."""
    new = typer.Typer(
        name="unjudged",
        cls=Group,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    new.callback()(for_typer(root))
    return new


def _version(wanted: bool) -> None:
    if wanted:
        from unjudged.reports.installed import installed_lines

        print("\n".join(installed_lines()))
        raise typer.Exit


def root(
    version: bool = option(
        "--version", "Show the version, the active core and plugins.", False, callback=_version, is_eager=True
    ),
) -> None:
    """Evaluate retrieval systems when relevance judgments are incomplete.

    Start with `unjudged demo`, or with your own files: `unjudged doctor QRELS RUN...`, then `unjudged score`.
    `unjudged COMMAND --help` has three examples of each.
    """


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The application as far as these arguments need it."""
    called = cli.command_called(arguments)
    return whole_app() if called is None else _with_commands([sys.modules[called.__module__]])


@cache
def whole_app() -> typer.Typer:
    """The application with all commands."""
    modules = [module for module in import_modules(cli.__name__, cli.__path__) if hasattr(module, "PLACE")]
    return _with_commands(sorted(modules, key=lambda module: (module.PLACE, module.__name__)))


def _with_commands(modules: Sequence[ModuleType]) -> typer.Typer:
    new = _new_app()
    for module in modules:
        name = module.__name__.rpartition(".")[2]
        new.command(getattr(module, "NAME", name), cls=Command)(for_typer(getattr(module, name)))
    return new


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return whole_app()
