"""Everything about runs and judgments that one page can tell."""

from __future__ import annotations

from unjudged.studies.overview.study import Overview, Skipped, overview, usual_holes
from unjudged.studies.overview.top_documents import Rankings, TopicRankings

__all__ = ["Overview", "Rankings", "Skipped", "TopicRankings", "overview", "usual_holes"]
