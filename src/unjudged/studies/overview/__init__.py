"""Everything about runs and judgments that one page can tell."""

from __future__ import annotations

from unjudged.studies.overview.rankings import Rankings, TopicRankings
from unjudged.studies.overview.study import Overview, Skipped, overview, refuse_pipes, usual_holes

__all__ = ["Overview", "Rankings", "Skipped", "TopicRankings", "overview", "refuse_pipes", "usual_holes"]
