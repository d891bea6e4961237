"""Can this collection judge new systems, and which method should I trust on it?"""

from __future__ import annotations

from unjudged.studies.reuse.judgments_needed import Target, parse_target
from unjudged.studies.reuse.protocol import Protocol
from unjudged.studies.reuse.replays import Budget, Replays, parse_budget
from unjudged.studies.reuse.study import reuse

__all__ = ["Budget", "Protocol", "Replays", "Target", "parse_budget", "parse_target", "reuse"]
