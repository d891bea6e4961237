"""A collection that can be asked: what each command asks is a method here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from unjudged.api.questions_about_judging import QuestionsAboutJudging
from unjudged.api.questions_about_runs import QuestionsAboutRuns
from unjudged.api.reading import (
    HoleLike,
    MeasureLike,
    read_corpus,
    read_holes,
    read_measure,
    read_measures,
    read_numbers,
)
from unjudged.errors import warn_of
from unjudged.limits import FEW_JUDGED, Whole
from unjudged.results.coverage import check_min_judged

if TYPE_CHECKING:
    from unjudged.reports.page import Page
    from unjudged.results.corpus_image_scores import ImageScores
    from unjudged.results.diagnosis import Diagnosis
    from unjudged.results.properties import Properties
    from unjudged.uncertainty import CorpusBootstrap
    from unjudged.uncertainty.base import Correction, SignificanceTest

__all__ = ["REPORTED", "STUDIED", "Collection"]

REPORTED = ("nDCG@10", "P@10", "AP@100")
"""Measures of a report; all have a cut-off, because draws for whole rankings take a minute and more."""
STUDIED = ("AP", "INSQ(T=5)", "nDCG@1000", "P@10", "RBP(p=0.95)@1000", "RR")
"""Measures whose properties are asked for: those of the corpus bootstrapping paper."""


class Collection(QuestionsAboutRuns, QuestionsAboutJudging):
    """Judgments and runs, with what else is known, and how all of it is read.

    *qrels* and *runs*: whatever :func:`unjudged.read_qrels` and :func:`unjudged.read_runs` take. Runs are read one at a
    time when a question is asked, so that memory does not grow with their number; judgments are read once. Several
    questions can be asked, unless there is a run that can be read only once (standard input, a generator).

    *groups*: who made which run, a file of lines ``run group`` or a dict. Models that learn from other runs
    (``evidence``) ask those of other groups, and take near copies of a run for its group where there are none;
    other questions compare groups or leave them out. *pool*: which documents were chosen to be judged (see
    :func:`unjudged.read_pool`); or *pool_depth*: the first so many documents of every run were. *intents*: how likely
    users mean each subtopic (see :func:`unjudged.read_qrels`). *only_topics*: the topics to look at, a file with one at
    the beginning of each line, or ids, as if judgments and runs had no others. *feature*: one or several sources of
    numbers that may say which documents are relevant, in any form that runs may have or a file of lines
    ``topic doc value``, for ``evidence``. *texts*: what documents say, a source or
    :func:`unjudged.text_source`, for measures and models that look at it.

    *scores*: precision of scores when ranking; ``float32`` ranks as trec_eval 9 and pytrec_eval do. *duplicates*:
    whether a document that a run has twice for a topic is an ``error``, or its ``best`` ranked, ``first`` or ``last``
    line counts. *format* and *negative*: what the columns of the judgments and grades below 0 mean (see
    :func:`unjudged.read_qrels`). *seed*: of everything random. *jobs*: threads, or processes where a question takes
    long (``reuse``); one per core unless given. The same seed gives the same numbers with any number of them.
    *progress*: shows how far the work is, such as :func:`unjudged.progress_bar`. Results say which *command* makes them
    again, and with *hashes* what the files held. *outputs*: files that are going to be written; a question refuses,
    before the work, one that is an input.

    >>> collection = Collection({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}})
    >>> collection.score("RR").mean()["mine", "RR"]
    0.5
    """

    # Studies that need SciPy, or many modules, are imported when they are asked: scoring must not wait for them.

    def properties(
        self,
        measures: MeasureLike | Iterable[MeasureLike] = STUDIED,
        *,
        corpus: CorpusBootstrap | None = None,
        top: int | None = None,
        by: MeasureLike | None = None,
        test: str | SignificanceTest | type[SignificanceTest] = "t",
        correction: str | Correction | type[Correction] | None = None,
        shallow: int | Iterable[int] = (),
        shallow_runs: int | None = None,
    ) -> Properties:
        """How precisely do measures measure here? What would other corpora from the same source have said?

        Runs are scored on images of the *corpus* (1,000 unless it says otherwise), with several measures: how far do
        differences of two runs on a topic, scores, means and ranks move; do images predict another image; and do
        intervals of images say of two runs what a paired *test* over topics says? *top*: only so many of the best runs,
        *by* a measure, the first of *measures* unless given, which also says in which order runs are listed.
        *correction*: Holm's unless you say otherwise.

        *shallow*: also play through that only the first so many documents of two runs are judged, for every two of the
        best *shallow_runs* (2 unless given). Runs are in memory together with their scores on all images, a gigabyte of
        these at most. Unjudged documents count as not relevant.
        """
        from unjudged.studies import properties as properties_study
        from unjudged.uncertainty import CorpusBootstrap

        result = properties_study.properties(
            self,
            read_measures(measures),
            read_corpus(corpus) or CorpusBootstrap(),
            top=top,
            by=None if by is None else read_measure(by),
            test=test,
            correction=correction,
            shallow=properties_study.Shallow(read_numbers(shallow), shallow_runs),
        )
        warn_of(result.warnings)
        return result

    def doctor(self, *, cutoffs: Iterable[int] = (), min_judged: float = FEW_JUDGED) -> Diagnosis:
        """Examine everything, and say all that is wrong with it instead of stopping at the first problem.

        *cutoffs*: where to look for ties in score, beside 10 and 100. *min_judged*: a run of which a smaller share of
        the top 10 is judged is a finding.
        """
        from unjudged.studies import doctor as doctor_study

        return doctor_study.doctor(
            self,
            cutoffs=[Whole(1).checked("a cut-off", cutoff) for cutoff in cutoffs],
            min_judged=check_min_judged(min_judged) or 0.0,
        )

    def report(
        self,
        measures: MeasureLike | Iterable[MeasureLike] = REPORTED,
        *,
        holes: HoleLike | Iterable[HoleLike] = (),
        topics: Any = None,
        title: str | None = None,
        depth: int = 20,
        reuse: bool = True,
        test: str | SignificanceTest | type[SignificanceTest] | None = None,
        labels: Any = None,
        corpus: CorpusBootstrap | None = None,
        segments: Any = None,
        to_judge: int = 0,
    ) -> Page:
        """Everything that the other questions find out, on one page that needs nothing but itself.

        Nothing may be readable only once. The first measure is the main one: whether the collection can be reused is
        asked for it alone, and not at all without *reuse*. *holes*: hole models; nonrelevant, condensed, joint (bounds,
        for measures that have no joint ones) and discounted (from evidence, where there are groups) unless given.
        *topics*: what topics ask for, a file or a dict. *depth*: how many documents of each ranking can be looked at,
        with the beginning of their texts where these are given. *test*: of differences, as in :meth:`compare`;
        randomisation unless given, and Tukey's HSD for more than 32 runs. *corpus*: also what other corpora would have
        said, as in :meth:`properties`. *labels*: sources whose labels are compared with the judgments, as in
        :meth:`judges`. *segments*: the segment of each topic, as in :meth:`compare`. *to_judge*: also say which
        documents, so many of them, to judge next, and what is decided, as :meth:`next_judgments`. Warnings are on the
        page, and in ``page.overview.warnings``. The page has the hashes of all files.
        """
        from unjudged.io.label_files import expand_labels
        from unjudged.io.segments import read_segments
        from unjudged.reports.page import make_page
        from unjudged.studies import overview as overview_study

        chosen = read_measures(measures)
        overview = overview_study.overview(
            self,
            chosen,
            read_holes(holes) or overview_study.usual_holes(chosen, groups=self.given_groups is not None),
            topics=topics,
            depth=depth,
            with_reuse=reuse,
            test=test,
            labels=() if labels is None else expand_labels(labels),
            corpus=read_corpus(corpus),
            segments=None if segments is None else read_segments(segments),
            to_judge=to_judge,
        )
        return make_page(overview, title)

    def resample(
        self, measures: MeasureLike | Iterable[MeasureLike], how: CorpusBootstrap, *, keep: bool = False
    ) -> ImageScores:
        """Score runs on other corpora from the same source: images of the corpus, drawn with replacement.

        All runs are scored on the same images, and are in memory together. With *keep* the score of every run and topic
        on every image is kept. The numbers depend on neither jobs nor the order of runs; other runs beside them give
        other images.
        """
        from unjudged.uncertainty.corpus import bootstrap_corpus

        result = bootstrap_corpus(
            self.read_runs(),
            self.qrels,
            read_measures(measures),
            how,
            seed=self.seed,
            keep=keep,
            jobs=self.jobs,
            progress=self.progress,
        )
        warn_of(result.warnings)
        return result
