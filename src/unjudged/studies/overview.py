"""All studies about the same runs: what one page can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from unjudged.collection import BaseCollection
from unjudged.data.groups import Groups
from unjudged.data.run import Run
from unjudged.data.segments import Segments
from unjudged.engine.numerics.scoring import deepest_rank
from unjudged.engine.preparation.document_occurrences import collect_occurrences
from unjudged.engine.preparation.pooling import add_pool
from unjudged.errors import InputError, Notice, SpecError
from unjudged.holes import hole_models
from unjudged.holes.base import HoleModel, files_of, usual_model
from unjudged.io.label_files import LabelFile, read_labels_of
from unjudged.io.reading import RunSource
from unjudged.io.sources import as_path
from unjudged.io.topics import read_titles
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.notebook_repr import NotebookRepr
from unjudged.results.comparison import Comparison
from unjudged.results.diagnosis import Diagnosis
from unjudged.results.judges import Judges
from unjudged.results.next_judgments import NextJudgments
from unjudged.results.properties import Properties
from unjudged.results.provenance import Provenance
from unjudged.results.relative import Relative
from unjudged.results.reuse import Reuse
from unjudged.results.scores import Scores
from unjudged.strategies.decide import Decide
from unjudged.studies.compare import MOST_PAIRS, compare
from unjudged.studies.doctor import doctor
from unjudged.studies.documents_shown import Rankings, top_rankings
from unjudged.studies.judges import judges
from unjudged.studies.next_judgments import next_judgments
from unjudged.studies.properties import check_measure, properties
from unjudged.studies.relative import relative
from unjudged.studies.reuse import reuse
from unjudged.studies.score import score
from unjudged.uncertainty.base import SignificanceTest, significance_tests
from unjudged.uncertainty.corpus import CorpusBootstrap
from unjudged.wording import counted

__all__ = ["Overview", "Skipped", "overview", "usual_holes"]

T = TypeVar("T")

_PAIRS_IN_REACH = 500
"""With more pairs, no difference could be significant by 10,000 random swaps of two runs and Holm's correction."""


