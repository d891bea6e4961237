"""unjudged report"""

from __future__ import annotations

import textwrap
from pathlib import Path

from unjudged.cli import options
from unjudged.cli.options import option
from unjudged.cli.study_command import Answer, Collection, study_command

__all__ = ["report"]

PLACE = 60


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
    output: Path = option("--output -o FILE", "Where the page goes.", Path("report.html"), callback=options.writable),
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
    corpus_size: int | None = options.corpus_size(
        "Documents in the corpus; also say what other corpora would change, as properties."
    ),
    images: int | None = options.images(),
) -> Answer:
    """Everything on one page: are the files sound, how sure are the scores, who is better, who adds something new.

    The page is one file that needs no network. Its tables can be sorted and filtered; choose a topic to see what each
    run returned for it, judged or not. Also printed: the sentence that each section begins with.

    Example: unjudged report qrels.txt runs/ --groups teams.tsv -o report.html
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
        corpus=options.corpus_of(corpus_size, images),
    )
    page.save(output)

    def render(_: Path | None) -> str:
        sentences = [textwrap.fill(visible(one), min(screen_width(), 80)) + "\n" for one in page.sentences.values()]
        return "\n".join([*sentences, visible(f"{output}: open it in a browser")])

    return Answer(page.overview, render)
