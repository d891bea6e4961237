"""unjudged demo"""

from __future__ import annotations

import contextlib
import io
import shlex
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unjudged.cli import options, run
from unjudged.cli.declared import argument
from unjudged.cli.options import option

if TYPE_CHECKING:
    from unjudged.demo.walkthrough import Step

__all__ = ["demo"]

PLACE = 90


def demo(
    directory: Path = argument(Path("unjudged-demo"), metavar="[DIR]", help="Where to write the demo collection."),
    every: bool = option("--all", "Walk through all commands, in some five hundred lines.", False),
    seed: int = options.SEED,
) -> None:
    """Write a small collection with known truth, and show on it what unjudged documents do to scores.

    12 runs of 6 teams over 25 topics, pooled judgments, a sampled and a diversity version of them, the text, and the
    complete judgments that nobody has in real life. Ends with a report to open, and what to do with files of your own.

    Examples:
        unjudged demo
        unjudged demo elsewhere
        unjudged demo --all
    """
    from unjudged.demo.collection import write_collection
    from unjudged.demo.walkthrough import OWN_FILES, steps, story
    from unjudged.io.writing import STANDARD_OUTPUT, check_outputs
    from unjudged.reports.layout import screen_width

    check_outputs([STANDARD_OUTPUT])  # before a folder is made that the next demo would not write to
    collection = write_collection(directory, seed)
    width = min(screen_width(), 80)
    print(
        textwrap.fill(f"A made-up collection is in {directory} (seed {seed}); its README.md says what is what.", width)
    )
    for number, step in enumerate(steps(collection) if every else story(collection), start=1):
        print(f"\n== {number}. {step.question}\n" + _command(step.arguments, width))
        sys.stdout.flush()
        _show(step)
        print(textwrap.fill(step.remark, width, initial_indent="-> ", subsequent_indent="   "))
    program = _program()
    print("\nNow your own files:")
    for arguments, words in OWN_FILES:
        print(f"  {program} {arguments}  # {words}")


def _command(arguments: Sequence[str], width: int) -> str:
    """A command as it can be typed: lines end between its words, with what tells a shell that it goes on."""
    lines = ["$ unjudged"]
    for word in map(shlex.quote, arguments):
        if len(lines[-1]) + len(word) + 3 <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _show(step: Step) -> None:
    """Run a step; without what the base package cannot do, if need be."""
    from unjudged.errors import MissingExtraError

    try:
        _run(step.arguments, aloud=step.aloud)
    except MissingExtraError as problem:
        print(problem)
        if "--plot" in step.arguments:
            at = step.arguments.index("--plot")
            _run([*step.arguments[:at], *step.arguments[at + 2 :]], aloud=step.aloud)


def _run(arguments: Sequence[str], *, aloud: bool) -> None:
    with contextlib.nullcontext() if aloud else contextlib.redirect_stdout(io.StringIO()):
        run(list(arguments))


def _program() -> str:
    """How to call this program from here: by its name, where that finds it, else by its path."""
    path = Path(sys.argv[0])
    found = shutil.which("unjudged")
    if path.name != "unjudged" or (found is not None and path.resolve() == Path(found).resolve()):
        return "unjudged"
    return shlex.quote(sys.argv[0])
