"""What people give: paths, frames, dicts and names, made into data."""

from __future__ import annotations

import os
from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from unjudged.data.pool import Pool
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.data.texts import Texts
from unjudged.errors import InputError
from unjudged.holes import HoleModel, hole_models
from unjudged.io.intents import with_intents
from unjudged.io.reading import RunSource, expand_runs, is_run_path
from unjudged.io.reading import read_pool as _read_pool
from unjudged.io.reading import read_qrels as _read_qrels
from unjudged.io.reading import read_run as _read_run
from unjudged.io.sources import unique_names
from unjudged.limits import NegativeGrades, QrelsFormat, ScoreType, TextFormat
from unjudged.measures import Measure
from unjudged.measures import measures as registered
from unjudged.measures.requested import parse_measures
from unjudged.threads import PARSING_THREADS, in_order, worker_count

if TYPE_CHECKING:
    from unjudged.engine.numerics.fusion import Fusion
    from unjudged.io.texts import TextSource
    from unjudged.simulate import Degradation

__all__ = [
    "DegradationLike",
    "FusionLike",
    "HoleLike",
    "MeasureLike",
    "read_degradations",
    "read_holes",
    "read_interval",
    "read_measure",
    "read_measures",
    "read_pool",
    "read_priors",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_texts",
    "text_source",
]

MeasureLike = str | Measure | type[Measure]
HoleLike = str | HoleModel | type[HoleModel]
DegradationLike: TypeAlias = "str | Degradation | type[Degradation]"
FusionLike: TypeAlias = "str | Fusion | type[Fusion]"


def read_qrels(
    source: Any,
    *,
    format: QrelsFormat = "auto",  # noqa: A002
    negative: NegativeGrades = "pooled",
    intents: Any = None,
) -> Qrels:
    """Read judgments.

    *source*: a path (plain or compressed), ``"-"`` for standard input, a Parquet file, ``"ir_datasets:ID"``, a dict
    of dicts, an iterable of (named) tuples, a pandas, polars or pyarrow frame, or an object of ranx. *negative* says
    what a grade below 0 means: ``pooled`` but not judged (as trec_eval reads it), ``judged`` with grade 0, or ``drop``
    the row. *intents* says how likely users mean each subtopic of diversity judgments: a file of lines ``topic subtopic
    probability`` or ``{topic: {subtopic: probability}}``; all are equally likely unless given.

    >>> read_qrels({"301": {"d1": 1, "d2": 0}})
    Qrels(1 topic, 2 judged, grades {0: 1, 1: 1})
    """
    qrels = _read_qrels(source, kind=format, negative=negative, threads=worker_count(None, PARSING_THREADS))
    return qrels if intents is None else with_intents(qrels, intents)


def read_run(source: Any, *, name: str | None = None, scores: ScoreType = "float64") -> Run:
    """Read one run, from the same kinds of source as :func:`read_qrels`.

    Documents are ranked by score, ties by id, descending; the rank column is ignored. ``scores="float32"`` ranks as
    trec_eval 9 and pytrec_eval do.

    >>> read_run({"301": {"d1": 0.5, "d2": 0.7}}, name="mine").ranking("301")
    [('d2', 0.7), ('d1', 0.5)]
    """
    return _read_run(source, name=name, score_type=scores, threads=worker_count(None, PARSING_THREADS))


def read_pool(source: Any) -> Pool:
    """Read a pool: the documents that were chosen to be judged, whether or not they were.

    *source*: a path of lines ``topic doc`` or of judgments (whose grades are ignored), or any other source of
    judgments; also ``{topic: docs}``, (topic, doc) tuples, or a frame without grades.

    >>> read_pool({"301": ["d1", "d2"]})
    Pool(1 topic, 2 documents)
    """
    return _read_pool(source, threads=worker_count(None, PARSING_THREADS))


