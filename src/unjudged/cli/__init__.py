"""The command line: one module per command, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TextIO

from unjudged.errors import UnjudgedError, UnjudgedWarning
from unjudged.reports.escape import for_terminal

__all__ = ["main"]

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit 0 done, 1 a check the user asked for failed, 2 the user's input is wrong."""
    try:
        from unjudged.cli.app import app

        with warnings.catch_warnings():  # puts back what is changed here, and by --quiet
            warnings.showwarning = _show_warning
            app(args=arguments, prog_name="unjudged")
    except UnjudgedError as problem:
        # File names are the user's, or somebody else's: they must not move the cursor or add lines.
        print(f"unjudged: {for_terminal(str(problem))}", file=sys.stderr)
        sys.exit(EXIT_WRONG_INPUT)
    except KeyboardInterrupt:
        print("unjudged: interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader (head, less) has gone. Python would complain once more when it flushes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_INTERRUPTED)


_show_as_python_does = warnings.showwarning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say ours in one line: where in our code they come from does not help those who type commands."""
    if issubclass(category, UnjudgedWarning):
        print(f"warning: {for_terminal(str(message))}", file=sys.stderr)
    else:
        _show_as_python_does(message, category, filename, lineno, file, line)
