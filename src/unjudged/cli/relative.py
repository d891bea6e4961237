"""unjudged relative"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unjudged.cli import command_io, completing, options
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["relative"]

PLACE = 40


class Rareness(StrEnum):
    """Which rankings count as having a document."""

    topic = "topic"
    collection = "collection"


class TascPriors(StrEnum):
    """Whom TaSC compares with."""

    priors = "priors"
    group = "group"


class OtherGroups(StrEnum):
    """Which runs of other groups are priors."""

    best = "best"
    all = "all"


class ChooseBy(StrEnum):
    """What a run is chosen by."""

    gain = "gain"
    gain_per_judgment = "gain-per-judgment"


class Table(StrEnum):
    """Tables that tsv and csv can have."""

    rows = "rows"
    topics = "topics"
    documents = "documents"
    pairs = "pairs"
    choice = "choice"
    fusion = "fusion"
    groups = "groups"


@study_command(methods=True)
def relative(
    collection: Collection,
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
    order: Annotated[
        str | None,
        typer.Option("--order", metavar="FILE", help="Lines 'run' or 'run date': priors are all earlier runs."),
    ] = None,
    other_groups: Annotated[
        OtherGroups,
        typer.Option("--other-groups", help="With --groups, priors are the best run of each other group, or all."),
    ] = OtherGroups.best,
    types: Annotated[
        str | None,
        typer.Option(
            "--types",
            metavar="FILE",
            help="Lines 'run type', such as manual or automatic, or a table whose first line calls a column 'type':"
            " what each kind of run adds.",
        ),
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
    choose_by: Annotated[
        ChooseBy,
        typer.Option("--choose-by", help="What adds most, or adds most for each document to be judged, as for a pool."),
    ] = ChooseBy.gain,
    fuse: Annotated[
        str | None,
        typer.Option(
            "--fuse",
            metavar="NAME",
            help="Also fuse the chosen runs, and score that: RRF, RRF(k=10), CombSUM or CombMNZ.",
            autocompletion=completing.fusions,
        ),
    ] = None,
    rel: Annotated[
        int | None,
        typer.Option(
            "--rel", metavar="N", help="Lowest grade of unique and rare documents; the measure's, or 1, unless given."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="How much rareness counts in rareness-based precision.")] = 1,
    rareness: Annotated[
        Rareness, typer.Option("--rareness", help="Count rankings for the topic, or for all topics (released code).")
    ] = Rareness.topic,
    tasc: Annotated[
        TascPriors,
        typer.Option("--tasc", help="TaSC against the priors, or the own group's best run (released code)."),
    ] = TascPriors.priors,
    interval: options.Interval = (5, 95),
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Also one row per run and topic.")] = False,
    format: options.PageFormats = options.PageFormat.table,  # noqa: A002
    table: Annotated[Table, typer.Option("--table", help="Which table tsv and csv have.")] = Table.rows,
) -> Answer:
    """What does each run add to others? Does it find anything that they do not?

    NRG is the measure for somebody who has read the prior runs before: what they saw already brings no gain.

    Example: unjudged relative qrels.txt runs/ --groups teams.tsv --explain bm25
    """
    from unjudged.reports.relative import render_relative

    result = collection.relative(
        options.one_measure(measure),
        prior=prior,
        order=order,
        other_groups=other_groups.value,
        types=types,
        absolute=absolute,
        holes=holes or [],
        rel=rel,
        alpha=alpha,
        rareness=rareness.value,
        tasc=tasc.value,
        explain=explain or [],
        choose=choose,
        choose_by=choose_by.value,
        fuse=fuse,
        interval=options.quantiles(interval),
    )

    def render(file: Path | None) -> str:
        return render_relative(
            result, format.value, per_topic=per_topic, table=table.value, colour=command_io.in_colour(file)
        )

    return Answer(result, render, result.warnings)
