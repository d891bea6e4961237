"""Which document should be judged next, and when can judging stop?"""

from __future__ import annotations

from unjudged.studies.next_judgments.judging import Judging
from unjudged.studies.next_judgments.study import next_judgments, start_judging

__all__ = ["Judging", "next_judgments", "start_judging"]
