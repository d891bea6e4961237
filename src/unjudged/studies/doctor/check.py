"""What a check is: a function that registers itself under its stable code, and that nobody calls by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from unjudged.arrays import Ints
from unjudged.results.diagnosis import Finding, Severity

__all__ = ["CHECKS", "Check", "Hit", "Scope", "check", "checks_of", "qrels_check", "run_check"]

Scope = Literal["input", "file", "qrels", "run", "runs"]
"""What a check looks at: an input that cannot be read, any file, the judgments, one run, or all runs together."""


@dataclass(frozen=True)
class Hit:
    """What a check function yields; the check itself knows the rest. ``row`` is the input row of the example."""

    count: int
    message: str
    example: str = ""
    row: int | None = None
    severity: Severity | None = None
    """Where this hit weighs more or less than the check's own severity."""
    run: int | None = None
    """For checks of all runs: which run the finding is filed under."""
    rows: Ints | None = None
    """The input rows of all of them, for checks that list them."""


Find = Callable[[Any], Iterator[Hit]]
F = TypeVar("F", bound=Find)


@dataclass(frozen=True)
class Check:
    """A check: its stable code, how bad a hit is, what it looks for, what to do, and the function that looks."""

    code: str
    scope: Scope
    severity: Severity
    title: str
    next_step: str
    find: Find

    def finding(
        self, hit: Hit, *, file: str | None, line: int | None, run: str | None, lines: tuple[int, ...] = ()
    ) -> Finding:
        """A hit with everything a reader needs."""
        severity = hit.severity or self.severity
        words = (hit.message, hit.example, self.next_step)
        return Finding(self.code, severity, hit.count, *words, file, line, run, lines)


CHECKS: dict[str, Check] = {}
"""Every check, by code, in the order in which findings are shown."""


def check(scope: Scope, code: str, severity: Severity, title: str, *, next_step: str) -> Callable[[F], F]:
    """Register the function below as a check."""

    def register(find: F) -> F:
        CHECKS[code] = Check(code, scope, severity, title, next_step, find)
        return find

    return register


qrels_check = partial(check, "qrels")
run_check = partial(check, "run")


def checks_of(scope: Scope) -> list[Check]:
    """The checks that look at one kind of thing."""
    return [one for one in CHECKS.values() if one.scope == scope]
