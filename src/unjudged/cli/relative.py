"""unjudged relative"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unjudged.cli import options, publishing, running

__all__ = ["relative"]


class Rareness(StrEnum):
    """Which rankings count as having a document."""

    topic = "topic"
    collection = "collection"


class TascPriors(StrEnum):
    """Whom TaSC compares with."""

    priors = "priors"
    group = "group"


class Table(StrEnum):
    """Tables that tsv and csv can have."""

    rows = "rows"
    topics = "topics"
    documents = "documents"
    pairs = "pairs"
    choice = "choice"
    groups = "groups"


def relative(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        options.measure_option("Base of NRG, or NRG itself, such as NRG(nDCG,gain=binary).", show_default="nDCG@10"),
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="RUN",
            help="What was read before: a file, or the name of one of the runs, which is then not scored; repeat for"
            " more. Without it, every other run.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", metavar="FILE", help="Lines 'run group': priors are the best of each other group."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="FILE", help="Lines 'run' or 'run date': priors are all earlier runs."),
    ] = None,
    absolute: Annotated[
        str | None,
        typer.Option(
            "--absolute",
            metavar="NAME",
            help="Score beside NRG, and what makes a run the best of its group; the base unless given.",
        ),
    ] = None,
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What to believe about unjudged documents, as in score; repeat for more. Without it, joint where the"
            " base has a cut-off, else nonrelevant."
        ),
    ] = None,
    explain: Annotated[
        list[str] | None,
        typer.Option("--explain", metavar="RUN", help="Topics of this run, and the documents behind; repeatable."),
    ] = None,
    choose: Annotated[
        int | None,
        typer.Option("--choose", metavar="N", help="Choose N runs, each adding most to those before it."),
    ] = None,
    pool_depth: Annotated[
        int | None,
        typer.Option(
            "--pool-depth",
            metavar="N",
            help="Ranks for unique documents and rareness; the cut-off, or 10, unless given.",
        ),
    ] = None,
    rel: Annotated[
        int | None,
        typer.Option("--rel", metavar="N", help="Lowest grade that counts there; the measure's, or 1, unless given."),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="How much rareness counts in rareness-based precision.")] = 1,
    rareness: Annotated[
        Rareness, typer.Option("--rareness", help="Count rankings for the topic, or for all topics (released code).")
    ] = Rareness.topic,
    tasc: Annotated[
        TascPriors,
        typer.Option("--tasc", help="TaSC against the priors, or the own group's best run (released code)."),
    ] = TascPriors.priors,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Also one row per run and topic.")] = False,
    format: options.PageFormats = options.PageFormat.table,  # noqa: A002
    table: Annotated[Table, typer.Option("--table", help="Which table tsv and csv have.")] = Table.rows,
    output: options.Output = None,
    plot: publishing.Plot = None,
    methods: publishing.MethodsFile = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
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
    """What does each run add to others? Does it find anything that they do not?

    NRG is the measure for somebody who has read the prior runs before: what they saw already brings no gain.

    Example: unjudged relative qrels.txt runs/ --groups teams.tsv --explain bm25
    """
    from unjudged import api
    from unjudged.holes import Settings
    from unjudged.io.reading import RunSource, expand_runs
    from unjudged.reports.relative import render_relative
    from unjudged.studies.relative import relative as relative_study

    publishing.check_charts("relative", plot, None)
    publishing.check_methods(methods)
    chosen = api.read_measure(options.one_measure(measure))
    models = api.read_holes(holes or [])
    sources = expand_runs(runs)
    whom = api.read_whom(prior, groups, order)
    spoken = running.text_source(texts, text_format, stem, stop_words, term_counts, text_cache)
    origin = running.origin(
        qrels,
        [*sources, *(one for one in whom.prior if isinstance(one, RunSource))],
        output=output,
        beside=(plot, methods),
        hashed=format is options.PageFormat.json,
        seed=seed,
        models=models,
        groups=groups,
        order=order,
        texts=spoken,
    )
    result = relative_study(
        api.read_qrels(qrels, format=qrels_format.value, negative=negative.value),
        sources,
        chosen,
        whom=whom,
        absolute=None if absolute is None else api.read_measure(absolute),
        holes=models,
        pool_depth=pool_depth,
        rel=rel,
        alpha=alpha,
        rareness=rareness.value,
        tasc_priors=tasc.value,
        explain=explain or [],
        choose=choose,
        texts=spoken,
        settings=Settings(seed),
        score_type=scores.value,
        jobs=jobs,
        progress=None if quiet else running.progress("reading runs"),
        provenance=origin,
    )
    running.say(result.warnings, quiet=quiet)
    colour = running.in_colour(output)
    running.emit(render_relative(result, format.value, per_topic=per_topic, table=table.value, colour=colour), output)
    publishing.draw_charts("relative", result, plot, None)
    publishing.write_methods(result, methods)
