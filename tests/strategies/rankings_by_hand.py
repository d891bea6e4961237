"""Small collections that strategies are tried on, and a brute-force reading of them."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from unjudged.data.joined import Joined, join_runs
from unjudged.io.tables import qrels_from_table, run_from_table

Judged = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, list[str]]]
"""The documents of each run for each topic, best first."""


def joined(judged: Judged, rankings: Rankings) -> Joined:
    runs = [
        run_from_table(
            {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in topics.items()}
        ).renamed(name)
        for name, topics in rankings.items()
    ]
    return join_runs(qrels_from_table(judged), runs)


def pool(rankings: Rankings, topic: str, depth: int | None) -> list[str]:
    """The documents that some run has down to a depth, in byte order."""
    return sorted({doc for topics in rankings.values() for doc in topics.get(topic, [])[:depth]})


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Judgments of all documents of up to three topics, and up to four runs of these documents."""
    docs = [f"d{i}" for i in range(8)]
    topics = [f"t{i}" for i in range(draw(st.integers(1, 3)))]
    judged = {topic: {doc: draw(st.integers(0, 2)) for doc in docs} for topic in topics}
    rankings = {
        f"run{r}": {topic: draw(st.permutations(docs))[: draw(st.integers(1, 8))] for topic in topics}
        for r in range(draw(st.integers(1, 4)))
    }
    return judged, rankings
