"""Hole models that complete a view once."""

from __future__ import annotations

from unjudged.data.view import View
from unjudged.holes.base import HoleModel

__all__ = ["Condensed", "NonRelevant"]


class NonRelevant(HoleModel):
    """Unjudged documents are not relevant. What trec_eval does; a lower bound for most measures."""

    name = "nonrelevant"
    takes_as_nonrelevant = True
    topic_by_topic = True
    only_fills = True
    title = "Unjudged documents count as not relevant"
    reference = "C. Buckley and E. Voorhees. Retrieval system evaluation. In TREC: Experiment and Evaluation, 2005."

    def fill(self, view: View) -> View:
        """The view as it is: grades of unjudged documents are 0."""
        return view


class Condensed(HoleModel):
    """Unjudged documents are dropped from the whole run and those below move up (``trec_eval -J``).

    Tends to overestimate runs with many unjudged documents.
    """

    name = "condensed"
    looks_below = True
    topic_by_topic = True
    only_fills = True
    title = "Unjudged documents are dropped, those below move up"
    reference = "T. Sakai. Alternatives to bpref. SIGIR 2007."

    def fill(self, view: View) -> View:
        """The view without unjudged rows."""
        return view.condensed()