def text_source(
    source: Any,
    *,
    format: TextFormat = "auto",  # noqa: A002
    stem: str | None = None,
    stop_words: str | Iterable[str] | None = None,
    term_counts: str | PathLike[str] | None = None,
    cache: str | PathLike[str] | None = None,
) -> TextSource:
    """Texts to be read later, when it is known which documents matter: for ``texts=`` of :func:`score`.

    *source*: a path (plain or compressed; JSON lines, TSV, TREC's SGML, plain text, Parquet), a folder, a glob,
    ``"ir_datasets:ID"``, a dict of texts, (id, text) pairs, a frame, or a list of such. *stem*: language of a Snowball
    stemmer. *stop_words*: ``"english"``, a file, or words. *term_counts*: a file of ``term count`` lines for the whole
    collection, instead of counting what is read. *cache*: a folder to keep term counts in.
    """
    from unjudged.io.texts import text_source as _text_source  # readers of texts, which scoring must not wait for

    return _text_source(
        source,
        kind=format,
        stem=stem,
        stop_words=stop_words,
        term_counts=None if term_counts is None else os.fspath(term_counts),
        cache=None if cache is None else os.fspath(cache),
    )


def read_texts(source: Any, docs: Iterable[str] | None = None, **how: Any) -> Texts:
    """Read texts and count their words. *docs*: the documents that keep their counts; all unless given.

    The rest is as for :func:`text_source`.

    >>> read_texts({"d1": "One two, two", "d2": "three"}, ["d1"])
    Texts(1 document, 2 terms, 4 tokens in the collection)
    """
    return text_source(source, **how).read(None if docs is None else frozenset(docs))


def read_runs(sources: Any, *, scores: ScoreType = "float64", jobs: int | None = None) -> list[Run]:
    """Read several runs: a list of sources, a folder, a glob, or a dict of sources by name. Names are made unique."""
    expanded = expand_runs(sources, scores)
    runs = list(in_order(lambda one: one.read(), expanded, worker_count(jobs, len(expanded))))
    names = unique_names([(run.name, run.source) for run in runs])
    return [run if run.name == name else run.renamed(name) for run, name in zip(runs, names, strict=True)]


def read_measures(measures: MeasureLike | Iterable[MeasureLike]) -> list[Measure]:
    """Measures from names (``"nDCG@10"``, ``"ndcg_cut_10"``, ``"official"``), classes or values (``nDCG @ 10``)."""
    if isinstance(measures, str | Measure | type):
        measures = [measures]
    out: list[Measure] = []
    for one in measures:
        parsed = parse_measures(one) if isinstance(one, str) else [registered.choose(one).complete()]
        out += [measure for measure in parsed if measure not in out]
    return out


def read_measure(measure: MeasureLike) -> Measure:
    """A single measure, for what looks at one at a time."""
    chosen = read_measures(measure)
    if len(chosen) != 1:
        raise InputError(f"{measure!r} stands for {len(chosen)} measures; name one, such as nDCG@10")
    return chosen[0]


def read_holes(holes: HoleLike | Iterable[HoleLike]) -> list[HoleModel]:
    """Hole models from names (``"condensed"``), classes or values."""
    if isinstance(holes, str | HoleModel | type):
        holes = [holes]
    out: list[HoleModel] = []
    for one in holes:
        model = hole_models.choose(one)
        if model not in out:
            out.append(model)
    return out


def read_degradations(degrade: DegradationLike | Iterable[DegradationLike]) -> list[Degradation]:
    """Degradations from names (``"DepthCut(4,8)"`` stands for two), classes or values."""
    from unjudged.simulate import Degradation, parse_degradations

    if isinstance(degrade, str | Degradation | type):
        degrade = [degrade]
    out: list[Degradation] = []
    for one in degrade:
        parsed = parse_degradations(one) if isinstance(one, str) else [one() if isinstance(one, type) else one]
        out += [how for how in parsed if how not in out]
    return out


def read_priors(prior: Any) -> list[RunSource | str]:
    """The prior runs of :meth:`Collection.relative`; text that is no file, folder or pattern is the name of a run."""
    given = [prior] if isinstance(prior, str) else prior
    if not isinstance(given, list | tuple):
        return [] if given is None else [*expand_runs(given)]
    priors: list[RunSource | str] = []
    for one in given:
        priors += [one] if isinstance(one, str) and not is_run_path(one) else expand_runs(one)
    return priors


def read_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Two quantiles, as numbers between 0 and 1."""
    try:
        low, high = map(float, interval)
    except (TypeError, ValueError):
        raise InputError(f"an interval is two quantiles such as (0.05, 0.95), not {interval!r}") from None
    if not 0 <= low < high <= 1:
        raise InputError(f"an interval is two quantiles such as 0.05 and 0.95, not {low:g} and {high:g}")
    return low, high
