"""The one input of every study: judgments, runs, and all that is known beside them."""

from __future__ import annotations

import copy
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack, get_args

from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run, topics_alone
from unjudged.data.run_info import RunInfo, check_topics
from unjudged.errors import InputError, Notice, UnjudgedError
from unjudged.io.datasets import PREFIX
from unjudged.io.reading import RunMemory, RunSource, expand_runs, read_pool, read_qrels
from unjudged.io.run_parts import NotInParts, RunParts, run_in_parts
from unjudged.io.sources import STDIN, as_path, digest, unique_names
from unjudged.io.writing import Output, check_outputs
from unjudged.limits import Choice, Duplicates, NegativeGrades, QrelsFormat, RunFormat, ScoreType, Whole
from unjudged.progress import Progress, watched
from unjudged.results.provenance import DEFAULT_SEED, Input, Provenance, Role
from unjudged.threads import PARSING_THREADS, in_order, worker_count

if TYPE_CHECKING:
    from unjudged.data.groups import Groups
    from unjudged.data.run_occurrences import OccurrencesInRuns
    from unjudged.data.texts import Texts
    from unjudged.io.features import FeatureSource
    from unjudged.io.texts import TextSource
    from unjudged.io.topics import ChosenTopics

__all__ = ["UNUSED_FEATURES", "UNUSED_TEXTS", "BaseCollection", "Reading", "files_behind"]

T = TypeVar("T")

UNUSED_TEXTS = Notice("unused-texts", 1, "nothing that was asked for looks at the texts; they were not read")
UNUSED_FEATURES = Notice(
    "unused-feature", 1, "nothing that was asked for looks at the feature, as evidence does; it was not read"
)


class Reading(TypedDict, total=False):
    """What :class:`BaseCollection` takes beside judgments and runs, for functions that hand it on."""

    groups: Any
    pool: Any
    pool_depth: int | None
    intents: Any
    only_topics: Any
    feature: Any
    texts: Any
    scores: ScoreType
    duplicates: Duplicates
    format: QrelsFormat
    run_format: RunFormat
    negative: NegativeGrades
    seed: int
    jobs: int | None
    progress: Progress | None
    command: Sequence[str]
    hashes: bool
    outputs: Sequence[Output]


class _Parts(TypedDict, total=False):
    """Parts of a collection as they are when they have been read."""

    qrels: Qrels
    runs: Sequence[RunSource]
    groups: Groups
    pool_depth: int | None
    features: Sequence[FeatureSource]
    texts: TextSource | Texts | None
    occurrences: OccurrencesInRuns | None
    command: Sequence[str]
    hashes: bool


