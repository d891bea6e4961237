"""What else could have been observed: another corpus from the same source."""

from __future__ import annotations

from unjudged.uncertainty.corpus import Corpus, CorpusBootstrap, bootstrap_corpus, image_blocks
from unjudged.uncertainty.image_scores import ImageScores, Summary

__all__ = ["Corpus", "CorpusBootstrap", "ImageScores", "Summary", "bootstrap_corpus", "image_blocks"]
