"""unjudged report"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import options, running

__all__ = ["report"]


def report(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        options.measure_option(
            "What to measure; repeat for more. Reuse is tried with the first. Without a cut-off, draws and"
            " comparisons take minutes.",
            show_default="nDCG@10, P@10, AP@100",
        ),
    ] = None,
    holes: Annotated[
        list[str] | None,
        options.holes_option(
            "What to believe about unjudged documents, as in score; repeat for more.",
            show_default="nonrelevant, condensed, joint, bootstrap; with --groups, from evidence",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", metavar="FILE", help="Lines 'run group': who made which run."),
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option("--topics", metavar="FILE", help="What topics ask for: TREC's format, or 'topic TAB text'."),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="What documents say: the page shows the first 300 characters of those that can be looked at.",
        ),
    ] = None,
    text_format: Annotated[
        options.TextFormat, typer.Option("--text-format", help="Format of the texts; 'auto' looks at each file.")
    ] = options.TextFormat.auto,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", callback=options.writable, help="Where the page goes."),
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the page.")] = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="Documents of each ranking to show.")] = 20,
    no_reuse: Annotated[
        bool, typer.Option("--no-reuse", help="Do not try whether the collection can be reused, which takes longest.")
    ] = False,
    test: Annotated[
        str | None,
        options.test_option(
            "Test of differences, as in compare.", show_default="randomisation; tukey_hsd for more than 32 runs"
        ),
    ] = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
    intents: options.Intents = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 42,
    quiet: options.Quiet = False,
) -> None:
    """Everything on one page: are the files sound, how sure are the scores, who is better, who adds something new.

    The page is one file that needs no network. Its tables can be sorted and filtered; choose a topic to see what each
    run returned for it, judged or not. Also printed: the sentence that each section begins with.

    Example: unjudged report qrels.txt runs/ --groups teams.tsv -o report.html
    """
    from unjudged import api
    from unjudged.cli.streams import output_is_closed
    from unjudged.io.writing import STANDARD_OUTPUT, check_outputs
    from unjudged.reports.layout import screen_width
    from unjudged.wording import visible

    sources, models = api.expand_runs(runs), api.read_holes(holes or ())
    spoken = None if texts is None else api.text_source(texts, format=text_format.value)
    # The page is what was asked for; whoever closes standard output does not want the sentences.
    printed = [] if output_is_closed() else [STANDARD_OUTPUT]
    check_outputs([output, *printed], api.files_read(qrels, *sources, *models, groups, topics, intents, spoken))
    page = api.report(
        qrels,
        sources,
        measure or api.REPORTED,
        holes=models,
        groups=groups,
        texts=spoken,
        topics=topics,
        title=title,
        depth=depth,
        reuse=not no_reuse,
        test=test,
        format=qrels_format.value,
        negative=negative.value,
        intents=intents,
        seed=seed,
        scores=scores.value,
        jobs=jobs,
        progress=None if quiet else running.progress("working"),
        command=running.command(),
    )
    page.save(output)
    running.say(page.overview.warnings, quiet=quiet)
    if printed:
        for sentence in page.sentences.values():
            print(textwrap.fill(visible(sentence), min(screen_width(), 80)) + "\n")
        print(visible(f"{output}: open it in a browser"))
