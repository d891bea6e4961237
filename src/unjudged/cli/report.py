"""unjudged report"""

from __future__ import annotations

import contextlib
import textwrap
from pathlib import Path

from unjudged.cli import options
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command
from unjudged.errors import InputError
from unjudged.io.writing import check_writable

__all__ = ["report"]

PLACE = 60

_USUAL = Path("report.html")


def _place(path: Path | None) -> Path:
    """Where the page goes. Where nobody said so, it takes the place of an earlier page, and of nothing else."""
    if path is None:
        path = _USUAL
        if path.exists() and not _is_page(path):
            raise InputError(f"{path}: this is no earlier report; say where the page goes with --output FILE")
    check_writable(path)
    return path


def _is_page(path: Path) -> bool:
    """Whether a file is a page that this command wrote."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return b'<meta name="generator" content="unjudged">' in file.read(1 << 12)
    return False


@study_command(output=False)
def report(
    collection: Collection,
    measure: list[str] | None = options.measure(
        "What to measure; repeat for more. Reuse is tried with the first. Without a cut-off, draws and comparisons take"
        " minutes.",
        show_default="nDCG@10, P@10, AP@100",
    ),
    holes: list[str] | None = options.holes(
        "What to believe about unjudged documents, as in score; repeat for more.",
        show_default="nonrelevant, condensed, joint, discounted; with --groups, from evidence",
    ),
    topics: str | None = options.TOPICS,
    output: Path = option("--output -o FILE", "Where the page goes.", callback=_place, show_default=str(_USUAL)),
    show: bool = option("--open", "Open the page in a browser.", False),
    title: str | None = option("--title TEXT", "Title of the page."),
    depth: int = option("--depth N", "Documents of each ranking to show.", 20),
    no_reuse: bool = option(
        "--no-reuse", "Do not try whether the collection can be reused, which takes longest.", False
    ),
    test: str | None = options.test(
        "Test of differences, as in compare.", show_default="randomisation; tukey_hsd for more than 32 runs"
    ),
    labels: list[str] | None = options.labels(
        "machines or crowds: how far can they be trusted, as in judges? A file or folder"
    ),
    segments: str | None = options.SEGMENTS,
    corpus_size: int | None = options.corpus_size(
        "Documents in the corpus; also say what other corpora would change, as properties."
    ),
    images: int | None = options.images(),
    to_judge: int = option(
        "--to-judge N", "Also say which N documents to judge next, and what is decided, as next.", 0
    ),
) -> Answer:
    """Everything on one page: are the files sound, how sure are the scores, who is better, who adds something new.

    The page is one file that needs no network. Its tables can be sorted and filtered; choose a topic to see what each
    run returned for it, judged or not. Also printed: the sentence that each section begins with.

    Examples:
        unjudged report qrels.txt runs/ -o report.html
        unjudged report qrels.txt runs/ --groups teams.tsv -o report.html
        unjudged report qrels.txt runs/ --corpus-size 1500 -o report.html
    """
    from unjudged import api
    from unjudged.reports.layout import screen_width
    from unjudged.wording import visible

    page = collection.report(
        measure or api.REPORTED,
        holes=holes or (),
        topics=topics,
        title=title,
        depth=depth,
        reuse=not no_reuse,
        test=test,
        labels=labels or None,
        segments=segments,
        corpus=options.corpus_of(corpus_size, images),
        to_judge=to_judge,
    )
    page.save(output)
    opened = _opened(output) if show else "open it in a browser"

    def render(_: Path | None) -> str:
        sentences = [
            textwrap.fill(visible(one), min(screen_width(), 80), break_on_hyphens=False) + "\n"
            for one in page.sentences.values()
        ]
        return "\n".join([*sentences, visible(f"{output}: {opened}")])

    return Answer(page.overview, render)


def _opened(page: Path) -> str:
    """Open a page, and say whether that worked."""
    import webbrowser  # many modules, which nothing else here needs

    return (
        "opened in a browser"
        if webbrowser.open(page.resolve().as_uri())
        else "written, but there is no browser here to open it with"
    )
