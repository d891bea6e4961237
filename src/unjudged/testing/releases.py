"""For the tests of a search team: is the new ranking worse than the old one?"""

from __future__ import annotations

from typing import Any

from unjudged.api import gate, read_run
from unjudged.io.sources import as_path
from unjudged.results.gate import Gate

__all__ = ["assert_not_worse"]


def assert_not_worse(
    qrels: Any, baseline: Any, candidate: Any, measures: Any = "nDCG@10", *, undecided: bool = False, **parameters: Any
) -> Gate:
    """Fail unless ``uj.gate`` answers *not worse*, or, where *undecided* is fine, unless it answers *worse*.

    *baseline* and *candidate* are a run each: a file, a frame or a dict; *parameters* are those of ``uj.gate``.

    >>> qrels, old = {topic: {"a": 1, "b": 0} for topic in "12"}, {topic: {"a": 2.0, "b": 1.0} for topic in "12"}
    >>> assert_not_worse(qrels, old, old, "P@1").answer
    'not worse'
    """
    __tracebackhide__ = True
    runs = [_named(baseline, "baseline"), _named(candidate, "candidate")]
    result = gate(qrels, runs, measures, **parameters)
    allowed = {"not worse", "undecided"} if undecided else {"not worse"}
    if result.answer not in allowed:
        raise AssertionError(result.summary())
    return result


def _named(run: Any, name: str) -> Any:
    """A run, with this name where it comes from memory."""
    return run if as_path(run) is not None else read_run(run, name=name)