@dataclass(frozen=True)
class Skipped:
    """A study that says nothing here, and why."""

    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Overview(NotebookRepr):
    """What all studies say about the same runs, with the same measures and hole models."""

    diagnosis: Diagnosis
    measures: tuple[Measure, ...]
    holes: tuple[HoleModel, ...]
    scores: Scores
    comparisons: tuple[Comparison | Skipped, ...]
    """One for each measure."""
    added: tuple[Relative | Skipped, ...]
    """What runs add to others, one for each measure."""
    reuse: Reuse | Skipped
    """With the first measure."""
    corpus: Properties | Skipped | None
    """On other corpora, with the measures that can be scored there; None where it was not asked for."""
    rankings: Rankings
    groups: Groups = field(default_factory=Groups)
    titles: Mapping[str, str] = field(default_factory=dict)
    """What topics ask for, by topic."""
    labels: Judges | Skipped | None = None
    """How far label sources can be trusted, with the first measure; None where none were given."""
    to_judge: NextJudgments | Skipped | None = None
    """What to judge next, and what is decided, by the first measure; None where it was not asked for."""
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The warnings of all studies, each once."""
        done: list[Any] = [self.diagnosis, self.scores, *self.comparisons, *self.added, self.reuse, self.corpus]
        done += [self.labels, self.to_judge]
        answers = [one for one in done if one is not None and not isinstance(one, Skipped)]
        return tuple(dict.fromkeys(notice for one in answers for notice in one.warnings))

    def __repr__(self) -> str:
        runs, topics = counted(len(self.scores.runs), "run"), counted(len(self.scores.topics), "topic")
        return f"Overview of {runs} over {topics} with {', '.join(self.scores.measures)}"


def overview(
    collection: BaseCollection,
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    topics: Any = None,
    depth: int = 20,
    with_reuse: bool = True,
    test: str | SignificanceTest | type[SignificanceTest] | None = None,
    labels: Sequence[LabelFile] = (),
    corpus: CorpusBootstrap | None = None,
    segments: Segments | None = None,
    to_judge: int = 0,
) -> Overview:
    """Ask all studies about the same runs, which are read once.

    The first measure is the one that reuse is tried with; all others are about every measure. A study that does not
    work with a measure is left out, and says why. *depth*: documents of each ranking to show; *topics*: what topics
    ask for. The collection's texts are for excerpts, and for measures that look at them. The *test* of differences is
    randomisation, for more than 32 runs Tukey's HSD, unless given. Other corpora are drawn only as *corpus* says.
    *labels*: sources that are compared with the judgments, and the orders of runs by both; they are also part of what
    says which documents, *to_judge* of them, should be judged next. Runs are also compared on each of the *segments*.
    """
    _refuse_pipes(collection)
    Whole(1).checked("the number of documents to show", depth)
    Whole(0).checked("the number of documents to judge", to_judge)
    pairs = len(collection.runs) * (len(collection.runs) - 1) // 2
    chosen_test = significance_tests.choose(test or ("randomisation" if pairs <= _PAIRS_IN_REACH else "tukey_hsd"))
    paths = [path for one in labels if (path := as_path(one.source)) is not None]
    segment_file = None if segments is None else as_path(segments.source)
    beside: dict[str, Any] = {"topics": topics, "segments": segment_file}
    provenance = collection.provenance(hashes=True, labels=[*files_of(holes), *paths], **beside)
    _refuse_too_many(pairs, segments)
    titles = {} if topics is None else read_titles(topics)
    _, qrels = collection.groups, collection.qrels  # what cannot be read is said before runs are examined
    if qrels.subtopics is None:  # else no labels can be compared, whatever they are
        labels = [LabelFile(one) for one in read_labels_of(labels, qrels)]
    diagnosis = doctor(
        collection.replaced(texts=None, features=())
    )  # which take long to compare, or are for other studies
    read, plain, informed = _read_once(collection, measures, holes)
    shared = next((model for model in holes if model.joint_draws() is not None), None)
    alone = plain.replaced(features=())  # for studies that do not look at features, and need not say so
    learning, nobody = any(model.learns_from_runs for model in holes), Groups()

    def compared(measure: Measure) -> Comparison:
        known = informed if learning else informed.replaced(groups=nobody)
        return compare(known, measure, test=chosen_test, holes=shared, segments=segments)

    def reused() -> Reuse:
        # Bounds take holes as not relevant for their value: as methods they would be that once more.
        methods = [model for model in holes if not model.only_bounds] or list(holes)
        return reuse(plain, measures[:1], (), methods)

    def judged_next() -> NextJudgments:
        return next_judgments(alone, Decide(measure=measures[0]), budget=to_judge, labels=labels)

    return Overview(
        diagnosis=diagnosis,
        measures=tuple(measures),
        holes=tuple(holes),
        scores=score(informed.replaced(groups=nobody), measures, holes),
        comparisons=tuple(_unless_impossible(compared, measure) for measure in measures),
        added=tuple(_unless_impossible(relative, alone, measure) for measure in measures),
        reuse=_unless_impossible(reused) if with_reuse else Skipped("it was not asked for"),
        corpus=None if corpus is None else _on_images(alone.replaced(groups=nobody), measures, corpus),
        rankings=top_rankings(plain.qrels, read, depth, collection.texts),
        groups=plain.groups,
        titles=titles,
        labels=_unless_impossible(judges, alone, labels, measures[0]) if labels else None,
        to_judge=_unless_impossible(judged_next) if to_judge else None,
        provenance=provenance,
    )


def _read_once(
    collection: BaseCollection, measures: Sequence[Measure], holes: Sequence[HoleModel]
) -> tuple[Sequence[Run], BaseCollection, BaseCollection]:
    """The runs, and collections of them: with the pool alone, and with what measures and hole models ask for, too."""
    read = collection.read_runs("reading runs")
    groups = collection.groups.among([run.name for run in read])  # refused here; later it would only leave a study out
    sources = [RunSource(run) for run in read]
    plain = collection.replaced(runs=sources, groups=groups, texts=None, command=(), hashes=False)
    plain = plain.replaced(qrels=add_pool(plain)[0].qrels)
    wanted = any("texts" in measure.needs for measure in measures)
    informed = plain.replaced(texts=collection.texts if wanted else None)
    if any(model.learns_from_runs for model in holes):  # once, for all studies that learn from runs
        informed = collect_occurrences(informed, holes, depth=deepest_rank(measures))[0]
    return read, plain, informed


def _on_images(
    collection: BaseCollection, measures: Sequence[Measure], corpus: CorpusBootstrap
) -> Properties | Skipped:
    """The measures that can be scored on images. A corpus that cannot be is the user's mistake, and no reason."""
    problems = [_unless_impossible(check_measure, measure) for measure in measures]
    suited = [one for one, problem in zip(measures, problems, strict=True) if not isinstance(problem, Skipped)]
    if not suited:
        return next(problem for problem in problems if isinstance(problem, Skipped))
    try:
        return properties(collection, suited, corpus)
    except SpecError:
        raise
    except InputError as problem:
        return Skipped(str(problem))


def usual_holes(measures: Sequence[Measure], *, groups: bool) -> list[HoleModel]:
    """What is believed about unjudged documents unless the user says it: what fits all measures.

    Where exact bounds are not known, bounds that keep the ideal ranking take their place; grades are drawn from
    evidence where it is known who made which run, else from each run's own judged documents.
    """

    def first_that_fits(*names: str) -> list[HoleModel]:
        models = map(hole_models.choose, names)
        return [model for model in models if all(map(model.suits, measures))][:1]

    return [
        *first_that_fits("nonrelevant"),
        *first_that_fits("condensed"),
        *first_that_fits("joint", "bounds"),
        usual_model(measures, evidence=groups),
    ]


def _refuse_pipes(collection: BaseCollection) -> None:
    """Refuse what can be read only once: the doctor looks at files in another way than studies do."""
    qrels = collection.given_qrels
    for source in (RunSource(as_path(qrels) or qrels), *collection.runs):
        if source.only_once:
            name = source.path or source.name or "an iterator"
            raise InputError(f"{name}: a report reads its inputs more than once; save this to a file first")


def _refuse_too_many(pairs: int, segments: Segments | None) -> None:
    """Refuse so many segments that runs could not be compared on them, which would only leave the comparison out."""
    comparisons = 0 if segments is None else pairs * len(segments.names)
    if segments is not None and comparisons > MOST_PAIRS:
        raise InputError(
            f"{segments.source}: {counted(pairs, 'pair')} of runs on {len(segments.names):,} segments are"
            f" {comparisons:,} comparisons, and a report makes up to {MOST_PAIRS:,}: give fewer runs or segments"
        )


def _unless_impossible(study: Callable[..., T], *arguments: object) -> T | Skipped:
    try:
        return study(*arguments)
    except InputError as problem:
        return Skipped(str(problem))
