"""How results look in notebooks: small tables that follow the notebook's theme, without scripts, loading nothing.

Text and HTML is all there is. Were there LaTeX or Markdown too, notebooks that are exported would choose by rules of
their own between forms that are not made for them: our LaTeX needs siunitx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels, State
from unjudged.data.run import Run
from unjudged.data.texts import Texts
from unjudged.errors import few_of_each_kind
from unjudged.notebook_repr import Bundle
from unjudged.reports import html
from unjudged.reports.audit import audit_tables
from unjudged.reports.cells import decimal
from unjudged.reports.comparison import comparison_tables
from unjudged.reports.escape import for_html
from unjudged.reports.gate import gate_sentences, gate_tables
from unjudged.reports.history import history_tables
from unjudged.reports.judges import judges_tables
from unjudged.reports.layout import Table
from unjudged.reports.next_judgments import next_tables
from unjudged.reports.properties import properties_tables
from unjudged.reports.relative import relative_tables
from unjudged.reports.reuse import reuse_tables
from unjudged.reports.scores import score_tables
from unjudged.results.distributions import Distribution
from unjudged.results.scores import ScoreRow, ScoreRows
from unjudged.wording import counted, visible

if TYPE_CHECKING:
    from unjudged.registry import Registry
    from unjudged.reports.methods import Methods
    from unjudged.reports.page import Page
    from unjudged.results.corpus_image_scores import ImageScores
    from unjudged.results.diagnosis import Diagnosis
    from unjudged.studies.overview import Overview
    from unjudged.uncertainty.agreement import Agreement

__all__ = ["MOST_ROWS", "bundle", "pool_tables", "qrels_tables", "run_tables", "text_tables"]

MOST_ROWS = 50
"""Rows of a table that are shown, where there is another way to see all."""

View = tuple[Sequence[Table], Sequence[str]]
"""Tables, and the sentences above them."""


def bundle(thing: object) -> Bundle:
    """A result as text and as HTML. Names and ids in it come from files: neither form lets them do anything."""
    text = "\n".join(map(visible, repr(thing).split("\n")))
    return {"text/plain": text, "text/html": _html(thing)}


def _html(thing: object) -> str:
    tables, words = _view(thing)
    parts = [f"<p>{for_html(sentence)}</p>" for sentence in words]
    for table in tables:
        parts += _table(table)
    shown, more = few_of_each_kind(getattr(thing, "warnings", ()))
    lines = [("Warning" if notice.is_warning else "Note", f"{notice.message} [{notice.code}]") for notice in shown]
    lines += [("Warning", f"{count:,} more of [{code}]; .warnings has all of them") for code, count in more.items()]
    return html.fragment([*parts, *(f"<p><strong>{kind}:</strong> {for_html(text)}</p>" for kind, text in lines)])


def _table(table: Table) -> list[str]:
    caption = table.caption or table.title
    shown = replace(table, rows=table.rows[:MOST_ROWS]) if table.whole else table
    hidden = len(table.rows) - len(shown.rows) + table.left_out
    total = len(table.rows) + table.left_out
    rest = f"{hidden:,} of {total:,} rows are not shown; <code>{for_html(table.whole)}</code> has all of them."
    return [
        *([f'<p class="small">{for_html(caption)}</p>'] if caption else []),
        html.table(shown),
        *([f'<p class="small">{rest}</p>'] if hidden else []),
    ]


# ---- what is shown of each


def _view(thing: object) -> View:
    for cls in type(thing).__mro__:
        if cls.__name__ in _VIEWS:
            return _VIEWS[cls.__name__](thing)
    raise TypeError(f"nobody said how {type(thing).__name__} looks in a notebook")


def _score_rows(rows: ScoreRows) -> View:
    with_labels = any(row.labelled is not None for row in rows)
    names = ScoreRow._fields[:-1] if with_labels else ScoreRow._fields[:-3]
    cells = [
        [row.run, row.topic, row.measure, row.holes, *(decimal(getattr(row, name)) for name in names[4:])]
        for row in rows[:MOST_ROWS]
    ]
    return [Table(names, cells, 4, whole=".to_frame()", left_out=len(rows) - len(cells))], []


def _distribution(distribution: Distribution) -> View:
    numbers = [distribution.mean(), distribution.std(), *(distribution.quantile(p) for p in (0.05, 0.5, 0.95))]
    kind = "the whole distribution" if distribution.exact else "draws"
    header = ["possible scores", "mean", "deviation", "5%", "median", "95%"]
    return [Table(header, [[f"{len(distribution):,} ({kind})", *map(decimal, numbers)]])], []


def _image_scores(scores: ImageScores) -> View:
    rows = [[run, measure, *map(decimal, row)] for (run, measure), row in scores.summary().items()]
    header = ["run", "measure", "score", "mean of images", "deviation", "5%", "95%"]
    topics, images = counted(len(scores.topics), "topic"), counted(scores.images, "image")
    caption = f"Means over {topics}, on the corpus itself and on {images} of it."
    return [Table(header, rows, 2, caption, whole=".summary()")], []


def _agreement(agreement: Agreement) -> View:
    names = [field.name for field in fields(agreement) if field.name != "systems"]
    rows = [[name, decimal(getattr(agreement, name))] for name in names]
    return [Table(["agreement", f"{agreement.systems:,} systems"], rows)], []


def _diagnosis(diagnosis: Diagnosis) -> View:
    from unjudged.reports.doctor import diagnosis_tables  # many modules, which nothing else here needs

    return diagnosis_tables(diagnosis)


def _page(page: Page) -> View:
    from unjudged.reports.page import QUESTIONS

    rows = [[QUESTIONS[name], sentence] for name, sentence in page.sentences.items()]
    return [Table(["question", "answer"], rows, 2)], ["A page with everything; .save('report.html') writes it."]


def _overview(overview: Overview) -> View:
    parts = {
        "diagnosis": overview.diagnosis,
        "scores": overview.scores,
        **{f"comparisons[{i}]": one for i, one in enumerate(overview.comparisons)},
        **{f"added[{i}]": one for i, one in enumerate(overview.added)},
        "reuse": overview.reuse,
        **({} if overview.corpus is None else {"corpus": overview.corpus}),
    }
    rows = [[f".{name}", repr(one).split("\n")[0]] for name, one in parts.items()]
    return [Table(["part", "what it says"], rows, 2)], []


def _methods(methods: Methods) -> View:
    return [], [line for line in methods.to_text().split("\n") if line]


def _registry(registry: Registry[Any]) -> View:
    from unjudged.reports.reference import registry_table

    return [registry_table(registry)], []


_FIRST_DOCUMENTS = 10
"""Documents of a run that are shown."""


def qrels_tables(qrels: Qrels) -> tuple[list[Table], list[str]]:
    """How many documents have each grade, and in how many topics."""
    chosen = {str(grade): qrels.judged & (qrels.grades == grade) for grade in qrels.grade_counts()}
    pooled = qrels.states == State.POOLED
    if pooled.any():
        chosen["pooled, not judged"] = pooled
    rows = [[name, f"{rows.sum():,}", f"{(qrels.count(rows) > 0).sum():,}"] for name, rows in chosen.items()]
    words = [
        f"Judgments: {counted(len(qrels.topics), 'topic')}, {counted(int(qrels.judged.sum()), 'judged document')}."
    ]
    return [Table(["grade", "documents", "topics with such"], rows)], words


def run_tables(run: Run) -> tuple[list[Table], list[str]]:
    """The first documents of the first topic."""
    words = [f"Run {run.name}: {counted(len(run.topics), 'topic')}, {counted(len(run), 'document')}."]
    if not len(run):
        return [], words
    topic = int(np.flatnonzero(np.diff(run.offsets))[0])
    first, last = (int(bound) for bound in run.offsets[topic : topic + 2])
    shown = np.arange(first, min(last, first + _FIRST_DOCUMENTS))
    retrieved = zip(run.docs.take(shown), run.scores[shown].tolist(), strict=True)
    rows = [[run.topics[topic], doc, str(rank), f"{score:.6g}"] for rank, (doc, score) in enumerate(retrieved, start=1)]
    rest = len(run) - len(rows)
    return [Table(["topic", "doc", "rank", "score"], rows, 2, whole=".ranking(topic)", left_out=rest)], words


def pool_tables(pool: Pool) -> tuple[list[Table], list[str]]:
    """How many documents each topic has."""
    counts = pool.topics.counts().tolist()
    rows = [[topic, f"{count:,}"] for topic, count in zip(pool.topics.names, counts, strict=True)]
    words = [f"Pool: {counted(len(pool.topics.names), 'topic')}, {counted(len(pool), 'document')}."]
    return [Table(["topic", "documents"], rows, whole=".topics")], words


def text_tables(texts: Texts) -> tuple[list[Table], list[str]]:
    """How large the collection is, and what of it is here."""
    rows = [
        ["documents kept", f"{len(texts):,}"],
        ["terms in them", f"{len(texts.words):,}"],
        ["documents of the collection", f"{texts.documents:,}"],
        ["words of the collection", f"{texts.tokens:,}"],
    ]
    return [Table(["texts", "number"], rows)], []


_VIEWS: Mapping[str, Callable[[Any], View]] = {
    "Agreement": _agreement,
    "Audit": lambda result: audit_tables(result),
    "Comparison": lambda result: comparison_tables(result, "notebook"),
    "Diagnosis": _diagnosis,
    "Distribution": _distribution,
    "Gate": lambda result: (gate_tables(result), [result.summary(), *gate_sentences(result)]),
    "History": lambda result: history_tables(result),
    "ImageScores": _image_scores,
    "Judges": lambda result: judges_tables(result),
    "Methods": _methods,
    "NextJudgments": lambda result: next_tables(result),
    "Overview": _overview,
    "Page": _page,
    "Pool": pool_tables,
    "Properties": lambda result: properties_tables(result, "notebook"),
    "Qrels": qrels_tables,
    "Registry": _registry,
    "Relative": lambda result: relative_tables(result, "notebook"),
    "Reuse": lambda result: reuse_tables(result, "notebook"),
    "Run": run_tables,
    "ScoreRows": _score_rows,
    "Scores": lambda result: score_tables(result, "notebook"),
    "Texts": text_tables,
}
"""By the name of the class, so that no module is loaded before somebody has something of it to show."""
