"""A progress bar where somebody can see it: on a terminal, or below the cell of a notebook."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from unjudged.reports.escape import for_html

__all__ = ["in_notebook", "on_terminal", "progress_bar"]

_SECONDS_BEFORE_A_BAR = 0.3
"""What is done sooner would only flicker."""
_SECONDS_BETWEEN = 0.1
"""A notebook is sent no more than this many bars, or the connection would be busy with nothing else."""

T = TypeVar("T")
Update = Callable[[int], None]
"""Is told how many are done."""


def progress_bar(items: Iterable[T], total: int, words: str = "", /) -> Iterator[T]:
    """A progress bar for ``progress=``, on a terminal or in a notebook, for what takes longer than a blink.

    It is taken away when the work is done. Where nobody could see it, there is none.
    """
    if in_notebook():
        bar = _notebook_bar
    elif on_terminal():
        bar = _terminal_bar
    else:
        yield from items
        return
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        update: Update | None = None
        for done, item in enumerate(items, start=1):
            yield item
            if update is None and time.monotonic() - began > _SECONDS_BEFORE_A_BAR:
                update = stack.enter_context(bar(words or "working", total))
            if update is not None:
                update(done)


def on_terminal() -> bool:
    """Whether standard error is a terminal. ``!unjudged`` in Jupyter gets one that keeps what should be overwritten."""
    return sys.stderr.isatty() and "JPY_PARENT_PID" not in os.environ


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook, and not in IPython on a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


@contextlib.contextmanager
def _terminal_bar(words: str, total: int) -> Iterator[Update]:
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(words, total=total)
        yield lambda done: bars.update(task, completed=done)


@contextlib.contextmanager
def _notebook_bar(words: str, total: int) -> Iterator[Update]:
    # Not rich's: it needs ipywidgets, and complains in the cell where they are missing.
    from IPython.display import HTML, display

    shown = display(HTML(_html(words, 0, total)), display_id=True)
    last = time.monotonic()

    def update(done: int) -> None:
        nonlocal last
        if time.monotonic() - last > _SECONDS_BETWEEN:
            shown.update(HTML(_html(words, done, total)))
            last = time.monotonic()

    try:
        yield update
    finally:
        shown.update(HTML(""))


def _html(words: str, done: int, total: int) -> str:
    bar = f'<progress value="{done}" max="{total}"></progress>'
    return f"<p>{for_html(words)} {bar} {done:,} of {total:,}</p>"
