"""Which document should be judged next, and when can judging stop?"""

from __future__ import annotations

from unjudged.studies.next_judgments.study import next_judgments

__all__ = ["next_judgments"]
