"""The application: its commands, and what ``unjudged --help`` and ``unjudged --version`` say.

A module of this folder that has a ``PLACE`` is a command: the function of the same name. ``--help`` lists commands in
the order of their places.
"""

from __future__ import annotations

import typer

from unjudged import cli
from unjudged.cli.help import Command
from unjudged.cli.options import option
from unjudged.registry import import_modules

__all__ = ["app"]

app = typer.Typer(
    name="unjudged",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from unjudged.reports.installed import installed_lines

        print("\n".join(installed_lines()))
        raise typer.Exit


@app.callback()
def root(
    version: bool = option(
        "--version", "Show the version, the active core and plugins.", False, callback=_version, is_eager=True
    ),
) -> None:
    """Evaluate retrieval systems when relevance judgments are incomplete.

    Start with `unjudged demo`, or with your own files: `unjudged doctor QRELS RUN...`, then `unjudged score`.
    `unjudged COMMAND --help` has three examples of each.
    """


_modules = [module for module in import_modules(cli.__name__, cli.__path__) if hasattr(module, "PLACE")]
for _module in sorted(_modules, key=lambda module: (module.PLACE, module.__name__)):
    _name = _module.__name__.rpartition(".")[2]
    app.command(_name, cls=Command)(getattr(_module, _name))
