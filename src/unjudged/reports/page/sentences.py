"""What a report's sections come to, in plain sentences with the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.errors import some_of
from unjudged.reports.doctor import closing_line
from unjudged.reports.model_names import short_model_names
from unjudged.reports.next_judgments import next_sentences
from unjudged.results.comparison import SIGNIFICANT, Comparison
from unjudged.results.diagnosis import Diagnosis
from unjudged.results.judges import Judges
from unjudged.results.next_judgments import NextJudgments
from unjudged.results.properties import Properties
from unjudged.results.relative import Relative
from unjudged.results.reuse import Reuse
from unjudged.results.scores import Scores, mean_known
from unjudged.studies.overview import Skipped
from unjudged.wording import counted

__all__ = [
    "about_added",
    "about_corpus",
    "about_files",
    "about_labels",
    "about_order",
    "about_reuse",
    "about_scores",
    "about_segments",
    "about_to_judge",
]


def about_files(diagnosis: Diagnosis) -> str:
    """Are the files sound?"""
    runs = counted(len(diagnosis.runs), "run")
    if diagnosis.qrels is None:
        return f"{runs} were read, the judgments were not. {closing_line(diagnosis)}"
    judged = counted(diagnosis.qrels.judged, "judged document")
    what = f"{runs} and {judged} for {counted(diagnosis.qrels.topics, 'topic')} were read."
    return f"{what} {closing_line(diagnosis)}"


def about_scores(scores: Scores, measure: int) -> str:
    """What are the scores, and how sure are they? Who is best by the first hole model that says it, and by the last."""
    name = scores.measures[measure]
    defined = np.flatnonzero(~np.isnan(scores.means[:, measure]).all(axis=1)).tolist()
    if not defined:
        return f"{name} is undefined for every run."
    judged = mean_known(scores.judged[0, measure])
    first, last = defined[0], defined[-1]
    text = _best(scores, first, measure)
    if not (judged < 1).any():
        return f"{text}. Everything that it looks at is judged, so no score can change."
    models = short_model_names(scores.holes)
    text += f" ({models[first]})"
    if not np.array_equal(scores.means[last, measure], scores.means[first, measure], equal_nan=True):
        text += f"; by {models[last]}, {_best(scores, last, measure, known=_winner(scores, first, measure))}"
    least = int(np.nanargmin(judged))
    text += (
        f". Of the documents that {name} looks at, {mean_known(judged):.1%} are judged; {scores.runs[least]} has the"
        f" fewest, {judged[least]:.1%}."
    )
    widths = scores.mean_high[:, measure] - scores.mean_low[:, measure]
    if np.isnan(widths).all():
        return text
    hole, run = np.unravel_index(int(np.nanargmax(widths)), widths.shape)
    low, high = scores.mean_low[hole, measure, run], scores.mean_high[hole, measure, run]
    text += f" The widest range is that of {scores.runs[run]}: {low:.4f} to {high:.4f} ({models[hole]})."
    chance = [name for name, kind in zip(models, scores.ranges, strict=True) if kind == "chance alone"]
    if chance:
        text += f" Ranges of {', '.join(chance)} are what chance alone would do if the model were right."
    return text


def _winner(scores: Scores, hole: int, measure: int) -> int:
    return int(np.nanargmax(scores.means[hole, measure]))


def _best(scores: Scores, hole: int, measure: int, *, known: int | None = None) -> str:
    """Which run is best, or that it is the one that is *known* already."""
    best = _winner(scores, hole, measure)
    value = scores.means[hole, measure, best]
    shown = f"{value:,.0f}" if scores.counts[measure] else f"{value:.4f}"
    if len(scores.runs) == 1:
        return f"{scores.runs[best]} has a {scores.measures[measure]} of {shown}"
    if best == known:
        return f"it has {shown}, which is also the highest"
    return f"{scores.runs[best]} has the highest {scores.measures[measure]}, {shown}"


def about_order(comparison: Comparison | Skipped) -> str:
    """Who beats whom, and does it survive the holes?"""
    if isinstance(comparison, Skipped):
        return _left_out("Runs were not compared", comparison)
    first = comparison.rows()[0]
    ranks = f"rank {first.rank_low}" + (f" to {first.rank_high}" if first.rank_high > first.rank_low else "")
    how = comparison.test if comparison.correction == "none" else f"{comparison.test}, {comparison.correction}"
    count = sum(row.corrected_p < SIGNIFICANT for row in comparison.pairs())
    significant = f"{count:,} of {len(comparison.pairs()):,} differences {'is' if count == 1 else 'are'} significant"
    return (
        f"{first.run} is first by {comparison.measure}; with other topics and other grades in the holes it would have"
        f" {ranks} in 95% of cases. {significant} ({how}). {comparison.summary()}"
    )


def about_segments(comparison: Comparison | Skipped) -> str:
    """Is it so on every segment of the topics?"""
    if isinstance(comparison, Skipped):
        return _left_out("Runs were not compared", comparison)
    ahead: dict[str, list[str]] = {}
    for row in comparison.segments():
        if row.rank == 1:
            ahead.setdefault(row.run, []).append(row.segment)
    number = len({row.segment for row in comparison.segments()})
    by_number = sorted(ahead.items(), key=lambda one: -len(one[1]))
    firsts = [f"{run} on {_all_of(segments, number)}" for run, segments in by_number[:_FIRSTS]]
    more = f" and {counted(len(by_number) - _FIRSTS, 'other run')}" if len(by_number) > _FIRSTS else ""
    rows = comparison.segment_pairs()
    count = sum(row.corrected_p < SIGNIFICANT for row in rows)
    said = [one.message for one in comparison.warnings if one.code in ("simpsons-paradox", "segments-disagree")]
    against = "" if said else " No pair of runs is the other way round on most segments."
    return " ".join(
        [
            f"First by {comparison.measure}: {'; '.join(firsts)}{more}.",
            f"{count:,} of {counted(len(rows), 'difference')} on segments {'is' if count == 1 else 'are'} significant,"
            f" corrected for all of them.{against}",
            *(f"{one}." for one in said),
        ]
    )


_FIRSTS = 3
"""Runs that are named as first on segments."""


def _all_of(segments: Sequence[str], number: int) -> str:
    if len(segments) == number:
        return "the one segment" if number == 1 else f"all {number:,} segments"
    return some_of(segments, 3) if len(segments) <= 3 else f"{len(segments):,} of {number:,} segments"


def about_added(result: Relative | Skipped) -> str:
    """Who adds something new?"""
    return _left_out("What runs add was not asked", result) if isinstance(result, Skipped) else result.summary()


def about_labels(result: Judges | Skipped) -> str:
    """Can the labels be trusted?"""
    if isinstance(result, Skipped):
        return _left_out("Labels were not compared", result)
    odd = [f"{row.judge} is {row.odd}." for row in result.judges() if row.odd]
    return " ".join([result.summary(), *odd])


def about_reuse(result: Reuse | Skipped) -> str:
    """Can the collection be reused?"""
    return _left_out("Reuse was not tried", result) if isinstance(result, Skipped) else result.verdict


def about_to_judge(result: NextJudgments | Skipped) -> str:
    """What should be judged next?"""
    if isinstance(result, Skipped):
        return _left_out("What to judge next was not asked", result)
    return " ".join(next_sentences(result))


def about_corpus(result: Properties | Skipped) -> str:
    """Would another corpus change this?"""
    return _left_out("Other corpora were not tried", result) if isinstance(result, Skipped) else result.summary()


def _left_out(what: str, skipped: Skipped) -> str:
    return f"{what}: {skipped.reason}."
