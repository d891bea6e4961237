"""unjudged next"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from unjudged.cli import completing, options, streams
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError

__all__ = ["next"]

PLACE = 48

NextFormat = Literal["table", "markdown", "latex", "json", "tsv", "csv", "jsonl", "label-studio", "argilla", "quepid"]
Table = Literal["judgments", "pairs", "runs", "goals", "recall"]
_BY_ENDING: dict[str, NextFormat] = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
}


@study_command()
def next(  # noqa: A001  # what the question is
    collection: Collection,
    strategy: str = option(
        "--strategy NAME",
        "What is judged first: decide, decide(A, B), depth, or another.",
        "decide",
        autocompletion=completing.strategies,
    ),
    measure: list[str] | None = options.measure(
        "What runs are compared by, a weighted sum of gains; one measure.", show_default="nDCG@10"
    ),
    # The limits of these numbers are checked by the study, whose messages are one line.
    budget: int = option("--budget N", "How many documents to judge.", 100),
    batch: int = option("--batch N", "For so many assessors, who get equal parts of them.", 1),
    goal: list[str] | None = option(
        "--goal GOAL",
        "What is to be known: order, 'A>B', recall=0.9 or width=0.02; repeat for more. Exit code 3 when it is.",
        show_default="order",
    ),
    risk: float | None = option(
        "--risk P", "Chance of the wrong sign at which a difference is decided.", show_default="0.025"
    ),
    labels: list[str] | None = options.labels("other judges, such as language models, to learn from"),
    new: bool = option("--new", "QRELS may be empty, and topics without judgments are judged, too.", False),
    max_grade: int | None = option(
        "--max-grade N", "The highest grade that assessors may give.", show_default="the highest in QRELS, or 1"
    ),
    topics: str | None = options.TOPICS,
    format: NextFormat | None = option(  # noqa: A002
        "--format -f", "How to write the documents.", show_default="by the ending of --output; table"
    ),
    table: Table = options.separated_table("judgments"),
) -> Answer:
    """Which documents should be judged next, and can judging stop?

    Add the judgments to QRELS and ask again: nothing else is kept. The exit code is 3 once the goal is reached.

    Examples:
        unjudged next qrels.txt runs/ --budget 200 -o next.tsv
        unjudged next qrels.txt runs/ --goal 'new>old' --labels gpt-4.qrels
        unjudged next empty.qrels runs/ --new --max-grade 3 --batch 4 -f argilla -o records.json
    """
    from unjudged.reports.next_judgments import next_sentences, render_next

    if table != "judgments" and format not in {"tsv", "csv"}:
        raise InputError(f"--table {table} goes with --format tsv or csv")
    result = collection.next_judgments(
        strategy,
        measure=options.one_measure(measure) if measure else None,
        budget=budget,
        batch=batch,
        goal=goal or [],
        risk=risk,
        labels=labels,
        new=new,
        max_grade=max_grade,
        topics=topics,
    )

    def render(file: Path | None) -> str:
        form = format or ("table" if file is None else _BY_ENDING.get(file.suffix.lower(), "table"))
        return render_next(result, form, table=table, colour=streams.in_colour(file))

    return Answer(result, render, answered=result.answered, beside="\n".join(next_sentences(result)))
