"""unjudged demo"""

from __future__ import annotations

import shlex
import sys
import textwrap
from pathlib import Path

import typer

from unjudged.cli import called_with, options

__all__ = ["demo"]

PLACE = 90


def demo(
    directory: Path = typer.Argument(
        Path("unjudged-demo"), metavar="[DIR]", help="Where to write the demo collection."
    ),
    seed: int = options.SEED,
) -> None:
    """Write a small collection with known truth, and walk through the commands on it.

    12 runs of 6 teams over 25 topics, pooled judgments, a sampled and a diversity version of them, the text, and the
    complete judgments that nobody has in real life.
    """
    from unjudged.cli.app import app
    from unjudged.demo.collection import write_collection
    from unjudged.demo.walkthrough import steps
    from unjudged.errors import MissingExtraError
    from unjudged.io.writing import STANDARD_OUTPUT, check_outputs
    from unjudged.reports.layout import screen_width

    check_outputs([STANDARD_OUTPUT])  # before a folder is made that the next demo would not write to
    collection = write_collection(directory, seed)
    width = min(screen_width(), 80)
    print(
        textwrap.fill(f"A made-up collection is in {directory} (seed {seed}); its README.md says what is what.", width)
    )
    for number, step in enumerate(steps(collection), start=1):
        print(f"\n== {number}. {step.question}\n$ unjudged {shlex.join(step.arguments)}\n")
        sys.stdout.flush()
        try:
            with called_with(step.arguments):
                app(args=list(step.arguments), prog_name="unjudged", standalone_mode=False)
        except MissingExtraError as problem:  # the walk goes on without what the base package cannot do
            print(problem)
        print("\n" + textwrap.fill(step.remark, width, initial_indent="-> ", subsequent_indent="   "))
    print("\nNow your own files: unjudged doctor QRELS RUN...")
