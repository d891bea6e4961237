"""Options that several commands share, declared once."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from unjudged.cli import completing
from unjudged.errors import InputError, UnjudgedWarning
from unjudged.io.writing import check_writable

__all__ = [
    "Duplicates",
    "Format",
    "Formats",
    "Groups",
    "Intents",
    "Interval",
    "Jobs",
    "Negative",
    "NegativeGrades",
    "OnlyTopics",
    "Output",
    "PageFormat",
    "PageFormats",
    "Pool",
    "PoolDepth",
    "Qrels",
    "QrelsFormat",
    "QrelsKind",
    "Quiet",
    "Runs",
    "ScoreType",
    "Scores",
    "Seed",
    "Stem",
    "StopWords",
    "TermCounts",
    "TextCache",
    "TextFormat",
    "TextKind",
    "Texts",
    "TwiceRanked",
    "correction_option",
    "holes_option",
    "measure_option",
    "one_hole_model",
    "one_measure",
    "quantiles",
    "test_option",
    "writable",
]

_COLLECTION = "The collection"
_TEXTS = "Options for texts"


def _silence(quiet: bool) -> bool:
    """Before anything is looked up, since a plugin that cannot be used is a warning."""
    if quiet:
        warnings.simplefilter("ignore", UnjudgedWarning)
    return quiet


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    tsv = "tsv"
    csv = "csv"
    json = "json"
    markdown = "markdown"
    latex = "latex"


class PageFormat(StrEnum):
    """How a result is written that can also be a page."""

    table = "table"
    tsv = "tsv"
    csv = "csv"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    html = "html"


class ScoreType(StrEnum):
    """Precision in which scores are compared."""

    float64 = "float64"
    float32 = "float32"


class QrelsFormat(StrEnum):
    """What the columns of the judgments mean."""

    auto = "auto"
    trec = "trec"
    strata = "strata"
    diversity = "diversity"


class NegativeGrades(StrEnum):
    """What a grade below 0 means."""

    auto = "auto"
    pooled = "pooled"
    judged = "judged"
    drop = "drop"


class Duplicates(StrEnum):
    """What becomes of a document that a run has twice for a topic."""

    error = "error"
    best = "best"
    first = "first"
    last = "last"


class TextFormat(StrEnum):
    """How documents are written."""

    auto = "auto"
    jsonl = "jsonl"
    tsv = "tsv"
    trec = "trec"
    plain = "plain"


Qrels = Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: a file, '-', or ir_datasets:ID.")]
Runs = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="Runs: files, '-', a directory or a quoted glob; also ir_datasets:ID."),
]
Formats = Annotated[Format, typer.Option("--format", "-f", help="How to write the result.")]
PageFormats = Annotated[PageFormat, typer.Option("--format", "-f", help="How to write the result.")]


def writable(path: Path | None) -> Path | None:
    """Refuse, before the work, a file that could not be written after it."""
    if path is not None:
        check_writable(path)
    return path


Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", callback=writable, help="Write to FILE instead of the screen."),
]
Scores = Annotated[
    ScoreType,
    typer.Option(
        "--scores",
        help="Precision of scores when ranking; trec_eval 9 and pytrec_eval use float32.",
        rich_help_panel=_COLLECTION,
    ),
]
TwiceRanked = Annotated[
    Duplicates,
    typer.Option(
        "--duplicates",
        help="A document that a run has twice for a topic: an error, or its best ranked, first or last line counts.",
        rich_help_panel=_COLLECTION,
    ),
]
QrelsKind = Annotated[
    QrelsFormat,
    typer.Option("--qrels-format", help="Columns of QRELS; 'auto' looks at the file.", rich_help_panel=_COLLECTION),
]
Negative = Annotated[
    NegativeGrades,
    typer.Option(
        "--negative",
        help="Grades below 0: pooled but not judged, judged with grade 0, or drop the line; auto looks at them.",
        rich_help_panel=_COLLECTION,
    ),
]
Intents = Annotated[
    str | None,
    typer.Option(
        "--intents",
        metavar="FILE",
        help="How likely users mean each subtopic: lines 'topic subtopic probability'; all alike unless given.",
        rich_help_panel=_COLLECTION,
    ),
]
OnlyTopics = Annotated[
    str | None,
    typer.Option(
        "--only-topics",
        metavar="FILE|IDS",
        help="Look at these topics only: a file with a topic at the beginning of each line, or ids such as 401,402.",
        rich_help_panel=_COLLECTION,
    ),
]
Pool = Annotated[
    str | None,
    typer.Option(
        "--pool",
        metavar="FILE",
        help="Documents that were chosen to be judged: lines 'topic doc', or judgments.",
        rich_help_panel=_COLLECTION,
    ),
]
# Its limit is checked by the collection, whose message is one line.
PoolDepth = Annotated[
    int | None,
    typer.Option(
        "--pool-depth",
        metavar="N",
        help="The first N documents of every run were chosen to be judged; relative looks for unique documents there"
        " (within the cut-off, or 10, unless given).",
        rich_help_panel=_COLLECTION,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="FILE",
        help="Lines 'run group': who made which run, for evidence (near copies of a run are its group unless given),"
        " for the priors of relative, and for LeaveOutGroup.",
        rich_help_panel=_COLLECTION,
    ),
]
Texts = Annotated[
    list[str] | None,
    typer.Option(
        "--texts",
        metavar="FILE",
        help="What documents say, for measures and hole models that look at it, and for report, which shows how it"
        " begins: JSON lines, TSV, TREC SGML, Parquet, a directory or a quoted glob; also ir_datasets:ID. Repeat for"
        " more.",
        rich_help_panel=_TEXTS,
    ),
]
TextKind = Annotated[
    TextFormat,
    typer.Option("--text-format", help="Format of the texts; 'auto' looks at each file.", rich_help_panel=_TEXTS),
]
Stem = Annotated[
    str | None,
    typer.Option("--stem", metavar="LANGUAGE", help="Stem words, such as english.", rich_help_panel=_TEXTS),
]
StopWords = Annotated[
    str | None,
    typer.Option("--stop-words", metavar="FILE", help="Leave out words: 'english', or a file.", rich_help_panel=_TEXTS),
]
TermCounts = Annotated[
    str | None,
    typer.Option(
        "--term-counts",
        metavar="FILE",
        help="Lines 'term count' for the whole collection, instead of counting the texts.",
        rich_help_panel=_TEXTS,
    ),
]
TextCache = Annotated[
    str | None,
    typer.Option(
        "--text-cache", metavar="DIR", help="Keep term counts here; they are read once.", rich_help_panel=_TEXTS
    ),
]


def measure_option(words: str, **more: Any) -> Any:
    """``--measure``, which is one or several, with a default that differs from command to command."""
    return typer.Option("--measure", "-m", metavar="NAME", autocompletion=completing.measures, help=words, **more)


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


def holes_option(words: str, **more: Any) -> Any:
    """``--holes``."""
    return typer.Option("--holes", metavar="MODEL", autocompletion=completing.hole_models, help=words, **more)


def test_option(words: str, **more: Any) -> Any:
    """``--test``."""
    return typer.Option("--test", metavar="TEST", autocompletion=completing.significance_tests, help=words, **more)


def correction_option(words: str) -> Any:
    """``--correction``."""
    usual = "holm; none for tukey_hsd"
    return typer.Option(
        "--correction", metavar="NAME", autocompletion=completing.corrections, help=words, show_default=usual
    )


Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="Threads, or processes for reuse; one per core unless given."),
]
Interval = Annotated[
    tuple[float, float],
    typer.Option("--interval", metavar="LOW HIGH", help="Percentiles of intervals from draws."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", callback=_silence, is_eager=True, help="No warnings and no progress bar.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
