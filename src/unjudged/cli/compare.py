"""unjudged compare"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from unjudged.cli import options

__all__ = ["compare"]


def compare(
    qrels: options.Qrels,
    runs: options.Runs,
    measure: Annotated[
        str, typer.Option("--measure", "-m", metavar="NAME", help="What to measure; one measure.")
    ] = "nDCG@10",
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="RUN", help="Compare all runs with this one only.")
    ] = None,
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", help="Only the N best runs (and the baseline).")
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            "--test",
            metavar="TEST",
            help="Paired test over topics: randomisation, t, wilcoxon, sign, bootstrap, tukey_hsd.",
        ),
    ] = "randomisation",
    correction: Annotated[
        str | None,
        typer.Option(
            "--correction",
            metavar="NAME",
            help="For the number of pairs: holm, bonferroni, bh, none.  [default: holm; none for tukey_hsd]",
        ),
    ] = None,
    # Its limit is checked by the study, whose message is one line.
    draws: Annotated[
        int, typer.Option("--draws", metavar="N", help="Draws of grades for all unjudged documents.")
    ] = 1000,
    format: options.Formats = options.Format.table,  # noqa: A002
    output: options.Output = None,
    scores: options.Scores = options.ScoreType.float64,
    qrels_format: options.QrelsKind = options.QrelsFormat.auto,
    negative: options.Negative = options.NegativeGrades.pooled,
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
    from unjudged.data.provenance import Provenance
    from unjudged.io.reading import expand_runs
    from unjudged.report.comparison import render_comparison
    from unjudged.studies.compare import compare as compare_study

    chosen = api.read_measure(measure)
    sources = expand_runs(runs)
    spoken = options.text_source(texts, text_format, stem, stop_words, term_counts, text_cache)
    as_json = format is options.Format.json
    inputs = options.describe_inputs(qrels, sources, intents=intents, texts=spoken) if as_json else ()
    result = compare_study(
        api.read_qrels(qrels, format=qrels_format.value, negative=negative.value, intents=intents),
        sources,
        chosen,
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        draws=draws,
        seed=seed,
        score_type=scores.value,
        texts=spoken,
        jobs=jobs,
        progress=None if quiet else options.progress("reading runs"),
        provenance=Provenance(("unjudged", *sys.argv[1:]), seed, inputs),
    )
    options.say(result.warnings, quiet=quiet)
    options.emit(render_comparison(result, format.value), output)
