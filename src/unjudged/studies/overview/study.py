"""All studies about the same runs: what one page can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from unjudged.data.comparison import Comparison
from unjudged.data.joined import of_each_run
from unjudged.data.provenance import Provenance
from unjudged.data.qrels import Qrels
from unjudged.data.relative import Relative
from unjudged.data.reuse import Reuse
from unjudged.data.run import Run, ScoreType
from unjudged.data.scores import Scores
from unjudged.engine.hearing import Groups, add_testimony
from unjudged.engine.run import Engine
from unjudged.engine.scoring import deepest_rank
from unjudged.errors import InputError, Notice
from unjudged.holes import hole_models
from unjudged.holes.base import HoleModel, Settings
from unjudged.holes.bounds import Bounds, Guaranteed, Joint
from unjudged.io.names import unique_names
from unjudged.io.reading import RunSource, as_path
from unjudged.io.texts import TextSource
from unjudged.limits import Whole
from unjudged.measures.base import Measure
from unjudged.progress import Progress, watched, watching
from unjudged.showing import Shown
from unjudged.studies.compare import compare
from unjudged.studies.doctor import Diagnosis
from unjudged.studies.overview.rankings import Rankings, top_rankings
from unjudged.studies.relative import Whom, relative
from unjudged.studies.reuse import reuse
from unjudged.studies.score import score
from unjudged.threads import in_order, worker_count
from unjudged.uncertainty.base import SignificanceTest, significance_tests
from unjudged.wording import counted

__all__ = ["Overview", "Skipped", "overview", "refuse_pipes", "usual_holes"]

T = TypeVar("T")

_PAIRS_IN_REACH = 500
"""With more pairs, no difference could be significant by 10,000 random swaps of two runs and Holm's correction."""


