"""Whether enough of what measures look at was judged, where the user says how much that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unjudged.errors import Notice
from unjudged.limits import Real
from unjudged.wording import visible

__all__ = ["TOO_FEW_JUDGED", "check_min_judged", "is_too_little_judged", "too_few_judged"]

TOO_FEW_JUDGED = "too-few-judged"
"""Code of the warning that a run has fewer judged documents than --min-judged asks for."""


def check_min_judged(min_judged: float | None) -> float | None:
    """The least share of judged documents, or an error before the work."""
    return None if min_judged is None else Real(0, 1).checked("--min-judged", min_judged)


def too_few_judged(shares: Iterable[tuple[str, str, float | None]], least: float | None) -> tuple[Notice, ...]:
    """A warning for each run and measure whose share of judged documents is below the *least* one.

    A share that is not known, since a run has nothing that the measure looks at, is below none.
    """
    if least is None:
        return ()
    return tuple(
        Notice(
            TOO_FEW_JUDGED,
            1,
            f"{visible(run)}: {share:.1%} of the documents that {measure} looks at are judged, less than the"
            f" {least:.1%} of --min-judged; `unjudged next` says which to judge first",
        )
        for run, measure, share in shares
        if share is not None and share < least
    )


def is_too_little_judged(notices: Sequence[Notice]) -> bool:
    """Whether some run has fewer judged documents than was asked for."""
    return any(notice.code == TOO_FEW_JUDGED for notice in notices)
