"""unjudged reuse"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io, completing, options
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError

__all__ = ["reuse"]

PLACE = 50

_ENGINE = "Where the work is done"
_LATER = "If QRELS was judged more completely later"


class Table(StrEnum):
    """The tables of the result."""

    methods = "methods"
    correlations = "correlations"
    coverage = "coverage"
    runs = "runs"
    orders = "orders"
    differences = "differences"
    repetitions = "repetitions"
    grades = "grades"
    bands = "bands"
    curves = "curves"
    targets = "targets"


class NeverJudged(StrEnum):
    """What becomes of documents that nobody ever judged."""

    removed = "removed"
    nonrelevant = "nonrelevant"


class Where(StrEnum):
    """Where the work is done."""

    local = "local"
    dask = "dask"
    ray = "ray"


@study_command(methods=True)
def reuse(
    collection: Collection,
    measure: Annotated[list[str] | None, options.measure_option("What to measure.", show_default="nDCG@10")] = None,
    degrade: Annotated[
        list[str] | None,
        typer.Option(
            "--degrade",
            metavar="HOW",
            autocompletion=completing.degradations,
            help="How judgments are taken away, such as LeaveOutGroup(10), LeaveOutRun(10), DepthCut(4,8,30),"
            " DepthPlusRandom(10), Stratified(10%,depth=5), KeepFraction(10%,30%), KeepTopics(25), OneRelevant; 'A then"
            " B' does both.",
            show_default="LeaveOutGroup, or LeaveOutRun without --groups",
        ),
    ] = None,
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What to take unjudged documents for.",
            show_default="nonrelevant, condensed, bootstrap; with --groups evidence, too",
        ),
    ] = None,
    truth: Annotated[
        list[str] | None,
        typer.Option(
            "--truth",
            metavar="NAME",
            autocompletion=completing.measures,
            help="Compare each measure with this one under all judgments; repeat for more.",
            show_default="the same one",
        ),
    ] = None,
    truth_qrels: Annotated[
        str | None,
        typer.Option(
            "--truth-qrels",
            metavar="FILE",
            help="Later judgments, which have all of QRELS and more: compare with the scores under these.",
            rich_help_panel=_LATER,
        ),
    ] = None,
    bands: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--bands",
            metavar="LOW HIGH",
            help="Divide topics by the share of documents that QRELS leaves unjudged, such as 0.25 0.5.",
            rich_help_panel=_LATER,
        ),
    ] = None,
    never_judged: Annotated[
        NeverJudged | None,
        typer.Option(
            "--never-judged",
            help="Documents that nobody ever judged are removed from the runs, for truth and estimates alike; or the"
            " truth takes them for nonrelevant, and estimates for holes.",
            show_default="removed; nonrelevant with --truth-qrels",
        ),
    ] = None,
    only_judged: Annotated[
        bool, typer.Option("--only-judged", hidden=True, help="The old name of --never-judged removed.")
    ] = False,
    top_share: Annotated[
        str | None,
        typer.Option(
            "--top-share",
            metavar="SHARE",
            help="Score only this share of the runs, the best by their true scores, such as 75%.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="GROUP",
            help="Do not score the runs of this group (or this run, without --groups); what they brought stays judged."
            " Repeat for more.",
        ),
    ] = None,
    # The limits of these numbers are checked by the study, whose messages are one line.
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", help="Repetitions of what is drawn at random.")] = 10,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target", metavar="STATISTIC=VALUE", help="How many judgments reach it, such as tau=0.9 or rmse=0.02?"
        ),
    ] = None,
    test: Annotated[str, options.test_option("Significance test whose decisions are compared.")] = "t",
    correction: Annotated[str | None, options.correction_option("For the number of pairs.")] = None,
    interval: options.Interval = (5, 95),
    engine: Annotated[
        Where, typer.Option("--engine", help="Processes here, a Dask or a Ray cluster.", rich_help_panel=_ENGINE)
    ] = Where.local,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="URL",
            help="Of a running cluster, such as tcp://host:8786; without it, one is started here.",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="DIR",
            help="Keep what is done here; an interrupted study goes on where it was.",
            rich_help_panel=_ENGINE,
        ),
    ] = None,
    format: options.PageFormats = options.PageFormat.table,  # noqa: A002
    table: Annotated[
        Table | None,
        typer.Option(
            "--table",
            help="All of one table, in any format.",
            show_default="correlations for tsv and csv, else those that readers need",
        ),
    ] = None,
) -> Answer:
    """Can this collection judge new systems, and which method should I trust on it?

    Judgments are taken away, as if fewer had been made or a team had not taken part. Scores estimated from what is left
    are compared with those under all judgments.

    Example: unjudged reuse qrels.txt runs/ --groups teams.tsv --degrade LeaveOutGroup --degrade 'DepthCut(5,10,20)'

    Example: unjudged reuse early.qrels runs/ --truth-qrels complete.qrels --bands 0.25 0.5
    """
    from unjudged.reports.reuse import render_reuse

    if only_judged and never_judged is NeverJudged.nonrelevant:
        raise InputError("--only-judged and --never-judged nonrelevant exclude each other")
    result = collection.reuse(
        measure or ["nDCG@10"],
        degrade=degrade or [],
        holes=holes or None,
        truth=truth,
        truth_qrels=truth_qrels,
        bands=bands or (),
        never_judged=None if never_judged is None else never_judged.value,
        top_share=top_share,
        without=without or [],
        repeat=repeat,
        target=target or [],
        test=test,
        correction=correction,
        interval=options.quantiles(interval),
        engine=engine.value,
        address=address,
        store=store,
    )

    def render(file: Path | None) -> str:
        chosen = None if table is None else table.value
        return render_reuse(result, format.value, table=chosen, colour=command_io.in_colour(file))

    return Answer(result, render, result.warnings)
