"""The application: its commands, and what ``unjudged --help`` and ``unjudged --version`` say."""

from __future__ import annotations

from typing import Annotated

import typer

from unjudged.cli import compare, demo, doctor, measures, relative, report, reuse, score, trec_eval

__all__ = ["app"]

app = typer.Typer(
    name="unjudged",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


_SHOWN = "Show the version, the active core and plugins."


def _version(wanted: bool) -> None:
    if wanted:
        from unjudged.reports.installed import installed_lines

        print("\n".join(installed_lines()))
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help=_SHOWN),
    ] = False,
) -> None:
    """Evaluate retrieval systems when relevance judgments are incomplete.

    Start with `unjudged demo`, or with your own files: `unjudged doctor QRELS RUN...`, then `unjudged score`.
    """


app.command("doctor")(doctor.doctor)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("relative")(relative.relative)
app.command("reuse")(reuse.reuse)
app.command("report")(report.report)
app.command("measures")(measures.measures)
app.command("trec_eval")(trec_eval.trec_eval)
app.command("demo")(demo.demo)
