"""Options that several commands share, and the collection that those of every question name.

An option is declared as the default of a parameter, whose type says what Python gets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from unjudged.cli import command, completing
from unjudged.cli.declared import Declared, argument
from unjudged.errors import InputError, UnjudgedWarning
from unjudged.io.writing import Output, check_writable
from unjudged.limits import Duplicates, NegativeGrades, QrelsFormat, RunFormat, ScoreType, TextFormat

if TYPE_CHECKING:
    from unjudged.api import Collection
    from unjudged.io.texts import TextSource
    from unjudged.uncertainty import CorpusBootstrap
else:
    Collection = Any  # annotations are evaluated for whoever reads calls, and `--help` must not wait for the library

__all__ = [
    "FORMAT",
    "INTERVAL",
    "LABELS",
    "MIN_JUDGED",
    "QRELS",
    "RANDOM_SAMPLE",
    "SAMPLE_RATE",
    "SCORES",
    "SEED",
    "SEGMENTS",
    "TOPICS",
    "Collection",
    "Format",
    "PageFormat",
    "corpus_of",
    "corpus_size",
    "correction",
    "holes",
    "images",
    "labels",
    "make_collection",
    "measure",
    "one_hole_model",
    "one_measure",
    "option",
    "per_topic",
    "quantiles",
    "seed",
    "separated_table",
    "silence",
    "statistics",
    "table",
    "test",
    "top",
    "writable",
]

T = TypeVar("T")

Format = Literal["table", "tsv", "csv", "json", "markdown", "latex"]
"""How a result is written."""
PageFormat = Literal[Format, "html"]
"""How a result is written that can also be a page."""


def option(names: str, words: str, default: Any = None, **more: Any) -> Any:
    """An option, by its *names* and what stands there for its value: ``"--output -o FILE"``; *words* are for --help."""
    flags = [name for name in names.split() if name.startswith("-")]
    value = names.removeprefix(" ".join(flags)).strip() or None
    return Declared(default, tuple(flags), {"metavar": value, "help": words, **more})


statistics = partial(option, rich_help_panel="Statistics")
"""An option about tests and intervals."""


def measure(words: str, **more: Any) -> Any:
    """``--measure``, which is one or several, with a default that differs from command to command."""
    return option("--measure -m NAME", words, autocompletion=completing.measures, **more)


def holes(words: str, **more: Any) -> Any:
    """``--holes``."""
    return option("--holes MODEL", words, autocompletion=completing.hole_models, **more)


def test(words: str, default: str | None = None, **more: Any) -> Any:
    """``--test``."""
    return statistics("--test TEST", words, default, autocompletion=completing.significance_tests, **more)


def correction(words: str) -> Any:
    """``--correction``."""
    usual = "holm; none for tukey_hsd"
    return statistics("--correction NAME", words, autocompletion=completing.corrections, show_default=usual)


def labels(words: str, **more: Any) -> Any:
    """``--labels``, where those of several judges may be given; *words* say what becomes of them."""
    return option("--labels FILE", f"Labels of {words}; repeat for more.", **more)


def per_topic(words: str) -> Any:
    """``--per-topic``."""
    return option("--per-topic -q", words, False)


def table(main: str) -> Any:
    """``--table``, for commands whose answer has several; *main* is the one that forms have that have one only."""
    words = "Only this table, with all its rows; json has all tables."
    return option("--table", words, show_default=f"{main} for tsv and csv, else those that readers need")


def separated_table(main: str) -> Any:
    """``--table`` of commands that show readers everything."""
    return option("--table", "Which table tsv and csv have.", main)


def seed(**panel: Any) -> Any:
    """``--seed``; *panel* is where ``--help`` lists it."""
    return option("--seed", "Seed of everything random.", 42, min=0, **panel)


def top(words: str, default: int | None = None) -> Any:
    """``--top``; its limit is checked by the study, whose message is one line."""
    return option("--top N", words, default)


# The limits of these numbers are checked by the bootstrap of the corpus, whose messages are one line.


def corpus_size(words: str, **more: Any) -> Any:
    """``--corpus-size``."""
    return option("--corpus-size D", words, rich_help_panel="Another corpus", **more)


def images(
    words: str = "Other corpora to try; also without --corpus-size.",
    show_default: str = "1000 with --corpus-size, otherwise none",
) -> Any:
    """``--images``."""
    return option("--images N", words, show_default=show_default, rich_help_panel="Another corpus")


def corpus_of(corpus_size: int | None, images: int | None) -> CorpusBootstrap | None:
    """The bootstrap of the corpus that these options ask for, if they do."""
    if corpus_size is None and images is None:
        return None
    from unjudged.uncertainty import CorpusBootstrap

    return CorpusBootstrap(corpus_size=corpus_size, **({} if images is None else {"images": images}))


def one_measure(given: list[str] | None) -> str:
    """The measure of a command that takes one; of several, all but the last would be lost without a word."""
    return _the_one("--measure takes one measure", given) or "nDCG@10"


def one_hole_model(given: list[str] | None) -> str | None:
    """The same for a hole model."""
    return _the_one("--holes takes one model", given)


def _the_one(words: str, given: list[str] | None) -> str | None:
    names = given or []
    if len(names) > 1:
        raise InputError(f"{words} here, not {len(names)}: {' '.join(names)}")
    return names[0] if names else None


def quantiles(interval: tuple[float, float]) -> tuple[float, float]:
    """Percentiles as quantiles. Nobody means the lowest hundredth of the draws by 0.05 and 0.95."""
    low, high = interval
    if not 0 <= low < high <= 100 or high <= 1:
        raise InputError(f"--interval takes two percentiles such as 5 95, not {low:g} {high:g}")
    return low / 100, high / 100


def writable(path: Path | None) -> Path | None:
    """Refuse, before the work, a file that could not be written after it."""
    if path is not None:
        check_writable(path)
    return path


_labels = partial(option, rich_help_panel="Labels of another judge")
LABELS = _labels(
    "--labels FILE",
    "Labels of one judge, such as a language model: of judged topics and others, or of more documents of judged topics;"
    " estimates use both.",
)
# Its limit is checked by the study, whose message is one line.
SAMPLE_RATE = _labels(
    "--sample-rate P", "With --labels: each pair with a label was judged with this chance, such as 0.1."
)
RANDOM_SAMPLE = _labels(
    "--random-sample", "With --labels: what is judged was drawn at random, though it does not look like it.", False
)
SEGMENTS = option(
    "--segments FILE", "Lines 'topic segment', such as languages, or head and tail: also look at each on its own."
)
# Its limit is checked by the library, whose message is one line.
MIN_JUDGED = option("--min-judged P", "Exit with 1 where a smaller share of what a run has is judged, such as 0.8.")
TOPICS = option("--topics FILE", "What topics ask for: TREC's format, or 'topic TAB text'.")
FORMAT = option("--format -f", "How to write the result.", "table")
INTERVAL = statistics("--interval LOW HIGH", "Percentiles of intervals from draws.", (5, 95))
SEED = seed()
_running = partial(option, rich_help_panel="Running")

# ---- the collection

_collection = partial(option, rich_help_panel="The collection")
_texts = partial(option, rich_help_panel="Options for texts")

QRELS = argument(metavar="QRELS", help="Judgments: a file, '-', or ir_datasets:ID.")
SCORES = _collection(
    "--scores", "Precision of scores when ranking; trec_eval 9 and pytrec_eval use float32.", "float64"
)

DUPLICATES = _collection(
    "--duplicates",
    "A document that a run has twice for a topic: an error, or its best ranked, first or last line counts.",
    "error",
)


def silence(quiet: bool) -> bool:
    """Before anything is looked up, since a plugin that cannot be used is a warning."""
    if quiet:
        warnings.simplefilter("ignore", UnjudgedWarning)
    return quiet


def make_collection(
    qrels: str = QRELS,
    runs: list[str] | None = argument(
        metavar="RUN...", help="Runs: files, '-', a directory or a quoted glob; also ir_datasets:ID."
    ),
    groups: str | None = option(
        "--groups FILE",
        "Lines 'run group': who made which run, for evidence (near copies of a run are its group unless given),"
        " for the priors of relative, and for LeaveOutGroup.",
    ),
    pool: str | None = _collection(
        "--pool FILE", "Documents that were chosen to be judged: lines 'topic doc', or judgments."
    ),
    # Its limit is checked by the collection, whose message is one line.
    pool_depth: int | None = _collection(
        "--pool-depth N",
        "The first N documents of every run were chosen to be judged; relative looks for unique documents there"
        " (within the cut-off, or 10, unless given).",
    ),
    intents: str | None = _collection(
        "--intents FILE",
        "How likely users mean each subtopic: lines 'topic subtopic probability'; all alike unless given.",
    ),
    only_topics: str | None = _collection(
        "--only-topics FILE|IDS",
        "Look at these topics only: a file with a topic at the beginning of each line, or ids such as 401,402.",
    ),
    feature: list[str] | None = _collection(
        "--feature FILE",
        "What may say which documents are relevant, for evidence: lines 'topic doc value', or a run, such as the scores"
        " of a reranker or a language model. Repeat for more.",
    ),
    scores: ScoreType = SCORES,
    duplicates: Duplicates = DUPLICATES,
    qrels_format: QrelsFormat = _collection(
        "--qrels-format", "Format of QRELS, and what its columns mean; 'auto' looks at the file.", "auto"
    ),
    run_format: RunFormat = _collection("--run-format", "Format of the runs; 'auto' looks at each file.", "auto"),
    negative: NegativeGrades = _collection(
        "--negative",
        "Grades below 0: pooled but not judged, judged with grade 0, or drop the line; auto looks at them.",
        "auto",
    ),
    texts: list[str] | None = _texts(
        "--texts FILE",
        "What documents say, for measures and hole models that look at it, for doctor, which looks for near-duplicates,"
        " and for report, which shows how it begins:"
        " JSON lines, TSV, TREC SGML, Parquet, a directory or a quoted glob; also ir_datasets:ID. Repeat for more.",
    ),
    text_format: TextFormat = _texts("--text-format", "Format of the texts; 'auto' looks at each file.", "auto"),
    stem: str | None = _texts("--stem LANGUAGE", "Stem words, such as english."),
    stop_words: str | None = _texts("--stop-words FILE", "Leave out words: 'english', or a file."),
    term_counts: str | None = _texts(
        "--term-counts FILE", "Lines 'term count' for the whole collection, instead of counting the texts."
    ),
    text_cache: str | None = _texts("--text-cache DIR", "Keep term counts here; they are read once."),
    jobs: int | None = _running("--jobs N", "Threads, or processes for reuse; one per core unless given.", min=1),
    seed: int = seed(rich_help_panel="Running"),
    quiet: bool = _running("--quiet", "No warnings and no progress bar.", False, callback=silence, is_eager=True),
    *,
    hashes: bool,
    outputs: Sequence[Output],
) -> Collection:
    """The collection that options name. Every command that asks a question has these, in this order."""
    from unjudged.api.collection import Collection

    return Collection(
        qrels,
        runs,
        groups=groups,
        pool=pool,
        pool_depth=pool_depth,
        intents=intents,
        only_topics=only_topics,
        feature=feature,
        texts=_text_source(texts, text_format, stem, stop_words, term_counts, text_cache),
        scores=scores,
        duplicates=duplicates,
        format=qrels_format,
        run_format=run_format,
        negative=negative,
        seed=seed,
        jobs=jobs,
        progress=None if quiet else _progress_bar,
        command=command(),
        hashes=hashes,
        outputs=outputs,
    )


def _progress_bar(items: Iterable[T], total: int, words: str = "", /) -> Iterator[T]:
    from unjudged.reports.bars import progress_bar

    return progress_bar(items, total, words)


def _text_source(
    texts: list[str] | None,
    form: TextFormat,
    stem: str | None,
    stop_words: str | None,
    term_counts: str | None,
    cache: str | None,
) -> TextSource | None:
    """The texts that the options name; None where they name none."""
    if texts is None:
        given = {"--stem": stem, "--stop-words": stop_words, "--term-counts": term_counts, "--text-cache": cache}
        for name, value in given.items():
            if value is not None:
                raise InputError(f"{name} needs --texts FILE")
        return None
    from unjudged.io.texts import text_source  # readers of texts, which scoring must not wait for

    return text_source(texts, format=form, stem=stem, stop_words=stop_words, term_counts=term_counts, cache=cache)
