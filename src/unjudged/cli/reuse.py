"""unjudged reuse"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unjudged.cli import completing, options, publishing, running

__all__ = ["reuse"]

_ENGINE = "Where the work is done"


class Table(StrEnum):
    """Which table tsv and csv have."""

    methods = "methods"
    correlations = "correlations"
    coverage = "coverage"
    leaveout = "leaveout"
    curves = "curves"
    targets = "targets"


class Where(StrEnum):
    """Where the work is done."""

    local = "local"
    dask = "dask"
    ray = "ray"


def reuse(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[list[str] | None, options.measure_option("What to measure.", show_default="nDCG@10")] = None,
    degrade: Annotated[
        list[str] | None,
        typer.Option(
            "--degrade",
            metavar="HOW",
            autocompletion=completing.degradations,
            help="How judgments are taken away: LeaveOutGroup(10), LeaveOutRun(10), DepthCut(4,8,30),"
            " DepthPlusRandom(10), KeepFraction(10%,30%), KeepTopics(25), OneRelevant, KeepHalf; 'A then B' does both.",
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
    groups: Annotated[
        str | None, typer.Option("--groups", metavar="FILE", help="Lines 'run group', for LeaveOutGroup and evidence.")
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            metavar="NAME",
            autocompletion=completing.measures,
            help="Compare with this measure under all judgments.",
            show_default="the same one",
        ),
    ] = None,
    only_judged: Annotated[
        bool,
        typer.Option(
            "--only-judged",
            help="Take documents that nobody ever judged out of the runs first: the truth is then known.",
        ),
    ] = False,
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
    format: options.PageFormats = options.PageFormat.table,  # noqa: A002
    table: Annotated[Table, typer.Option("--table", help="Which table tsv and csv have.")] = Table.correlations,
    output: options.Output = None,
    plot: publishing.Plot = None,
    chart: Annotated[str | None, publishing.chart_option("curves", "left-out")] = None,
    methods: publishing.MethodsFile = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
    pool: options.Pool = None,
    pool_depth: options.PoolDepth = None,
    texts: options.Texts = None,
    text_format: options.TextKind = options.TextFormat.auto,
    stem: options.Stem = None,
    stop_words: options.StopWords = None,
    term_counts: options.TermCounts = None,
    text_cache: options.TextCache = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, metavar="N", help="Processes; one per core unless given.", rich_help_panel=_ENGINE
        ),
    ] = None,
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
    seed: options.Seed = 42,
    quiet: options.Quiet = False,
) -> None:
    """Can this collection judge new systems, and which method should I trust on it?

    Judgments are taken away, as if fewer had been made or a team had not taken part. Scores estimated from what is left
    are compared with those under all judgments.

    Example: unjudged reuse qrels.txt runs/ --groups teams.tsv --degrade LeaveOutGroup --degrade 'DepthCut(5,10,20)'
    """
    from unjudged import api
    from unjudged.engine.pooling import check_pool
    from unjudged.engine.run import Engine
    from unjudged.engine.store import Store
    from unjudged.holes import Settings
    from unjudged.io.groups import read_groups
    from unjudged.io.reading import expand_runs
    from unjudged.reports.reuse import render_reuse
    from unjudged.studies.reuse import parse_target
    from unjudged.studies.reuse import reuse as reuse_study

    publishing.check_charts("reuse", plot, chart)
    publishing.check_methods(methods)
    check_pool(pool, pool_depth)
    sources = expand_runs(runs)
    models = api.read_holes(holes) if holes else None
    spoken = running.text_source(texts, text_format, stem, stop_words, term_counts, text_cache)
    origin = running.origin(
        qrels,
        sources,
        output=output,
        beside=(plot, methods),
        hashed=format is options.PageFormat.json,
        seed=seed,
        pool=pool,
        models=models or (),
        groups=groups,
        texts=spoken,
        store=store,
    )
    result = reuse_study(
        api.read_qrels(qrels, format=qrels_format.value, negative=negative.value),
        sources,
        api.read_measures(measure or ["nDCG@10"]),
        api.read_degradations(degrade or []),
        models,
        groups=None if groups is None else read_groups(groups),
        groups_source=groups or "groups",
        truth=None if truth is None else api.read_measure(truth),
        only_judged=only_judged,
        repeat=repeat,
        targets=[parse_target(one) for one in target or []],
        test=test,
        correction=correction,
        pool=None if pool is None else api.read_pool(pool),
        pool_depth=pool_depth,
        texts=spoken,
        settings=Settings(seed),
        score_type=scores.value,
        engine=Engine(engine.value, address, jobs),
        store=None if store is None else Store(store),
        progress=None if quiet else running.progress("trying degraded judgments"),
        provenance=origin,
    )
    running.say(result.warnings, quiet=quiet)
    colour = running.in_colour(output)
    running.emit(render_reuse(result, format.value, table=table.value, colour=colour), output)
    publishing.draw_charts("reuse", result, plot, chart)
    publishing.write_methods(result, methods)