class BaseCollection:
    """What :class:`unjudged.Collection` is without its questions; what the parameters mean is said there."""

    occurrences: OccurrencesInRuns | None = None
    """Where runs have the documents of these judgments, once a study has looked, for hole models that learn from it."""

    def __init__(
        self,
        qrels: Any,
        runs: Any,
        *,
        groups: Any = None,
        pool: Any = None,
        pool_depth: int | None = None,
        intents: Any = None,
        only_topics: Any = None,
        feature: Any = None,
        texts: Any = None,
        scores: ScoreType = "float64",
        duplicates: Duplicates = "error",
        format: QrelsFormat = "auto",  # noqa: A002
        run_format: RunFormat = "auto",
        negative: NegativeGrades = "auto",
        seed: int = DEFAULT_SEED,
        jobs: int | None = None,
        progress: Progress | None = None,
        command: Sequence[str] = (),
        hashes: bool = False,
        outputs: Sequence[Output] = (),
    ) -> None:
        if pool is not None and pool_depth is not None:
            raise InputError("give a pool or a pool depth, not both")
        self.pool_depth = None if pool_depth is None else Whole(1).checked("the pool depth", pool_depth)
        self.format: QrelsFormat = Choice(get_args(QrelsFormat)).checked("format", format)
        self.run_format: RunFormat = Choice(get_args(RunFormat)).checked("run_format", run_format)
        self.negative: NegativeGrades = Choice(get_args(NegativeGrades)).checked("negative", negative)
        self.seed = _seed(seed)
        self.only_topics = None if only_topics is None else _chosen_topics(only_topics)
        self.scores = scores
        self.duplicates: Duplicates = Choice(get_args(Duplicates)).checked("duplicates", duplicates)
        self.runs: Sequence[RunSource] = [] if runs is None else self.sources(expand_runs(runs))
        self.features: Sequence[FeatureSource] = () if feature is None else _features(feature)
        self.texts: TextSource | Texts | None = None if texts is None else _texts(texts)
        self.given_qrels, self.given_groups, self.given_pool, self.given_intents = qrels, groups, pool, intents
        self.jobs, self.progress, self.command, self.hashes = jobs, progress, command, hashes
        self.outputs = outputs

    def __repr__(self) -> str:
        names = [path for path, role in self.inputs() if role == "qrels"]
        return f"{type(self).__name__}({names[0] if names else 'qrels'}, {len(self.runs):,} runs)"

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.judgments(self.given_qrels)

    def judgments(self, given: Any, *, all_chosen: bool = True) -> Qrels:
        """These, or others, read in the same way. *all_chosen*: whether all topics to look at must have some."""
        qrels = read_qrels(given, format=self.format, negative=self.negative)
        if self.only_topics is not None:
            if all_chosen:
                self.only_topics.refuse_unjudged(qrels.topics)
            qrels = qrels.only(self.only_topics.topics)
        if self.given_intents is None:
            return qrels
        from unjudged.io.intents import with_intents

        return with_intents(qrels, self.given_intents)

    @cached_property
    def groups(self) -> Groups:
        """Who made which run."""
        from unjudged.data.groups import Groups
        from unjudged.io.groups import read_groups

        given = self.given_groups
        return Groups() if given is None else Groups(read_groups(given), as_path(given) or "groups")

    @cached_property
    def pool(self) -> Pool | None:
        """Which documents were chosen to be judged, where that was given."""
        return None if self.given_pool is None else read_pool(self.given_pool)

    @property
    def has_groups(self) -> bool:
        """Whether anything says who made which run."""
        return self.given_groups is not None or "groups" in vars(self)

    @property
    def has_pool(self) -> bool:
        """Whether the user says what the pool is; otherwise the judgments may."""
        return self.given_pool is not None or self.pool_depth is not None

    @property
    def threads(self) -> int:
        """Threads for the work on each run: one alone cannot use them beside other runs."""
        return worker_count(self.jobs, PARSING_THREADS) if len(self.runs) == 1 else 1

    def sources(self, runs: Iterable[RunSource]) -> list[RunSource]:
        """Runs that are read as the user said."""
        chosen = None if self.only_topics is None else self.only_topics.topics
        how = RunSource(None, None, self.scores, self.duplicates, chosen, self.run_format)
        return [replace(how, source=one.source, name=one.name) for one in runs]

    def replaced(self, **parts: Unpack[_Parts]) -> Self:
        """The same collection with some other parts."""
        if "qrels" not in parts:
            _ = self.qrels  # read once, not by each copy
        changed = copy.copy(self)
        vars(changed).update(parts)
        return changed

    def rereadable(self) -> Self:
        """Itself, with runs in memory that cannot be read twice, such as standard input."""
        return self.replaced(runs=[source.rereadable() for source in self.runs])

    def remembering(self) -> Self:
        """Itself, with runs that are read once, as far as memory for them goes."""
        memory = RunMemory()
        return self.replaced(runs=[source.kept_in(memory) for source in self.runs])

    def each_run(
        self,
        work: Callable[[Run], T],
        words: str | None = None,
        *,
        in_parts: Callable[[RunParts], tuple[list[str], T]] | None = None,
    ) -> tuple[list[RunInfo], list[T]]:
        """Read one run after the other, in threads, and do some work on each; who they are, and what came of it.

        Runs have names of their own afterwards. *words* say what is being done, to whoever watches. *in_parts* does the
        same work on a run that is never in memory as a whole, and says its topics, too.
        """
        qrels = self.qrels

        def read(source: RunSource) -> tuple[RunInfo, T]:
            if in_parts is not None:
                with suppress(NotInParts, UnjudgedError):  # whatever is wrong is said by whoever reads it whole
                    parts = run_in_parts(source)
                    if parts is not None:
                        topics, done = in_parts(parts)
                        run = topics_alone(parts.name, topics, parts.source)
                        check_topics(run, qrels)
                        return RunInfo.of(run, qrels), done
            run = source.read(threads=self.threads)
            check_topics(run, qrels)
            return RunInfo.of(run, qrels), work(run)

        stream: Iterable[tuple[RunInfo, T]] = in_order(read, self.runs, worker_count(self.jobs, len(self.runs)))
        done = list(stream if words is None else watched(self.progress, stream, len(self.runs), words))
        names = unique_names([(info.name, info.source) for info, _ in done])
        return [replace(info, name=name) for (info, _), name in zip(done, names, strict=True)], [one for _, one in done]

    def read_runs(self, words: str | None = None) -> list[Run]:
        """All runs, in memory together."""
        infos, runs = self.each_run(lambda run: run, words)
        return [run.renamed(info.name) for info, run in zip(infos, runs, strict=True)]

    def inputs(
        self,
        *,
        runs: Sequence[RunSource] = (),
        labels: Iterable[str] = (),
        assessors: Any = None,
        order: Any = None,
        types: Any = None,
        topics: Any = None,
        truth: Any = None,
        segments: str | None = None,
    ) -> list[tuple[str, Role]]:
        """The files (and datasets) that it is read from, and those that a question names beside it."""
        texts = () if self.texts is None else self.texts.paths()
        named: list[tuple[Any, Role]] = [
            (self.given_qrels, "qrels"),
            *((one.source, "run") for one in (*self.runs, *runs)),
            (self.given_pool, "pool"),
            (self.given_intents, "intents"),
            (None if self.only_topics is None else self.only_topics.path, "only_topics"),
            *((one.source, "feature") for one in self.features),
            *((path, "texts") for path in texts),
            *((path, "labels") for path in dict.fromkeys(labels)),
            (assessors, "assessors"),
            (self.given_groups, "groups"),
            (types, "types"),
            (order, "order"),
            (topics, "topics"),
            (truth, "truth"),
            (segments, "segments"),
        ]
        return [(path, role) for source, role in named if (path := as_path(source)) is not None]

    def provenance(
        self, *, hashes: bool = False, store: str | PathLike[str] | None = None, **beside: Any
    ) -> Provenance:
        """Where a result comes from; a study asks before the work, since outputs are refused here that are inputs.

        The files that a question names *beside* the collection are as in :meth:`inputs`, and so is the folder of its
        *store*. With *hashes*, what the files hold is part of it, even where it was not asked for.
        """
        inputs = self.inputs(**beside)
        files = files_behind(
            self.given_qrels,
            *self.runs,
            *self.features,
            self.given_pool,
            self.texts,
            store,
            *(path for path, _ in inputs),
        )
        check_outputs(self.outputs, files)
        hashed = [Input(path, digest(path), role) for path, role in inputs] if hashes or self.hashes else []
        return Provenance(tuple(self.command), self.seed, tuple(hashed), files=files)


