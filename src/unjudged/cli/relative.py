"""unjudged relative"""

from __future__ import annotations

from functools import partial
from typing import Literal

from unjudged.cli import completing, options, streams
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.limits import ChooseBy, OtherGroups, Rareness, TascPriors

__all__ = ["relative"]

PLACE = 40

Table = Literal["rows", "topics", "documents", "pairs", "choice", "fusion", "groups"]

_priors = partial(option, rich_help_panel="What was read before")
_choosing = partial(option, rich_help_panel="Choosing and fusing runs")
_details = partial(option, rich_help_panel="Other measures, and kinds of runs")


@study_command(methods=True)
def relative(
    collection: Collection,
    measure: list[str] | None = options.measure(
        "Base of NRG, or NRG itself, such as NRG(nDCG,gain=binary).", show_default="nDCG@10"
    ),
    prior_runs: list[str] | None = option(
        "--prior-run --prior RUN",
        "What was read before: a file, or the name of one of the runs, which is then not scored; repeat for more."
        " Without it, every other run.",
    ),
    order: str | None = _priors("--order FILE", "Lines 'run' or 'run date': priors are all earlier runs."),
    other_groups: OtherGroups = _priors(
        "--other-groups", "With --groups, priors are the best run of each other group, or all.", "best"
    ),
    types: str | None = _details(
        "--types FILE",
        "Lines 'run type', such as manual or automatic, or a table whose first line calls a column 'type': what each"
        " kind of run adds.",
    ),
    absolute: str | None = _details(
        "--absolute NAME", "Score beside NRG, and what makes a run the best of its group; the base unless given."
    ),
    holes: list[str] | None = options.holes(
        "What to believe about unjudged documents, as in score; repeat for more. Without it, joint where the base has"
        " a cut-off, else nonrelevant."
    ),
    explain: list[str] | None = option("--explain RUN", "Topics of this run, and the documents behind; repeatable."),
    choose: int | None = _choosing("--choose N", "Choose N runs, each adding most to those before it."),
    choose_by: ChooseBy = _choosing(
        "--choose-by", "What adds most, or adds most for each document to be judged, as for a pool.", "gain"
    ),
    fuse: str | None = _choosing(
        "--fuse NAME",
        "Also fuse the chosen runs, and score that: RRF, RRF(k=10), CombSUM or CombMNZ.",
        autocompletion=completing.fusions,
    ),
    rel: int | None = _details(
        "--rel N", "Lowest grade of unique and rare documents; the measure's, or 1, unless given."
    ),
    alpha: float = _details("--alpha", "How much rareness counts in rareness-based precision.", 1),
    rareness: Rareness = _details(
        "--rareness", "Count rankings for the topic, or for all topics (released code).", "topic"
    ),
    tasc: TascPriors = _details(
        "--tasc", "TaSC against the priors, or the own group's best run (released code).", "priors"
    ),
    interval: tuple[float, float] = options.INTERVAL,
    per_topic: bool = options.per_topic("Also one row per run and topic."),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table | None = options.table("rows"),
) -> Answer:
    """What does each run add to others? Does it find anything that they do not?

    NRG is the measure for somebody who has read the prior runs before: what they saw already brings no gain.

    Examples:
        unjudged relative qrels.txt runs/ --groups teams.tsv
        unjudged relative qrels.txt mine.run --prior-run theirs.run
        unjudged relative qrels.txt runs/ --choose 3 --fuse RRF
    """
    from unjudged.reports.relative import render_relative

    result = collection.relative(
        options.one_measure(measure),
        prior_runs=prior_runs,
        order=order,
        other_groups=other_groups,
        types=types,
        absolute=absolute,
        holes=holes or [],
        rel=rel,
        alpha=alpha,
        rareness=rareness,
        tasc=tasc,
        explain=explain or [],
        choose=choose,
        choose_by=choose_by,
        fuse=fuse,
        interval=options.quantiles(interval),
    )

    return Answer(
        result,
        lambda file: render_relative(result, format, per_topic=per_topic, table=table, colour=streams.in_colour(file)),
    )
