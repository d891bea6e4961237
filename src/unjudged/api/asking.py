"""A question in one call: a function for each question of a :class:`~unjudged.api.collection.Collection`.

What they take beside the parameters of the question (``**reading``) is what the collection takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Unpack

from unjudged.api.collection import REPORTED, STUDIED, Collection
from unjudged.api.reading import FusionLike, HoleLike, MeasureLike
from unjudged.collection import Reading, files_behind
from unjudged.limits import FEW_JUDGED, ChooseBy, JointPrior, MissingTopics, OtherGroups, Rareness, TascPriors

if TYPE_CHECKING:
    from unjudged.reports.page import Page
    from unjudged.results.comparison import Comparison
    from unjudged.results.corpus_image_scores import ImageScores
    from unjudged.results.diagnosis import Diagnosis
    from unjudged.results.gate import Gate
    from unjudged.results.history import History
    from unjudged.results.properties import Properties
    from unjudged.results.relative import Relative
    from unjudged.results.scores import Scores
    from unjudged.uncertainty import CorpusBootstrap
    from unjudged.uncertainty.base import Correction, IntervalMethod, SignificanceTest

__all__ = [
    "add_release",
    "compare",
    "doctor",
    "gate",
    "history",
    "properties",
    "relative",
    "report",
    "resample",
    "score",
]


def score(
    qrels: Any,
    runs: Any,
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
    **reading: Unpack[Reading],
) -> Scores:
    """:meth:`Collection.score` in one call.

    >>> scores = score({"1": {"a": 1, "b": 0}}, {"mine": {"1": {"b": 2.0, "a": 1.0}}}, ["RR", "P@1"])
    >>> scores.mean()["mine", "RR"]
    0.5
    """
    return Collection(qrels, runs, **reading).score(
        measures,
        holes=holes,
        missing=missing,
        explain=explain,
        interval=interval,
        labels=labels,
        sample_rate=sample_rate,
        random_sample=random_sample,
        min_judged=min_judged,
        segments=segments,
        unjudged=unjudged,
    )


def compare(
    qrels: Any,
    runs: Any,
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
    **reading: Unpack[Reading],
) -> Comparison:
    """:meth:`Collection.compare` in one call.

    >>> qrels = {topic: {"a": 1, "b": 0} for topic in "123456789"}
    >>> new, old = {"x": 2.0, "a": 1.0}, {"b": 2.0, "a": 1.0}
    >>> comparison = compare(qrels, {"new": dict.fromkeys(qrels, new), "old": dict.fromkeys(qrels, old)}, "P@2")
    >>> pair = comparison.pair("new", "old")
    >>> pair.difference, pair.worst, pair.best, pair.verdict
    (0.0, 0.0, 0.5, 'likely')
    """
    return Collection(qrels, runs, **reading).compare(
        measure,
        baseline=baseline,
        top=top,
        test=test,
        correction=correction,
        interval_method=interval_method,
        draws=draws,
        prior=prior,
        holes=holes,
        corpus=corpus,
        labels=labels,
        sample_rate=sample_rate,
        random_sample=random_sample,
        min_judged=min_judged,
        segments=segments,
    )


def gate(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = "nDCG@10",
    *,
    margin: float = 0.01,
    confidence: float = 0.95,
    draws: int | None = None,
    holes: HoleLike | None = None,
    segments: Any = None,
    segment_margin: float | None = None,
    min_judged: float | None = None,
    **reading: Unpack[Reading],
) -> Gate:
    """:meth:`Collection.gate` in one call; *runs* are a baseline and a candidate, and others that are evidence.

    >>> qrels = {topic: {"a": 1, "b": 0} for topic in "123456789"}
    >>> right, wrong = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    >>> result = gate(qrels, {"old": dict.fromkeys(qrels, right), "new": dict.fromkeys(qrels, wrong)}, "P@1")
    >>> result.answer, result.ok
    ('worse', False)
    """
    return Collection(qrels, runs, **reading).gate(
        measures,
        margin=margin,
        confidence=confidence,
        draws=draws,
        holes=holes,
        segments=segments,
        segment_margin=segment_margin,
        min_judged=min_judged,
    )


def add_release(
    qrels: Any,
    runs: Any,
    history: str | PathLike[str],
    measures: MeasureLike | Iterable[MeasureLike] = ("nDCG@10", "P@10"),
    *,
    release: str | None = None,
    date: Any = None,
    holes: HoleLike | Iterable[HoleLike] | Literal["auto"] = "auto",
    previous_run: str | PathLike[str] | None = None,
    previous_qrels: str | PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> History:
    """:meth:`Collection.add_release` in one call; *runs* is one.

    >>> import tempfile
    >>> qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     add_release(qrels, {"new": run}, folder + "/history.jsonl", "P@1", release="v1").release("v1").run
    'new'
    """
    return Collection(qrels, runs, **reading).add_release(
        history,
        measures,
        release=release,
        date=date,
        holes=holes,
        previous_run=previous_run,
        previous_qrels=previous_qrels,
    )


def history(path: str | PathLike[str]) -> History:
    """What a file holds that :func:`add_release` or ``unjudged history add`` wrote."""
    from unjudged.io.history_file import read_history
    from unjudged.results.history import History
    from unjudged.results.provenance import Provenance

    entries = tuple(read_history(fspath(path)))
    return History(fspath(path), entries, provenance=Provenance(files=files_behind(fspath(path))))


def relative(
    qrels: Any,
    runs: Any,
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
    **reading: Unpack[Reading],
) -> Relative:
    """:meth:`Collection.relative` in one call.

    >>> qrels = {"1": {"a": 1, "b": 1, "c": 1}}
    >>> runs = {"old": {"1": {"a": 2.0, "b": 1.0}}, "new": {"1": {"a": 2.0, "c": 1.0}}}
    >>> result = relative(qrels, runs, "P@2", prior_runs="old")
    >>> result.run("new").absolute, result.run("new").nrg, result.run("new").unique
    (1.0, 0.5, 1.0)
    """
    return Collection(qrels, runs, **reading).relative(
        measure,
        prior_runs=prior_runs,
        order=order,
        other_groups=other_groups,
        types=types,
        absolute=absolute,
        holes=holes,
        rel=rel,
        alpha=alpha,
        rareness=rareness,
        tasc=tasc,
        explain=explain,
        choose=choose,
        choose_by=choose_by,
        fuse=fuse,
        interval=interval,
    )


def properties(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike] = STUDIED,
    *,
    corpus: CorpusBootstrap | None = None,
    top: int | None = None,
    by: MeasureLike | None = None,
    test: str | SignificanceTest | type[SignificanceTest] = "t",
    correction: str | Correction | type[Correction] | None = None,
    shallow: int | Iterable[int] = (),
    shallow_runs: int | None = None,
    **reading: Unpack[Reading],
) -> Properties:
    """:meth:`Collection.properties` in one call.

    >>> from unjudged import CorpusBootstrap
    >>> qrels = {topic: {"a": 1, "b": 1, "c": 0} for topic in "123456789"}
    >>> runs = {name: dict.fromkeys(qrels, {name: 2.0, "c": 1.0}) for name in "ab"}
    >>> result = properties(qrels, runs, ["P@1", "P@2"], corpus=CorpusBootstrap(images=500, corpus_size=500))
    >>> [(row.measure, round(row.difference_sd, 1)) for row in result.precision()]
    [('P@1', 0.7), ('P@2', 0.5)]
    """
    return Collection(qrels, runs, **reading).properties(
        measures,
        corpus=corpus,
        top=top,
        by=by,
        test=test,
        correction=correction,
        shallow=shallow,
        shallow_runs=shallow_runs,
    )


def doctor(
    qrels: Any,
    runs: Any,
    *,
    cutoffs: Iterable[int] = (),
    min_judged: float = FEW_JUDGED,
    **reading: Unpack[Reading],
) -> Diagnosis:
    """:meth:`Collection.doctor` in one call.

    >>> diagnosis = doctor({"07": {"a": 1}}, {"mine": {"7": {"a": 1.0}}})
    >>> [finding.code for finding in diagnosis.findings if finding.severity == "error"]
    ['no-common-topics', 'ids-of-another-type']
    """
    return Collection(qrels, runs, **reading).doctor(cutoffs=cutoffs, min_judged=min_judged)


def report(
    qrels: Any,
    runs: Any,
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
    **reading: Unpack[Reading],
) -> Page:
    """:meth:`Collection.report` in one call.

    >>> page = report({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}, "P@1")
    >>> page.sentences["scores"]
    'x has the highest P@1, 1.0000. Everything that it looks at is judged, so no score can change.'
    """
    return Collection(qrels, runs, **reading).report(
        measures,
        holes=holes,
        topics=topics,
        title=title,
        depth=depth,
        reuse=reuse,
        test=test,
        corpus=corpus,
        labels=labels,
        segments=segments,
        to_judge=to_judge,
    )


def resample(
    qrels: Any,
    runs: Any,
    measures: MeasureLike | Iterable[MeasureLike],
    how: CorpusBootstrap,
    *,
    keep: bool = False,
    **reading: Unpack[Reading],
) -> ImageScores:
    """:meth:`Collection.resample` in one call.

    >>> from unjudged import CorpusBootstrap
    >>> how = CorpusBootstrap(images=5000, corpus_size=500)
    >>> result = resample({"1": {"a": 1, "b": 1}}, {"mine": {"1": {"a": 2.0, "b": 1.0}}}, "R", how)
    >>> round(result.summary()["mine", "R"].mean, 1)  # the topic has no relevant document in 1 of 7 images
    0.9
    """
    return Collection(qrels, runs, **reading).resample(measures, how, keep=keep)
