"""What does a run add to others?"""

from __future__ import annotations

from unjudged.studies.relative.runs import PriorRuns, RelativeRun
from unjudged.studies.relative.study import relative

__all__ = ["PriorRuns", "RelativeRun", "relative"]