def files_behind(*given: Any) -> tuple[str, ...]:
    """Absolute paths of the files behind what was given to be read, as far as they are known.

    Dicts, frames and datasets have none. What was read before knows its file, and so do texts.
    """
    paths: list[str] = []
    for one in given:
        source = one.source if isinstance(one, RunSource) else one
        if isinstance(source, Qrels | Run | Pool):
            paths += [source.source] if os.path.isfile(source.source) else []  # noqa: PTH113  # a path, or a name for it
        elif callable(files := getattr(source, "files", None)):
            paths += files()
        elif (path := as_path(source)) is not None:
            paths += [] if path.startswith(PREFIX) else [path]
    absolute = (path if path == STDIN else os.path.abspath(path) for path in paths)  # noqa: PTH100  # links stay
    return tuple(dict.fromkeys(absolute))


# Readers of what few give, which scoring must not wait for.


def _chosen_topics(given: Any) -> ChosenTopics:
    from unjudged.io.topics import choose_topics

    return choose_topics(given)


def _features(given: Any) -> Sequence[FeatureSource]:
    from unjudged.io.features import expand_features

    return expand_features(given)


def _texts(given: Any) -> TextSource | Texts:
    from unjudged.data.texts import Texts
    from unjudged.io.texts import text_source

    return given if isinstance(given, Texts) else text_source(given)


def _seed(seed: int) -> int:
    """A seed, which may be as large as you like."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    return number
