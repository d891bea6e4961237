"""How did this release do, and what changed since the one before: the ranker or the judgments?"""

from __future__ import annotations

from unjudged.studies.history.earlier_release import EarlierFiles
from unjudged.studies.history.study import evaluate_release

__all__ = ["EarlierFiles", "evaluate_release"]
