"""unjudged convert"""

from __future__ import annotations

import sys
from pathlib import Path

from unjudged.cli import options, streams
from unjudged.cli.declared import argument
from unjudged.cli.options import option
from unjudged.limits import ConvertTo, Duplicates, Kind

__all__ = ["convert"]

PLACE = 75


def convert(
    source: str = argument(metavar="IN", help="Judgments or a run: a file, '-', or ir_datasets:ID."),
    output: Path = argument(metavar="OUT", help="The file to write, or '-'.", callback=options.writable),
    to: ConvertTo = option("--to", "Whose files to write; quepid has judgments only.", ...),
    kind: Kind | None = option("--as", "What IN is, where its content does not say."),
    duplicates: Duplicates = options.DUPLICATES,
    quiet: bool = option("--quiet", "No warnings, and no line about what was written.", False),
) -> None:
    """Write judgments or a run as other tools have them.

    Examples:
        unjudged convert qrels.txt test.tsv --to beir
        unjudged convert qrels.txt ratings.csv --to quepid
        unjudged convert bm25.run searches.jsonl --to opensearch
    """
    from unjudged import convert as write
    from unjudged.errors import unsaid
    from unjudged.wording import visible

    with unsaid():  # warnings are said below, with their codes
        done = write(source, output, to, kind=kind, duplicates=duplicates)
    streams.say(done.warnings, quiet=quiet)
    if output != Path("-") and not quiet:
        print(visible(str(done)), file=sys.stderr)  # OUT may be standard output by another name
