"""What the language models of subtopics rest on, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.data.texts import ModelSize
from unjudged.wording import counted

__all__ = ["model_words"]


def model_words(models: Sequence[ModelSize]) -> list[str]:
    """What measures of texts rest on: how many documents and words speak for a subtopic."""
    words = []
    for rel in sorted({size.rel for size in models}):
        sizes = [size for size in models if size.rel == rel]
        filled = [size for size in sizes if size.tokens]
        topics = counted(len({size.topic for size in filled}), "topic")
        documents = _spread([size.documents for size in filled], "document")
        tokens = _spread([size.tokens for size in filled], "word")
        text = (
            f"Subtopics are known by the text judged {rel} or higher: {len(filled):,} of {len(sizes):,} subtopics have"
            f" some, in {topics}. Each rests on {documents} and {tokens}; JSON output has them one by one."
        )
        words.append(text)
    return words


def _spread(numbers: Sequence[int], of: str) -> str:
    low, high = min(numbers), max(numbers)
    if low == high:
        return counted(low, of)
    return f"{low:,} to {high:,} {of}s (median {np.median(numbers):,.0f})"
