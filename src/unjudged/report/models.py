"""What the language models of subtopics rest on, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from unjudged.data.texts import ModelSize
from unjudged.report import layout

__all__ = ["model_words"]


def model_words(models: Sequence[ModelSize]) -> list[str]:
    """What measures of texts rest on: how many documents and words speak for a subtopic."""
    words = []
    for rel in sorted({size.rel for size in models}):
        sizes = [size for size in models if size.rel == rel]
        known = [size for size in sizes if size.tokens]
        topics = len({size.topic for size in known})
        documents, tokens = (_spread([getattr(size, name) for size in known]) for name in ("documents", "tokens"))
        text = (
            f"Subtopics are known by the text judged {rel} or higher: {len(known):,} of {len(sizes):,} subtopics have"
            f" some, in {topics:,} topics. Each rests on {documents} documents and {tokens} words; JSON output has them"
            " one by one."
        )
        words.append(textwrap.fill(text, max(layout.screen_width(), 80)))
    return words


def _spread(numbers: Sequence[int]) -> str:
    return f"{min(numbers):,} to {max(numbers):,} (median {np.median(numbers):,.0f})"
