"""What does a run add to others?"""

from __future__ import annotations

from unjudged.studies.relative.runs import Sight, Whom
from unjudged.studies.relative.study import relative

__all__ = ["Sight", "Whom", "relative"]
