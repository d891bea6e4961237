"""What is asked about runs: their scores, which is better, and what each adds to others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, get_args

from unjudged.api.reading import (
    FusionLike,
    HoleLike,
    MeasureLike,
    read_corpus,
    read_holes,
    read_holes_or_auto,
    read_interval,
    read_measure,
    read_measures,
    read_prior_runs,
)
from unjudged.collection import BaseCollection
from unjudged.errors import InputError, warn_of
from unjudged.holes import hole_models
from unjudged.io.sources import as_path
from unjudged.limits import Choice, ChooseBy, JointPrior, MissingTopics, OtherGroups, Rareness, TascPriors
from unjudged.results.coverage import check_min_judged, too_few_judged
from unjudged.studies import score as score_study

if TYPE_CHECKING:
    from unjudged.data.segments import Segments
    from unjudged.results.comparison import Comparison
    from unjudged.results.gate import Gate
    from unjudged.results.history import History
    from unjudged.results.relative import Relative
    from unjudged.results.scores import Scores
    from unjudged.uncertainty import CorpusBootstrap
    from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest

__all__ = ["QuestionsAboutRuns"]


class QuestionsAboutRuns(BaseCollection):
    """Judgments and runs, of which the runs are what is asked about."""

    # Studies that need SciPy, or many modules, and readers of what few give are imported when they are asked: scoring
    # must not wait for them.

    def score(
        self,
        measures: MeasureLike | Iterable[MeasureLike],
        *,
        holes: HoleLike | Iterable[HoleLike] | Literal["auto"] = ("nonrelevant",),
        missing: MissingTopics = "zero",
        explain: Iterable[tuple[str, str]] = (),
        interval: tuple[float, float] = (0.05, 0.95),
        labels: Any = None,
        sample_rate: float | None = None,
        random_sample: bool = False,
        min_judged: float | None = None,
        segments: Any = None,
        unjudged: int | None = None,
    ) -> Scores:
        """Score runs, and say how much of each score rests on judged documents.

        *holes*: what to believe about unjudged documents, one model or several; or ``"auto"`` for the score and, where
        runs have holes within a measure's cut-off, its exact bounds and the best estimate there is: ``evidence``, where
        more than five *groups* made the runs, else ``discounted``.

        *missing*: a judged topic that a run lacks counts ``zero`` (as ``trec_eval -c``) or is left out of that run's
        mean (``skip``). *explain*: pairs of a run and a topic, whose unjudged documents ``explained`` then lists, with
        what is known about each and what it is worth. *interval*: two quantiles, for hole models with draws. Runs are
        read twice where texts or a pool depth are given, and three times with ``evidence``.

        *labels*: those of one judge, in any form that :meth:`judges` takes. Then ``result.assisted`` has estimates that
        use them, too. Labels of judged topics and of others: prediction-powered estimates of the means over all these
        topics, of which people's must be a random sample. Labels of judged topics only, or a *sample_rate*: estimates
        of what scores would be if people had judged all pairs that have labels, of which the judged ones must be a
        random sample, with that chance, with those of the judgments' strata, or with equal ones. Where it clearly is
        none, that is an error, unless *random_sample* says that it was drawn at random. *min_judged*: warn of runs of
        which a smaller share is judged of what a measure looks at. *segments*: the segment of each topic, a file or a
        dict; ``result.segments`` then has means over each. *unjudged*: how many of the unjudged documents that weigh
        most ``result.unjudged`` lists for each measure, for which runs are read once more.
        """
        Choice(get_args(MissingTopics)).checked("missing", missing)
        min_judged = check_min_judged(min_judged)
        slices = None if segments is None else _segments(segments)
        if slices is not None and missing == "skip":
            raise InputError(
                "--segments goes with --missing zero (missing= in Python): means of a segment would be over other"
                " topics for each run"
            )
        chosen, models = read_measures(measures), read_holes_or_auto(holes)
        _check_sample(labels, sample_rate, random_sample)
        asked = self if labels is None and unjudged is None else self.rereadable()
        if models is None:
            from unjudged.studies.score_with_estimates import score_with_estimates as study
        else:
            study = partial(score_study.score, holes=models)
        result = study(
            *(asked, chosen),
            missing=missing,
            explain=_pairs(explain),
            interval=read_interval(interval),
            label_files=_label_paths(labels),
            segment_file=None if slices is None else as_path(slices.source),
        )
        if labels is not None:
            from unjudged.studies.estimates_from_sampled_topics import assisted_means

            assisted, notices = assisted_means(
                asked, labels, chosen, result.runs, rate=sample_rate, trusted=random_sample
            )
            result = replace(result, assisted=assisted, warnings=(*result.warnings, *notices))
        if slices is not None:
            from unjudged.studies.score_by_segment import with_segments

            result = with_segments(result, slices, chosen)
        if unjudged is not None:
            from unjudged.studies.unjudged_documents import unjudged_documents

            result = replace(result, unjudged=tuple(unjudged_documents(asked, chosen, unjudged)))
        few = too_few_judged(result.shares_judged(), min_judged)
        result = replace(result, warnings=(*result.warnings, *few))
        warn_of(result.warnings)
        return result

    def compare(
        self,
        measure: MeasureLike = "nDCG@10",
        *,
        baseline: str | None = None,
        top: int | None = None,
        test: str | SignificanceTest | type[SignificanceTest] = "randomisation",
        correction: str | Correction | type[Correction] | None = None,
        interval_method: str | IntervalMethod | type[IntervalMethod] = "t",
        draws: int | None = None,
        prior: JointPrior | None = None,
        holes: HoleLike | None = None,
        corpus: CorpusBootstrap | None = None,
        labels: Any = None,
        sample_rate: float | None = None,
        random_sample: bool = False,
        min_judged: float | None = None,
        segments: Any = None,
    ) -> Comparison:
        """Compare runs: which is better, is that more than the luck of the topics, and could judging holes change it?

        All pairs, or all runs with the one named *baseline*; *top* keeps only so many of the best runs. *test*,
        *correction* (Holm's unless you say otherwise) and *interval_method* are those of :mod:`unjudged.uncertainty`.
        *draws*: worlds, each with one grade for every unjudged document; 1,000 unless *holes* says otherwise. *holes*:
        the model that grades are drawn with, ``evidence``, what runs of other groups say about a document,
        ``discounted``, what the run's own judged documents say, or ``bootstrap``, the grades of judged documents;
        evidence if groups are given, discounted if not. *prior* says the same in other words: ``evidence``,
        ``discounted`` or ``pool+run``. *corpus*: also see how far images of the corpus move the means. *labels*,
        *sample_rate* and *random_sample*: as in :meth:`score`, for differences; the test is randomisation where *test*
        is, and Student's where it is any other, and for documents. *min_judged*: as in :meth:`score`. *segments*: the
        segment of each topic, a file or a dict; ``result.segments()`` and ``result.segment_pairs()`` then have all of
        this for each, with p-values that are corrected for all pairs on all segments together.
        """
        from unjudged.studies import compare as compare_study

        _check_sample(labels, sample_rate, random_sample)
        min_judged = check_min_judged(min_judged)
        asked = self if labels is None else self.rereadable()
        result = compare_study.compare(
            asked,
            read_measure(measure),
            baseline=baseline,
            top=top,
            test=test,
            correction=correction,
            interval_method=interval_method,
            draws=draws,
            prior=prior,
            holes=None if holes is None else hole_models.choose(holes),
            corpus=read_corpus(corpus),
            label_files=_label_paths(labels),
            segments=None if segments is None else _segments(segments),
        )
        if labels is not None:
            from unjudged.studies.estimates_from_sampled_topics import assisted_differences
            from unjudged.uncertainty.base import corrections

            assisted, notices = assisted_differences(
                *(asked, labels, read_measure(measure), [(row.run, row.other) for row in result.pairs()]),
                test=result.test.partition("(")[0],
                correction=corrections.choose("holm" if result.correction == "none" else result.correction),
                rate=sample_rate,
                trusted=random_sample,
            )
            result = replace(result, assisted=assisted, warnings=(*result.warnings, *notices))
        few = too_few_judged(((row.run, result.measure, row.judged) for row in result.rows()), min_judged)
        result = replace(result, warnings=(*result.warnings, *few))
        warn_of(result.warnings)
        return result

    def gate(
        self,
        measures: MeasureLike | Iterable[MeasureLike] = "nDCG@10",
        *,
        margin: float = 0.01,
        confidence: float = 0.95,
        draws: int | None = None,
        holes: HoleLike | None = None,
        segments: Any = None,
        segment_margin: float | None = None,
        min_judged: float | None = None,
    ) -> Gate:
        """Is the second run, the candidate, worse than the first, the baseline? Further runs are evidence only.

        ``not worse``: the interval of the difference, which counts topics and unjudged documents together, lies above
        minus the *margin*, for all *measures*; ``worse``: it lies below 0 for one of them, with Holm's correction;
        ``undecided``: neither, and the result says which documents to judge. *confidence* is that of the interval.
        *draws* and *holes* are as in :meth:`compare`. *segments*: the segment of each topic, a file or a dict; on none
        may the interval lie below minus the *segment_margin*, which is the margin unless given. *min_judged*: as in
        :meth:`score`.
        """
        from unjudged.studies import gate as gate_study

        min_judged = check_min_judged(min_judged)
        result = gate_study.gate(
            self,
            read_measures(measures),
            margin=margin,
            confidence=confidence,
            draws=draws,
            holes=None if holes is None else hole_models.choose(holes),
            segments=None if segments is None else _segments(segments),
            segment_margin=segment_margin,
        )
        few = too_few_judged(result.shares_judged(), min_judged)
        result = replace(result, warnings=(*result.warnings, *few))
        warn_of(result.warnings)
        return result

    def add_release(
        self,
        history: str | PathLike[str],
        measures: MeasureLike | Iterable[MeasureLike] = ("nDCG@10", "P@10"),
        *,
        release: str | None = None,
        date: Any = None,
        holes: HoleLike | Iterable[HoleLike] | Literal["auto"] = "auto",
        previous_run: str | PathLike[str] | None = None,
        previous_qrels: str | PathLike[str] | None = None,
    ) -> History:
        """Score a run that is released, add that to the file *history*, and give all that this holds now.

        *release*: its name; that of the run's file unless given. *date*: a day such as ``2024-12-09``, or ``"today"``;
        none unless given. *measures* and *holes* as in :meth:`score`. Beside the scores stands what changed them since
        the last release of the file: the ranker, or the judgments. For that, both runs are scored under both
        judgments; the earlier ones are read from where the file says, if they are still what they were, or from
        *previous_run* and *previous_qrels*.
        """
        from unjudged.io import history_file
        from unjudged.io.groups import as_date
        from unjudged.io.writing import check_outputs
        from unjudged.results.history import History
        from unjudged.studies.history import EarlierFiles, evaluate_release

        path = fspath(history)
        day = None if date is None else as_date(_today() if date == "today" else date).isoformat()
        check_outputs([path], self.provenance().files)
        earlier = history_file.read_history(path, must_exist=False)
        new, scores = evaluate_release(
            self.rereadable() if earlier else self,
            read_measures(measures),
            read_holes_or_auto(holes),
            history=path,
            earlier=earlier,
            release=release,
            date=day,
            files=EarlierFiles(*(None if one is None else fspath(one) for one in (previous_run, previous_qrels))),
        )
        history_file.append_release(path, new)
        result = History(path, (*earlier, new), scores.warnings, scores.provenance)
        warn_of(result.warnings)
        return result

    def relative(
        self,
        measure: MeasureLike = "nDCG@10",
        *,
        prior_runs: Any = None,
        order: Any = None,
        other_groups: OtherGroups = "best",
        types: Any = None,
        absolute: MeasureLike | None = None,
        holes: HoleLike | Iterable[HoleLike] = (),
        rel: float | None = None,
        alpha: float = 1.0,
        rareness: Rareness = "topic",
        tasc: TascPriors = "priors",
        explain: str | Iterable[str] = (),
        choose: int | None = None,
        choose_by: ChooseBy = "gain",
        fuse: FusionLike | None = None,
        interval: tuple[float, float] = (0.05, 0.95),
    ) -> Relative:
        """What does each run add to others? Normalized residual gain (NRG) beside the absolute score.

        *measure*: the base of NRG, or NRG itself as in ``"NRG(nDCG, gain=binary, rel=2)"``. The others are every other
        run, *prior_runs* (sources, or names of runs, which are then not scored), the best run of each other group
        (*other_groups*: or ``all`` of them), or all earlier runs (*order*: a file, a list, or a dict of dates).
        *types*: what kind of run each is, such as manual or automatic; a file of lines ``run type``, or one whose first
        line calls a column ``type``, or a dict. *absolute*: the score beside it, by which a run is the best of its
        group; the base unless given. *holes*: hole models; bounds over all labels unless given, where the base has a
        cut-off. *rel*, *alpha* and *rareness* are for unique documents and rareness-based precision, which look at the
        pool depth (the base's cut-off, or 10, unless given), *tasc* for TaSC. *explain*: runs whose documents are
        listed.

        *choose*: how many runs to choose greedily, each the one that adds most to those before it, or most for each
        document that has to be judged for it (*choose_by* ``gain-per-judgment``). *fuse*: how chosen runs are put
        together, ``"RRF"``, ``"CombSUM"`` or ``"CombMNZ"``; they are read again for that. *interval*: as in
        :meth:`score`.
        """
        from unjudged.data.groups import Groups
        from unjudged.engine.numerics.fusion import fusions
        from unjudged.io.groups import read_order, read_types
        from unjudged.studies import relative as relative_study

        result = relative_study.relative(
            self,
            read_measure(measure),
            prior_runs=relative_study.PriorRuns(
                read_prior_runs(prior_runs), None if order is None else read_order(order), as_path(order), other_groups
            ),
            types=Groups(None if types is None else read_types(types), as_path(types) or "types"),
            types_path=as_path(types),
            absolute=None if absolute is None else read_measure(absolute),
            holes=read_holes(holes),
            rel=rel,
            alpha=alpha,
            rareness=rareness,
            tasc_priors=tasc,
            explain=[explain] if isinstance(explain, str) else list(explain),
            choosing=relative_study.Choosing(choose, choose_by, None if fuse is None else fusions.choose(fuse)),
            interval=read_interval(interval),
        )
        warn_of(result.warnings)
        return result


def _segments(given: Any) -> Segments:
    from unjudged.io.segments import read_segments

    return read_segments(given)


def _label_paths(labels: Any) -> list[str]:
    if labels is None:
        return []
    from unjudged.io.label_files import label_paths

    return label_paths(labels)


def _check_sample(labels: Any, sample_rate: float | None, random_sample: bool) -> None:
    """Refuse what is said about a sample that there is no use for."""
    if labels is None and (sample_rate is not None or random_sample):
        said = "--sample-rate" if sample_rate is not None else "--random-sample"
        raise InputError(f"{said} is about estimates with labels: give --labels FILE (labels= in Python), too")


def _pairs(explain: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    try:
        return [(str(run), str(topic)) for run, topic in explain]
    except (TypeError, ValueError):
        raise InputError(f"explain takes pairs of a run and a topic, not {explain!r}") from None


def _today() -> object:
    """This day, which only counts where somebody asks for it."""
    from datetime import date

    return date.today()
