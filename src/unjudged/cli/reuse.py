"""unjudged reuse"""

from __future__ import annotations

from functools import partial
from typing import Literal

from unjudged.cli import completing, options, streams
from unjudged.cli.options import PageFormat, option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError
from unjudged.limits import EngineName, NeverJudged

__all__ = ["reuse"]

PLACE = 50

Table = Literal[
    "methods",
    "correlations",
    "coverage",
    "runs",
    "orders",
    "differences",
    "repetitions",
    "grades",
    "bands",
    "curves",
    "strategies",
    "targets",
]
_trial = partial(option, rich_help_panel="What is tried")
_engine = partial(option, rich_help_panel="Where the work is done")
_strategies = partial(option, rich_help_panel="In what order to judge")
_later = partial(option, rich_help_panel="If QRELS was judged more completely later")


@study_command(methods=True)
def reuse(
    collection: Collection,
    measure: list[str] | None = options.measure("What to measure.", show_default="nDCG@10"),
    degrade: list[str] | None = option(
        "--degrade HOW",
        "How judgments are taken away, such as LeaveOutGroup(10), LeaveOutRun(10), DepthCut(4,8,30),"
        " DepthPlusRandom(10), Stratified(10%,depth=5), KeepFraction(10%,30%), KeepTopics(25), OneRelevant; 'A then B'"
        " does both.",
        autocompletion=completing.degradations,
        show_default="LeaveOutGroup, or LeaveOutRun without --groups",
    ),
    holes: list[str] | None = options.holes(
        "What to take unjudged documents for.",
        show_default="nonrelevant, condensed, discounted; with --groups evidence, too",
    ),
    truth: list[str] | None = _trial(
        "--truth NAME",
        "Compare each measure with this one under all judgments; repeat for more.",
        autocompletion=completing.measures,
        show_default="the same one",
    ),
    truth_qrels: str | None = _later(
        "--truth-qrels FILE",
        "Later judgments, which have all of QRELS and more: compare with the scores under these.",
    ),
    bands: tuple[str, str] | None = _later(
        "--bands LOW HIGH",
        "Divide topics by the share of documents that QRELS leaves unjudged, such as 25% 50%.",
    ),
    never_judged: NeverJudged | None = _trial(
        "--never-judged",
        "Documents that nobody ever judged are removed from the runs, for truth and estimates alike; or the truth takes"
        " them for nonrelevant, and estimates for holes.",
        show_default="removed; nonrelevant with --truth-qrels",
    ),
    only_judged: bool = option("--only-judged", "The old name of --never-judged removed.", False, hidden=True),
    top_share: str | None = _trial(
        "--top-share SHARE", "Score only this share of the runs, the best by their true scores, such as 75%."
    ),
    without: list[str] | None = _trial(
        "--without GROUP",
        "Do not score the runs of this group (or this run, without --groups); what they brought stays judged. Repeat"
        " for more.",
    ),
    # The limits of these numbers are checked by the study, whose messages are one line.
    repeat: int = _trial("--repeat N", "Repetitions of what is drawn at random.", 10),
    target: list[str] | None = option(
        "--target STATISTIC=VALUE", "How many judgments reach it, such as tau=0.9 or rmse=0.02?"
    ),
    strategy: list[str] | None = _strategies(
        "--strategy NAME",
        "Judge the pool again in this order: depth, mtf, mm_ns, shared_credit, evidence, sample(10%); repeat for more.",
        autocompletion=completing.strategies,
    ),
    budget: list[str] | None = _strategies(
        "--budget N",
        "Look at what is known when so many judgments are made, such as 500 or 20%; repeat for more.",
        show_default="2%, 5%, 10%, 20%, 30%, 50%",
    ),
    labels: list[str] | None = options.labels(
        "other judges, which strategies may know", rich_help_panel="In what order to judge"
    ),
    test: str = options.test("Significance test whose decisions are compared.", "t"),
    correction: str | None = options.correction("For the number of pairs."),
    interval: tuple[float, float] = options.INTERVAL,
    engine: EngineName = _engine("--engine", "Processes here, a Dask or a Ray cluster.", "local"),
    address: str | None = _engine(
        "--address URL", "Of a running cluster, such as tcp://host:8786; without it, one is started here."
    ),
    store: str | None = _engine("--store DIR", "Keep what is done here; an interrupted study goes on where it was."),
    format: PageFormat = options.FORMAT,  # noqa: A002
    table: Table | None = options.table("correlations"),
) -> Answer:
    """Can this collection judge new systems, and which method should I trust on it?

    Judgments are taken away, as if fewer had been made or a team had not taken part. Scores estimated from what is left
    are compared with those under all judgments.

    Examples:
        unjudged reuse qrels.txt runs/ --groups teams.tsv
        unjudged reuse qrels.txt runs/ --measure AP --strategy depth --strategy mtf --strategy evidence
        unjudged reuse qrels.txt runs/ -m infAP -m indAP --truth AP --degrade 'DepthCut(4,8)' --never-judged nonrelevant
    """
    from unjudged.reports.reuse import render_reuse

    if only_judged and never_judged == "nonrelevant":
        raise InputError("--only-judged and --never-judged nonrelevant exclude each other")
    result = collection.reuse(
        measure or ["nDCG@10"],
        degrade=degrade or [],
        holes=holes or None,
        truth=truth,
        truth_qrels=truth_qrels,
        bands=bands or (),
        never_judged=never_judged,
        top_share=top_share,
        without=without or [],
        repeat=repeat,
        target=target or [],
        strategy=strategy or [],
        budget=budget or [],
        labels=labels or None,
        test=test,
        correction=correction,
        interval=options.quantiles(interval),
        engine=engine,
        address=address,
        store=store,
    )
    return Answer(result, lambda file: render_reuse(result, format, table=table, colour=streams.in_colour(file)))
