"""The command line: one module per command, and the one place where errors become exit codes."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from unjudged.cli.declared import Ended, read_plainly
from unjudged.cli.streams import ready_streams
from unjudged.errors import UnjudgedError, UnjudgedWarning
from unjudged.wording import visible

__all__ = ["called_with", "command", "command_called", "main", "run"]

EXIT_CHECK_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_ANSWERED = EXIT_UNDECIDED = 3
EXIT_INTERRUPTED = 130


_arguments: ContextVar[tuple[str, ...]] = ContextVar("_arguments", default=())


@contextmanager
def called_with(arguments: Sequence[str]) -> Iterator[None]:
    """While a command runs: with these arguments, which need not be the process's (a test, a step of the demo)."""
    before = _arguments.set(tuple(arguments))
    try:
        yield
    finally:
        _arguments.reset(before)


def command() -> tuple[str, ...]:
    """The command that is running, as its result says it."""
    return ("unjudged", *_arguments.get())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit 0 done, 1 a check failed, 2 the input is wrong, 3 no more to ask, or undecided."""
    with ready_streams(), _rare_collections():
        code = _exit_code(arguments)
    if arguments is None:
        gc.freeze()  # the process ends: looking through all that it has for garbage would take longer than a small run
    sys.exit(code)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for garbage that refers to itself less often: starting makes many objects, nearly all of which stay."""
    before = gc.get_threshold()
    gc.set_threshold(250_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _exit_code(arguments: list[str] | None) -> int:
    """Run the command, and say in one line what went wrong."""
    try:
        code = run(arguments)
        sys.stdout.flush()  # here, where an error can be said
    except UnjudgedError as problem:
        # File names are the user's, or somebody else's: they must not move the cursor or add lines.
        print(f"unjudged: {visible(str(problem))}", file=sys.stderr)
        return EXIT_WRONG_INPUT
    except MemoryError:
        # Files that do not fit are named by those who read them: this is about what is computed.
        advice = "give fewer runs at a time, or ask for fewer draws or images, or for a lower cut-off"
        print(f"unjudged: there is not enough memory to compute this; {advice}", file=sys.stderr)
        return EXIT_WRONG_INPUT
    except KeyboardInterrupt:
        print("unjudged: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return EXIT_INTERRUPTED
    return code


def run(arguments: list[str] | None) -> int:
    """Run a command, and give its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with warnings.catch_warnings(), called_with(arguments):  # puts back what is changed here, and by --quiet
        warnings.showwarning = _show_warning
        try:
            called = command_called(arguments)
            given = None if called is None else read_plainly(called, arguments[_words(called) :])
            if called is None or given is None:
                return _run_with_typer(arguments)
            called(**given)
        except Ended as end:
            return end.code
    return 0


def command_called(arguments: Sequence[str]) -> Callable[..., None] | None:
    """The command that is called, if there is one of that name: nobody waits for the modules of others.

    A name of two words, such as ``history add``, is that of the module ``history_add``.
    """
    for number in (1, 2):
        name = "_".join(arguments[:number])
        if name.isidentifier() and importlib.util.find_spec(f"{__name__}.{name}") is not None:
            module = importlib.import_module(f"{__name__}.{name}")
            called: Callable[..., None] | None = getattr(module, name) if hasattr(module, "PLACE") else None
            return called if called is None or _words(called) == number else None
    return None


def _words(called: Callable[..., None]) -> int:
    """How many words the name of a command has."""
    return len(getattr(sys.modules[called.__module__], "NAME", "").split()) or 1


def _run_with_typer(arguments: list[str]) -> int:
    """The same for calls that are not plain, and for those that are wrong."""
    import typer

    from unjudged.cli.app import app_for

    wrong_call: Any = typer.BadParameter.__bases__[0]  # click's UsageError, wherever typer keeps it
    try:
        code = app_for(arguments)(args=arguments, prog_name="unjudged", standalone_mode=False) or 0
    except typer.Abort:
        code = EXIT_INTERRUPTED
    except wrong_call as problem:
        code = EXIT_WRONG_INPUT
        if type(problem).__name__ != "NoArgsIsHelpError":  # which has shown the help already
            print(_about_call(problem, arguments), file=sys.stderr)
    if code == EXIT_INTERRUPTED:
        raise KeyboardInterrupt
    return int(code)


def _about_call(problem: Any, arguments: list[str]) -> str:
    """What is wrong with a call, in one line as all our errors are; click and typer would draw a box."""
    # Not all of these errors know their command, but it comes first: before it there is nothing to get wrong.
    path = " ".join(["unjudged", *arguments[:1]]) if problem.ctx is None else problem.ctx.command_path
    text = " ".join(problem.format_message().replace("Value error, ", "").split()).removesuffix(".")
    return visible(f"{path}: {text[:1].lower()}{text[1:]}; see `{path} --help`")


_show_as_python_does = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *where: Any, **named: Any) -> None:
    """Say ours in one line: where in our code they come from does not help those who type commands."""
    if issubclass(category, UnjudgedWarning):
        print(f"warning: {visible(str(message))}", file=sys.stderr)
    else:
        _show_as_python_does(message, category, *where, **named)
