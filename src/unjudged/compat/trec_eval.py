"""trec_eval's command line: the same names, the same order, the same text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.arrays import Ints
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.run_info import check_topics
from unjudged.data.view import join
from unjudged.measures import TREC_GROUPS, Measure, parse_measures
from unjudged.measures.requested import at_level, check_needs, trec_position
from unjudged.results.scores import ALL_TOPICS
from unjudged.wording import visible

__all__ = ["trec_eval_lines"]

_SUMMARY_ONLY = {"num_q", "gm_map", "gm_bpref"}
_AT_LEVEL_1 = "num_rel"
"""With ``-c`` trec_eval counts the judgments for its summary anew, and grades above 0 whatever ``-l`` says."""


def trec_eval_lines(
    qrels: Qrels,
    run: Run,
    names: Sequence[str],
    *,
    level: int = 1,
    complete: bool = False,
    max_docs: int | None = None,
    judged_only: bool = False,
    per_topic: bool = False,
    summary: bool = True,
) -> Iterator[str]:
    """The lines trec_eval prints: ``name <tab> topic <tab> value``, topics in byte order, measures in its order.

    Averages are over the topics that both files have, or over all judged topics with *complete*.
    """
    wanted = _in_trec_order(names)
    check_needs(qrels, [measure for _, measure in wanted])
    check_topics(run, qrels)
    view = join(run, qrels).top(max_docs)
    if judged_only:
        view = view.condensed()
    values = {name: at_level(measure, level).score(view) for name, measure in wanted}
    answered = [topic for topic in qrels.topics if topic in run.topic_rows]
    rows = {topic: qrels.topic_rows[topic] for topic in sorted(answered, key=lambda topic: topic.encode())}
    if per_topic:
        for topic, row in rows.items():
            for name, measure in wanted:
                if name not in _SUMMARY_ONLY:
                    yield _line(name, topic, float(values[name][row]), measure.is_count)
    if summary:
        chosen: Ints = np.arange(len(qrels.topics)) if complete else np.array(list(rows.values()))
        if any(name in TREC_GROUPS for name in names):
            yield f"{'runid':<22}\t{ALL_TOPICS}\t{visible(run.name)}"
        for name, measure in wanted:
            scores = measure.score(view) if complete and name == _AT_LEVEL_1 else values[name]
            yield _line(name, ALL_TOPICS, measure.summarise(scores[chosen]), measure.is_count)


def _in_trec_order(names: Sequence[str]) -> list[tuple[str, Measure]]:
    """(name to print, measure): trec_eval's measures in its own order, then ours in the order asked for."""
    chosen: dict[str, Measure] = {}
    for name in names:
        for measure in parse_measures(name):
            chosen.setdefault(measure.trec_name() or str(measure), measure)
    return sorted(chosen.items(), key=lambda item: trec_position(item[0]))


def _line(name: str, topic: str, value: float, is_count: bool) -> str:
    return f"{name:<22}\t{visible(topic)}\t" + (f"{value:.0f}" if is_count else f"{value:6.4f}")
