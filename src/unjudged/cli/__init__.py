"""The command line: one module per command, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys

from unjudged.errors import UnjudgedError
from unjudged.reports.escape import for_terminal

__all__ = ["main"]

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit 0 done, 1 a check the user asked for failed, 2 the user's input is wrong."""
    try:
        from unjudged.cli.app import app

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
