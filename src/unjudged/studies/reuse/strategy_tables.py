"""Strategies side by side: what each has found at each budget, and which one this collection speaks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.engine.numerics.judged_in_order import JudgedInOrder
from unjudged.results.reuse_rows import StrategyRow
from unjudged.results.tabular import number_or_none
from unjudged.studies.reuse.outcomes import Findings, Outcome
from unjudged.wording import counted

__all__ = ["RULE_OF_STRATEGIES", "strategy_rows", "strategy_verdict"]

_GOOD_TAU = 0.9

RULE_OF_STRATEGIES = (
    "Recommended is the strategy with the highest tau-b on average over the budgets that all reach, then the one that"
    " finds the most relevant documents; samples are not compared, because they are drawn for estimates, not for"
    " plain scores. Answers were those of the judgments there are: what nobody judged could not be asked for."
)


def strategy_rows(every: Sequence[Outcome]) -> tuple[StrategyRow, ...]:
    """A row for each strategy, method and budget, in the order that they were given."""
    rows = []
    for one in every:
        if not isinstance(one.how, JudgedInOrder):
            continue
        agreements, errors = one.agreements(), one.errors()
        findings = dict(zip(Findings._fields, np.mean(one.findings(), axis=0).tolist(), strict=True))
        lead = one.lead
        rows.append(
            StrategyRow(
                strategy=str(one.how.strategy),
                measure=lead.measure,
                holes=lead.holes,
                truth=lead.truth,
                judgments=one.judgments(),
                per_topic=one.judgments() / max(1, len(one.trial.joined.qrels.topics)),
                share=one.share(),
                recall=number_or_none(findings["recall"]),
                tau_b=number_or_none(float(np.mean([each.tau_b for each in agreements]))) if agreements else None,
                tau_ap=number_or_none(float(np.mean([each.tau_ap for each in agreements]))) if agreements else None,
                rmse=number_or_none(float(np.mean([each.rmse for each in errors]))) if errors else None,
                bias=number_or_none(float(np.mean([each.bias for each in errors]))) if errors else None,
                significant_kept=number_or_none(findings["significant_kept"]),
                significant_false=number_or_none(findings["significant_false"]),
                sample=one.how.strategy.is_sample,
                recommended=False,
            )
        )
    return _recommended(rows)


def _recommended(rows: Sequence[StrategyRow]) -> tuple[StrategyRow, ...]:
    """The same, with the best strategy marked, for each method."""
    out = list(rows)
    for method in dict.fromkeys((row.truth, row.measure, row.holes) for row in rows):
        mine = [row for row in rows if (row.truth, row.measure, row.holes) == method and not row.sample]
        budgets = [{row.judgments for row in mine if row.strategy == name} for name in _names(mine)]
        common = set.intersection(*budgets) if budgets else set()
        scores = {}
        for name in _names(mine):
            taus = [row.tau_b for row in mine if row.strategy == name and row.judgments in common]
            recalls = [row.recall or 0.0 for row in mine if row.strategy == name and row.judgments in common]
            if taus and None not in taus:
                scores[name] = (float(np.mean([tau or 0.0 for tau in taus])), float(np.mean(recalls)))
        if scores:
            best = max(scores, key=lambda name: scores[name])
            out = [
                row._replace(recommended=True)
                if row.strategy == best and (row.truth, row.measure, row.holes) == method
                else row
                for row in out
            ]
    return tuple(out)


def _names(rows: Sequence[StrategyRow]) -> list[str]:
    return list(dict.fromkeys(row.strategy for row in rows))


def strategy_verdict(rows: Sequence[StrategyRow]) -> str:
    """What the strategy that is recommended for the first method reaches, and with how many judgments."""
    best = [row for row in rows if row.recommended]
    best = [
        row for row in best if (row.truth, row.measure, row.holes) == (best[0].truth, best[0].measure, best[0].holes)
    ]
    if not best:
        return "No strategy is recommended: none puts the runs in an order to compare with the truth."
    good = [row for row in best if row.tau_b is not None and row.tau_b >= _GOOD_TAU]
    at = min(good, key=lambda row: row.judgments) if good else max(best, key=lambda row: row.judgments)
    found = [f"tau-b with the scores under all of them is {at.tau_b:.3f}"]
    found += [] if at.recall is None else [f"{at.recall:.0%} of the relevant documents are found"]
    if at.significant_kept is not None:
        found.append(f"{at.significant_kept:.0%} of the significant differences are")
    many = counted(round(at.judgments), "judgment")
    number = len(_names(rows))
    which = f"the best of {number} that were tried is" if number > 1 else "what was tried is"
    return (
        f"In what order to judge: {which} {at.strategy}. With {many} ({at.per_topic:.0f} per topic,"
        f" {at.share:.0%} of all), {', '.join(found)} ({at.measure}, {at.holes})."
    )
