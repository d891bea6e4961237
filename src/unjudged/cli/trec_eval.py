"""unjudged trec_eval"""

from __future__ import annotations

from typing import Annotated

import typer

from unjudged.cli import options

__all__ = ["trec_eval"]

PLACE = 80


def trec_eval(
    qrels: options.Qrels,
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run file, or '-'.")],
    per_topic: Annotated[bool, typer.Option("-q", help="Also print each topic.")] = False,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            metavar="NAME",
            help="Measure, such as ndcg_cut.10, or group: official, set, all_trec.",
            show_default="official",
        ),
    ] = None,
    complete: Annotated[bool, typer.Option("-c", help="Average over all judged topics; missing ones count 0.")] = False,
    no_summary: Annotated[bool, typer.Option("-n", help="Do not print the summary.")] = False,
    level: Annotated[int, typer.Option("-l", min=1, metavar="N", help="Lowest grade that is relevant.")] = 1,
    max_docs: Annotated[
        int | None, typer.Option("-M", min=1, metavar="N", help="Use only the first N documents per topic.")
    ] = None,
    judged_only: Annotated[bool, typer.Option("-J", help="Drop unjudged documents first (condensed lists).")] = False,
    scores: options.Scores = options.ScoreType.float64,
) -> None:
    """Print what trec_eval prints: same flags, same names, same text.

    trec_eval 9 ranks on single-precision scores; add --scores float32 to get its numbers to the last digit.

    Example: unjudged trec_eval -q -m ndcg_cut.10 -m map qrels.txt bm25.run
    """
    from unjudged import api
    from unjudged.collection import files_behind
    from unjudged.compat.trec_eval import trec_eval_lines
    from unjudged.io.writing import STANDARD_OUTPUT, check_outputs

    check_outputs([STANDARD_OUTPUT], files_behind(qrels, run))
    lines = trec_eval_lines(
        api.read_qrels(qrels, negative="pooled"),
        api.read_run(run, scores=scores.value),
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