@dataclass(frozen=True)
class Skipped:
    """A study that says nothing here, and why."""

    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Shown):
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
    rankings: Rankings
    groups: Mapping[str, str] | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    """What topics ask for, by topic."""
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The warnings of all studies, each once."""
        done = [self.diagnosis, self.scores, *self.comparisons, *self.added, self.reuse]
        return tuple(dict.fromkeys(n for one in done if not isinstance(one, Skipped) for n in one.warnings))

    def __repr__(self) -> str:
        runs, topics = counted(len(self.scores.runs), "run"), counted(len(self.scores.topics), "topic")
        return f"Overview of {runs} over {topics} with {', '.join(self.scores.measures)}"


def overview(
    diagnosis: Diagnosis,
    qrels: Qrels,
    runs: Sequence[RunSource],
    measures: Sequence[Measure],
    holes: Sequence[HoleModel],
    *,
    groups: Mapping[str, str] | None = None,
    groups_source: str = "groups",
    texts: TextSource | None = None,
    titles: Mapping[str, str] | None = None,
    depth: int = 20,
    with_reuse: bool = True,
    test: str | SignificanceTest | type[SignificanceTest] | None = None,
    settings: Settings | None = None,
    score_type: ScoreType = "float64",
    jobs: int | None = None,
    progress: Progress | None = None,
    provenance: Provenance | None = None,
) -> Overview:
    """Ask all studies about the same runs, which are read once; *diagnosis* is what the doctor said about them.

    The first measure is the one that reuse is tried with; all others are about every measure. A study that does not
    work with a measure is left out, and says why. *depth*: documents of each ranking to show; *titles*: what topics
    ask for; *texts*: what documents say, for excerpts and for measures that look at it. The *test* of differences is
    randomisation, for more than 32 runs Tukey's HSD, unless given.
    """
    Whole(1).checked("the number of documents to show", depth)
    settings = settings or Settings()
    pairs = len(runs) * (len(runs) - 1) // 2
    chosen_test = significance_tests.choose(test or ("randomisation" if pairs <= _PAIRS_IN_REACH else "tukey_hsd"))
    read = _read(runs, score_type, jobs, progress)
    names = [run.name for run in read]
    if groups is not None:  # refused here, for later it would only be a reason to leave a study out
        groups = dict(zip(names, of_each_run(names, groups, groups_source), strict=True))
    sources = [RunSource(run) for run in read]
    spoken = texts if any("texts" in measure.needs for measure in measures) else None
    said = watching(progress, "scoring runs")
    witnesses = Groups(groups, groups_source) if any(model.asks_runs for model in holes) else None
    told = qrels
    if witnesses is not None:  # once, for all studies that learn from runs
        told = add_testimony(qrels, sources, holes, witnesses, depth=deepest_rank(measures), jobs=jobs)[0]
    scores = score(told, sources, measures, holes, texts=spoken, settings=settings, jobs=jobs, progress=said)

    def compared(measure: Measure) -> Comparison:
        return compare(
            told,
            sources,
            measure,
            groups=witnesses,
            test=chosen_test,
            seed=settings.seed,
            texts=spoken,
            jobs=jobs,
            progress=progress,
        )

    def added(measure: Measure) -> Relative:
        whom = Whom(groups=groups, source=groups_source)
        said = watching(progress, "looking for what runs add")
        return relative(qrels, sources, measure, whom=whom, settings=settings, jobs=jobs, progress=said)

    def reused() -> Reuse:
        # Bounds take holes as not relevant for their value: as methods they would be that once more.
        methods = [model for model in holes if not isinstance(model, Bounds | Joint | Guaranteed)] or list(holes)
        return reuse(
            qrels,
            sources,
            measures[:1],
            (),
            methods,
            groups=groups,
            groups_source=groups_source,
            settings=settings,
            engine=Engine(jobs=jobs),
            progress=progress,
        )

    return Overview(
        diagnosis=diagnosis,
        measures=tuple(measures),
        holes=tuple(holes),
        scores=scores,
        comparisons=tuple(_unless_impossible(compared, measure) for measure in measures),
        added=tuple(_unless_impossible(added, measure) for measure in measures),
        reuse=_unless_impossible(reused) if with_reuse else Skipped("it was not asked for"),
        rankings=top_rankings(qrels, read, depth, texts),
        groups=groups,
        titles=titles or {},
        provenance=provenance or Provenance(seed=settings.seed),
    )


def usual_holes(measures: Sequence[Measure], *, groups: bool) -> list[HoleModel]:
    """What is believed about unjudged documents unless the user says it: what fits all measures.

    Where exact bounds are not known, bounds that keep the ideal ranking take their place; grades are drawn from
    evidence where it is known who made which run.
    """

    def first_that_fits(*names: str) -> list[HoleModel]:
        models = map(hole_models.choose, names)
        return [model for model in models if all(map(model.suits, measures))][:1]

    drawn = ("bootstrap(prior=evidence)", "bootstrap") if groups else ("bootstrap",)
    return [
        *first_that_fits("nonrelevant"),
        *first_that_fits("condensed"),
        *first_that_fits("joint", "bounds"),
        *first_that_fits(*drawn),
    ]


def refuse_pipes(qrels: object, runs: Sequence[RunSource]) -> None:
    """Refuse what can be read only once: the doctor looks at files in another way than studies do."""
    for source in (RunSource(as_path(qrels) or qrels), *runs):
        if source.only_once:
            name = source.path or source.name or "an iterator"
            raise InputError(f"{name}: a report reads its inputs more than once; save this to a file first")


def _read(runs: Sequence[RunSource], score_type: ScoreType, jobs: int | None, progress: Progress | None) -> list[Run]:
    """All runs, in memory together: most studies need them all, and files would be read by each of them again."""
    stream = in_order(lambda source: source.read(score_type=score_type), runs, worker_count(jobs, len(runs)))
    read = list(watched(progress, stream, len(runs), "reading runs"))
    names = unique_names([(run.name, run.source) for run in read])
    return [run.renamed(name) for run, name in zip(read, names, strict=True)]


def _unless_impossible(study: Callable[..., T], *arguments: Measure) -> T | Skipped:
    try:
        return study(*arguments)
    except InputError as problem:
        return Skipped(str(problem))
