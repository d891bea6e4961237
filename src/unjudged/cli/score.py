"""unjudged score"""

from __future__ import annotations

from typing import Annotated

import typer

from unjudged.cli import options, publishing, running
from unjudged.errors import InputError

__all__ = ["score"]


def score(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        options.measure_option("What to measure, such as nDCG@10; repeat for more.", show_default="nDCG@10, AP, P@10"),
    ] = None,
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What to believe about unjudged documents: nonrelevant, condensed, bounds, joint, guaranteed,"
            " labels(FILE), bootstrap, or bootstrap(prior=evidence) to ask other runs; repeat for more.",
            show_default="nonrelevant",
        ),
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Also one row per topic.")] = False,
    format: options.Formats = options.Format.table,  # noqa: A002
    output: options.Output = None,
    plot: publishing.Plot = None,
    chart: Annotated[str | None, publishing.chart_option("intervals", "topics")] = None,
    methods: publishing.MethodsFile = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
    intents: options.Intents = None,
    pool: options.Pool = None,
    pool_depth: options.PoolDepth = None,
    groups: options.Groups = None,
    explain: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--explain",
            metavar="RUN TOPIC",
            help="Show each hole of this run on this topic, and what other runs say about it.",
        ),
    ] = None,
    interval: Annotated[
        tuple[float, float],
        typer.Option("--interval", metavar="LOW HIGH", help="Percentiles of intervals from draws."),
    ] = (5, 95),
    texts: options.Texts = None,
    text_format: options.TextKind = options.TextFormat.auto,
    stem: options.Stem = None,
    stop_words: options.StopWords = None,
    term_counts: options.TermCounts = None,
    text_cache: options.TextCache = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 42,
    quiet: options.Quiet = False,
) -> None:
    """Score runs, and say how much of each score rests on judged documents.

    Means are over all judged topics; a topic that a run lacks counts 0. Tables list the best run first.

    Example: unjudged score qrels.txt runs/ -m nDCG@10 -m AP --holes bounds --holes bootstrap
    """
    from unjudged import api
    from unjudged.engine.pooling import check_pool
    from unjudged.holes import Settings
    from unjudged.io.reading import expand_runs
    from unjudged.reports.tables import render_scores
    from unjudged.studies.score import score as score_study

    publishing.check_charts("score", plot, chart)
    publishing.check_methods(methods)
    chosen = api.read_measures(measure or ["nDCG@10", "AP", "P@10"])
    models = api.read_holes(holes or ["nonrelevant"])
    check_pool(pool, pool_depth)
    between = _quantiles(*interval)
    sources = expand_runs(runs)
    spoken = running.text_source(texts, text_format, stem, stop_words, term_counts, text_cache)
    origin = running.origin(
        qrels,
        sources,
        output=output,
        beside=(plot, methods),
        hashed=format is options.Format.json,
        seed=seed,
        pool=pool,
        intents=intents,
        models=models,
        groups=groups,
        texts=spoken,
    )
    result = score_study(
        api.read_qrels(qrels, format=qrels_format.value, negative=negative.value, intents=intents),
        sources,
        chosen,
        models,
        score_type=scores.value,
        pool=None if pool is None else api.read_pool(pool),
        pool_depth=pool_depth,
        texts=spoken,
        groups=api.read_witness_groups(groups),
        explain=[] if explain is None else [explain],
        settings=Settings(seed, between),
        jobs=jobs,
        progress=None if quiet else running.progress("scoring runs"),
        provenance=origin,
    )
    running.say(result.warnings, quiet=quiet)
    colour = running.in_colour(output)
    running.emit(render_scores(result, format.value, per_topic=per_topic, colour=colour), output)
    publishing.draw_charts("score", result, plot, chart)
    publishing.write_methods(result, methods)


def _quantiles(low: float, high: float) -> tuple[float, float]:
    """Percentiles as quantiles. Nobody means the lowest hundredth of the draws by 0.05 and 0.95."""
    if not 0 <= low < high <= 100 or high <= 1:
        raise InputError(f"--interval takes two percentiles such as 5 95, not {low:g} {high:g}")
    return low / 100, high / 100
