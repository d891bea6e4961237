"""unjudged compare"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unjudged.cli import completing, options, publishing, running

__all__ = ["Prior", "compare"]


class Prior(StrEnum):
    """Where the grades of unjudged documents are drawn from."""

    pool_and_run = "pool+run"
    evidence = "evidence"


def compare(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None, options.measure_option("What to measure; one measure.", show_default="nDCG@10")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="RUN", help="Compare all runs with this one only.")
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", help="Only the N best runs (and the baseline).")
    ] = None,
    test: Annotated[
        str, options.test_option("Paired test over topics: randomisation, t, wilcoxon, sign, bootstrap, tukey_hsd.")
    ] = "randomisation",
    correction: Annotated[
        str | None, options.correction_option("For the number of pairs: holm, bonferroni, bh, none.")
    ] = None,
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            metavar="NAME",
            autocompletion=completing.intervals,
            help="95% intervals over topics: t, percentile, basic, bca.",
        ),
    ] = "t",
    # The limits of these numbers are checked by the study, whose messages are one line.
    draws: Annotated[
        int, typer.Option("--draws", metavar="N", help="Draws of grades for all unjudged documents.")
    ] = 1000,
    prior: Annotated[
        Prior | None,
        typer.Option(
            "--prior",
            help="Where these grades are drawn from; 'evidence' is what other runs say.",
            show_default="evidence with --groups, pool+run without",
        ),
    ] = None,
    groups: options.Groups = None,
    corpus_size: Annotated[
        int | None,
        typer.Option(
            "--corpus-size",
            metavar="D",
            help="Documents in the corpus; also say how much another corpus would change the means.",
        ),
    ] = None,
    images: Annotated[
        int | None,
        typer.Option(
            "--images",
            metavar="N",
            help="Other corpora to try; also without --corpus-size.",
            show_default="1000 with --corpus-size, otherwise none",
        ),
    ] = None,
    format: options.Formats = options.Format.table,  # noqa: A002
    output: options.Output = None,
    plot: publishing.Plot = None,
    chart: Annotated[str | None, publishing.chart_option("pairs", "differences", "ranks", "budget")] = None,
    methods: publishing.MethodsFile = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
    pool: options.Pool = None,
    pool_depth: options.PoolDepth = None,
    intents: options.Intents = None,
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
    """Compare runs: which is better, and could judging the holes change that?

    Beside the p-value of each pair stands a verdict: certain (no grades of the unjudged documents change the sign of
    the difference), likely, or undetermined.

    Example: unjudged compare qrels.txt runs/ -m nDCG@10 --baseline bm25
    """
    from unjudged import api
    from unjudged.engine.pooling import check_pool
    from unjudged.io.reading import expand_runs
    from unjudged.reports.comparison import render_comparison
    from unjudged.studies.compare import compare as compare_study
    from unjudged.uncertainty import CorpusBootstrap

    publishing.check_charts("compare", plot, chart)
    publishing.check_methods(methods)
    chosen = api.read_measure(options.one_measure(measure))
    check_pool(pool, pool_depth)
    corpus = None
    if corpus_size is not None or images is not None:
        corpus = CorpusBootstrap(corpus_size=corpus_size, **({} if images is None else {"images": images}))
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
        groups=groups,
        texts=spoken,
    )
    result = compare_study(
        api.read_qrels(qrels, format=qrels_format.value, negative=negative.value, intents=intents),
        sources,
        chosen,
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        interval=interval,
        draws=draws,
        prior=None if prior is None else prior.value,
        groups=api.read_witness_groups(groups),
        corpus=corpus,
        pool=None if pool is None else api.read_pool(pool),
        pool_depth=pool_depth,
        seed=seed,
        score_type=scores.value,
        texts=spoken,
        jobs=jobs,
        progress=None if quiet else running.progress("comparing runs"),
        provenance=origin,
    )
    running.say(result.warnings, quiet=quiet)
    colour = running.in_colour(output)
    running.emit(render_comparison(result, format.value, colour=colour), output)
    publishing.draw_charts("compare", result, plot, chart)
    publishing.write_methods(result, methods)
