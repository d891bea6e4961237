"""unjudged compare"""

from __future__ import annotations

from typing import Literal

from unjudged.cli import completing, options, streams
from unjudged.cli.options import Format, option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError
from unjudged.limits import JointPrior

__all__ = ["compare"]

PLACE = 30

Table = Literal["pairs", "rows", "ranks", "budget", "segments", "segment_pairs"]


@study_command(methods=True)
def compare(
    collection: Collection,
    measure: list[str] | None = options.measure("What to measure; one measure.", show_default="nDCG@10"),
    baseline: str | None = option("--baseline RUN", "Compare all runs with this one only."),
    top: int | None = options.top("Only the N best runs (and the baseline)."),
    test: str = options.test(
        "Paired test over topics: randomisation, t, wilcoxon, sign, bootstrap, tukey_hsd.", "randomisation"
    ),
    correction: str | None = options.correction("For the number of pairs: holm, bonferroni, bh, none."),
    interval_method: str = options.statistics(
        "--interval-method NAME",
        "95% intervals over topics: t, percentile, basic, bca.",
        "t",
        autocompletion=completing.intervals,
    ),
    holes: list[str] | None = options.holes(
        "What grades of unjudged documents are drawn with: discounted, bootstrap, or evidence to ask other runs; one"
        " model.",
        show_default="evidence with --groups, discounted without",
    ),
    # The limits of these numbers are checked by the study, whose messages are one line.
    draws: int | None = options.statistics(
        "--draws N", "Draws of grades for all unjudged documents.", show_default="1000, or those of --holes"
    ),
    prior: JointPrior | None = options.statistics(
        "--prior", "Where these grades are drawn from: --holes in other words; pool+run is that of bootstrap."
    ),
    corpus_size: int | None = options.corpus_size(
        "Documents in the corpus; also say how much another corpus would change means, and the order of two runs."
    ),
    images: int | None = options.images(),
    labels: str | None = options.LABELS,
    sample_rate: float | None = options.SAMPLE_RATE,
    random_sample: bool = options.RANDOM_SAMPLE,
    min_judged: float | None = options.MIN_JUDGED,
    segments: str | None = options.SEGMENTS,
    format: Format = options.FORMAT,  # noqa: A002
    table: Table = options.separated_table("pairs"),
) -> Answer:
    """Compare runs: which is better, and could judging the holes change that?

    Beside the p-value of each pair stands a verdict: certain (no grades of the unjudged documents change the sign of
    the difference), likely, or undetermined.

    Examples:
        unjudged compare qrels.txt runs/
        unjudged compare qrels.txt runs/ -m P@10 --baseline bm25
        unjudged compare qrels.txt runs/ -m nDCG@10 --groups teams.tsv
    """
    from unjudged.reports.comparison import render_comparison
    from unjudged.results.coverage import is_too_little_judged

    if table != "pairs" and format not in {"tsv", "csv"}:
        raise InputError(f"--table {table} goes with --format tsv or csv")
    if table.startswith("segment") and segments is None:
        raise InputError(f"--table {table} needs --segments")
    result = collection.compare(
        options.one_measure(measure),
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        interval_method=interval_method,
        draws=draws,
        prior=prior,
        holes=options.one_hole_model(holes),
        corpus=options.corpus_of(corpus_size, images),
        labels=labels,
        sample_rate=sample_rate,
        random_sample=random_sample,
        min_judged=min_judged,
        segments=segments,
    )
    return Answer(
        result,
        lambda file: render_comparison(result, format, table=table, colour=streams.in_colour(file)),
        failed=is_too_little_judged(result.warnings),
    )
