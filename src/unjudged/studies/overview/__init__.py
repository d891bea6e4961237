"""Everything about runs and judgments that one page can tell."""

from __future__ import annotations

from unjudged.studies.overview.rankings import Rankings, TopicRankings
from unjudged.studies.overview.study import Overview, Skipped, overview, usual_holes

__all__ = ["Overview", "Rankings", "Skipped", "TopicRankings", "overview", "usual_holes"]
