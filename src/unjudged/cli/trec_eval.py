"""unjudged trec_eval"""

from __future__ import annotations

from unjudged.cli import options
from unjudged.cli.declared import argument
from unjudged.cli.options import option
from unjudged.limits import Duplicates, ScoreType

__all__ = ["trec_eval"]

PLACE = 80


def trec_eval(
    qrels: str = options.QRELS,
    run: str = argument(metavar="RUN", help="A run file, or '-'."),
    per_topic: bool = option("-q", "Also print each topic.", False),
    measure: list[str] | None = option(
        "-m NAME", "Measure, such as ndcg_cut.10, or group: official, set, all_trec.", show_default="official"
    ),
    complete: bool = option("-c", "Average over all judged topics; missing ones count 0.", False),
    no_summary: bool = option("-n", "Do not print the summary.", False),
    level: int = option("-l N", "Lowest grade that is relevant.", 1, min=1),
    max_docs: int | None = option("-M N", "Use only the first N documents per topic.", min=1),
    judged_only: bool = option("-J", "Drop unjudged documents first (condensed lists).", False),
    scores: ScoreType = options.SCORES,
    duplicates: Duplicates = options.DUPLICATES,
) -> None:
    """Print what trec_eval prints: same flags, same names, same text.

    trec_eval 9 ranks on single-precision scores; add --scores float32 to get its numbers to the last digit.

    Examples:
        unjudged trec_eval qrels.txt a.run
        unjudged trec_eval -q -m ndcg_cut.10 qrels.txt a.run
        unjudged trec_eval -q -c -l 2 -m ndcg_cut.10 -m map qrels.txt bm25.run
    """
    from unjudged import api
    from unjudged.collection import files_behind
    from unjudged.compat.dicts import whole_grades
    from unjudged.compat.trec_eval import trec_eval_lines
    from unjudged.io.writing import STANDARD_OUTPUT, check_outputs

    check_outputs([STANDARD_OUTPUT], files_behind(qrels, run))
    lines = trec_eval_lines(
        whole_grades(api.read_qrels(qrels, negative="pooled")),
        api.read_run(run, scores=scores, duplicates=duplicates),
        measure or ["official"],
        level=level,
        complete=complete,
        max_docs=max_docs,
        judged_only=judged_only,
        per_topic=per_topic,
        summary=not no_summary,
    )
    for line in lines:
        print(line)
