"""What MTEB saves of a retrieval task: the model, and its rankings for each subset and split of the data."""

from __future__ import annotations

from unjudged.errors import some_of
from unjudged.io.formats.base import Asked, Collector, Head, JsonFormat, quoted
from unjudged.io.json_stream import JsonStream, key_path

__all__ = ["MtebPredictions"]

_MODEL = "mteb_model_meta"


class MtebPredictions(JsonFormat):
    """``{"mteb_model_meta": {"model_name"}, subset: {split: {topic: {doc: score}}}}``, of one subset and split."""

    name = "mteb"
    what = "predictions saved by MTEB"
    reads = frozenset({"score", "pair"})

    def recognises(self, head: Head) -> bool:
        return head.is_json and head.keys.get(_MODEL) == "{"

    def read(self, stream: JsonStream, rows: Collector, asked: Asked, line: int) -> str | None:
        name, splits = None, []
        for subset in stream.members():
            if subset == _MODEL:
                model = stream.object().get("model_name")
                name = model if isinstance(model, str) else None
                continue
            for split in stream.members():
                splits.append((subset, split))
                if len(splits) > 1:  # their topics may have the same names
                    both = some_of([key_path(*way) for way in splits])
                    raise stream.error(
                        f"a run is of one subset and split, and this file has {both}; {_keep(*splits[0])}"
                    )
                for topic in stream.members():
                    docs = stream.object()
                    rows.add(topic, list(docs), list(docs.values()))
        return name


def _keep(subset: str, split: str) -> str:
    """What to type to keep one of several."""
    outer, inner = quoted(subset), quoted(split)
    return f"keep one: jq '{{{_MODEL}, {outer}: {{{inner}: .[{outer}][{inner}]}}}}'"
