"""How far a project is, in words and a table, for the terminal."""

from __future__ import annotations

from unjudged.judging.project import Project
from unjudged.judging.records import Agreement, Progress
from unjudged.reports.layout import Table, render_tables
from unjudged.reports.next_judgments import next_sentences
from unjudged.results.next_judgments import NextJudgments
from unjudged.wording import counted

__all__ = ["status_text"]


def status_text(project: Project, outlook: NextJudgments | None, problem: str | None, *, colour: bool = False) -> str:
    """Who has judged how much, how far they agree, and what that says; or why that is not known."""
    progress, agreement = project.progress(), project.agreement()
    rows = [[one.assessor, f"{one.judged:,}", _decimal(one.seconds, 1)] for one in progress.assessors]
    table = Table(["assessor", "judged", "seconds each"], rows, 1, "Who judged how much, and the median time of it.")
    words = [_progress_words(progress), *_agreement_words(agreement)]
    words += [f"What the judgments say is not known: {problem}."] if outlook is None else next_sentences(outlook)
    return render_tables([table], words, "table", colour=colour)


def _progress_words(progress: Progress) -> str:
    topics = sum(topic.judged == topic.pairs for topic in progress.topics)
    disputed = f"; {progress.disputed:,} of them wait for the lead" if progress.disputed else ""
    return (
        f"{progress.judged:,} of {counted(progress.pairs, 'document')} are judged{disputed};"
        f" {topics:,} of {counted(len(progress.topics), 'topic')} are done."
    )


def _agreement_words(agreement: Agreement) -> list[str]:
    if not agreement.pairs:
        return []
    return [
        f"{counted(agreement.pairs, 'document')} have several grades: {agreement.same or 0:.0%} the same,"
        f" Cohen's kappa {_decimal(agreement.kappa, 2)}, Krippendorff's alpha {_decimal(agreement.alpha, 2)}."
    ]


def _decimal(value: float | None, places: int) -> str:
    return "-" if value is None else f"{value:.{places}f}"
