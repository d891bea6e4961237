"""Which document to judge next. Importing this package imports all its modules, which registers all strategies."""

from __future__ import annotations

from unjudged.registry import import_modules
from unjudged.strategies.base import Batch, Order, Strategy, TopicByTopic, even_shares, first_by, strategies
from unjudged.strategies.candidates import Candidates, candidates_of
from unjudged.strategies.depth import Depth
from unjudged.strategies.replay import Replayed, replay

__all__ = [
    "Batch",
    "Candidates",
    "Depth",
    "Order",
    "Replayed",
    "Strategy",
    "TopicByTopic",
    "candidates_of",
    "even_shares",
    "first_by",
    "replay",
    "strategies",
]

import_modules(__name__, __path__)
