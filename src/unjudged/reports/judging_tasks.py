"""Documents to judge in the forms that tools of assessors read: JSON lines, Label Studio, Argilla, Quepid.

What a model expects of a document is left out where an assessor would see it: it would be a hint.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from unjudged.results.next_judgments import JudgmentRow, NextJudgments
from unjudged.wording import json_text

__all__ = ["TASK_FORMATS"]


def _json_lines(result: NextJudgments) -> str:
    """An object for each document, with all that is known; ``grade`` is for the assessor."""
    lines = []
    for row in result.judgments():
        document = _shown(result, row) | {"grade": None} | row._asdict()
        document["runs"] = [{"run": run, "rank": rank} for run, rank in row.runs]
        lines.append(json_text(document, indent=None) + "\n")
    return "".join(lines)


def _label_studio(result: NextJudgments) -> str:
    """Tasks to import, whose ``data`` a labelling interface shows."""
    return json_text([{"data": _shown(result, row), "meta": _place(row)} for row in result.judgments()])


def _argilla(result: NextJudgments) -> str:
    """What ``dataset.records.from_json`` reads."""
    empty: dict[str, Any] = {"suggestions": {}, "responses": {}, "vectors": {}}
    records = [
        {"id": f"{row.topic} {row.doc}", "fields": _shown(result, row), "metadata": _place(row), **empty}
        for row in result.judgments()
    ]
    return json_text(records)


def _quepid(result: NextJudgments) -> str:
    """A book to import. Fields of a document are JSON within JSON there."""
    pairs = []
    for row in result.judgments():
        shown = _shown(result, row)
        fields = json.dumps({"topic": row.topic, "text": shown["text"], **_place(row)}, ensure_ascii=False)
        pair = {"query_text": shown["query"], "doc_id": row.doc, "position": row.place, "document_fields": fields}
        pairs.append(pair)
    book = {"name": "To judge next", "show_rank": False, "support_implicit_judgements": False}
    return json_text({**book, "scale": list(result.scale), "query_doc_pairs": pairs})


def _shown(result: NextJudgments, row: JudgmentRow) -> dict[str, Any]:
    """What an assessor needs: what was asked for, and what the document says; or their ids where that is not known."""
    query, text = result.queries.get(row.topic, row.topic), result.texts.get(row.doc, row.doc)
    return {"topic": row.topic, "query": query, "doc": row.doc, "text": text}


def _place(row: JudgmentRow) -> dict[str, int]:
    return {"place": row.place, "part": row.part}


TASK_FORMATS: dict[str, Callable[[NextJudgments], str]] = {
    "jsonl": _json_lines,
    "label-studio": _label_studio,
    "argilla": _argilla,
    "quepid": _quepid,
}
"""How each is written."""
