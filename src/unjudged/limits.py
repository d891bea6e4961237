"""What parameters may be: words to choose from, and limits of the parameters of specifications.

The words are those of the library and of the command line, which has them without waiting for NumPy. A limit reads a
value, shows it, and says in words what it allows.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Mapping
from typing import Any, Literal

from unjudged.errors import SpecError
from unjudged.wording import shortened

__all__ = [
    "FEW_JUDGED",
    "Choice",
    "ChooseBy",
    "ConvertTo",
    "EngineName",
    "Flag",
    "Gains",
    "Grades",
    "JointPrior",
    "Kind",
    "Limit",
    "MissingTopics",
    "NegativeGrades",
    "NeverJudged",
    "OtherGroups",
    "QrelsFormat",
    "RangeOfMeans",
    "Rareness",
    "Real",
    "RunFormat",
    "ScoreType",
    "TascPriors",
    "TextFormat",
    "Threshold",
    "Whole",
]

ScoreType = Literal["float64", "float32"]
"""Precision in which scores are compared."""
Duplicates = Literal["error", "best", "first", "last"]
"""What becomes of a document that a run has more than once for a topic: the run is refused, or only one line of the
document counts, that with the best rank, or the first or the last in the file."""
QrelsFormat = Literal[
    "auto", "trec", "strata", "diversity", "csv", "json", "opensearch", "elasticsearch", "quepid", "rre", "rank_eval"
]
"""How judgments are written: white-space separated columns, of which the second or fourth may mean something; or one of
the formats of ``io/formats``."""
RunFormat = Literal["auto", "trec", "csv", "json", "search", "rank_eval", "mteb"]
"""How runs are written."""
ConvertTo = Literal["trec", "beir", "quepid", "elasticsearch", "opensearch"]
"""Whose files judgments and runs are written as."""
Kind = Literal["qrels", "run"]
"""What a file holds: judgments, or a run."""
NegativeGrades = Literal["auto", "pooled", "judged", "drop"]
"""What a grade below 0 means.

``pooled``: in the pool but not judged (trec_eval's reading). ``judged``: judged, with grade 0 (paper 1's reading; right
for the Web track's -2 for spam). ``drop``: as if the line were not there (TrecTools). ``auto``: ``pooled`` or
``judged``, whichever the judgments look like.
"""
TextFormat = Literal["auto", "jsonl", "tsv", "trec", "plain"]
"""How documents are written."""
MissingTopics = Literal["zero", "skip"]
"""What a judged topic counts that a run does not have: 0 (``trec_eval -c``), or it is left out of the mean."""
JointPrior = Literal["pool+run", "evidence", "discounted"]
"""What the grades of several runs' holes can be drawn from."""
RangeOfMeans = Literal["bounds", "interval", "chance alone"]
"""What a hole model says a mean over topics lies between.

``bounds``: nothing beyond is possible under the model. ``interval``: it holds the truth about as often as it promises.
``chance alone``: what chance would do if the model were right; the truth lies outside much more often than that.
"""
OtherGroups = Literal["best", "all"]
"""Which runs of each other group are priors."""
Rareness = Literal["topic", "collection"]
"""Which rankings count as having a document: those for the topic (the paper), or for any (the released code)."""
TascPriors = Literal["priors", "group"]
"""Whom TaSC compares with: the prior set (the paper), or the best run of the run's own group (the released code)."""
ChooseBy = Literal["gain", "gain-per-judgment"]
"""What a run is chosen by: what it adds, or what it adds for each document that has to be judged for it."""
NeverJudged = Literal["removed", "nonrelevant"]
"""What becomes of documents that nobody ever judged, when judgments are taken away."""
EngineName = Literal["local", "dask", "ray"]
"""Where the work of a study is done."""

FEW_JUDGED = 0.8
"""Below this share judged of its top 10, a run's scores rest on holes as much as on judgments, unless users differ."""

_LARGEST = 10**15
"""Of whole numbers: arrays and generators of random numbers take no more than 64 bits."""
_LARGEST_REAL = 1e100
"""Of other numbers: their squares, and sums of these, must not be infinite."""


class Limit:
    """What a parameter may be. ``read`` returns the value in its one true type or raises ``ValueError``."""

    def read(self, value: object) -> object:
        """The value in its one true type."""
        raise TypeError(f"{type(self).__name__} does not say how to read a value")

    def checked(self, what: str, value: object) -> Any:
        """The value in its one true type, or an error that says what it must be."""
        try:
            return self.read(value)
        except SpecError:
            raise  # a specification inside this one, or a number beyond all limits, says itself what is wrong with it
        except ValueError:
            raise SpecError(f"{what} must be {self}, not {shortened(value)}") from None

    def show(self, value: Any) -> str:
        """The value as text that can be read back."""
        return repr(value)

    def __str__(self) -> str:
        raise TypeError(f"{type(self).__name__} does not describe itself")


@dataclasses.dataclass(frozen=True)
class Whole(Limit):
    """A whole number, not below ``low`` and not above ``high``, which is for what memory or time grow with."""

    low: int | None = None
    high: int | None = None

    def read(self, value: object) -> int:
        if isinstance(value, bool):
            raise ValueError
        try:
            number = operator.index(value)  # type: ignore[arg-type]  # numpy integers pass, 1.0 and "1" do not
        except TypeError:
            raise ValueError from None
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError
        if abs(number) > _LARGEST:
            raise SpecError(f"{shortened(number)} is too large; numbers end at {_LARGEST:,}")
        return number

    def __str__(self) -> str:
        if self.low is None:
            return "a whole number"
        return "a whole number " + (
            f"of at least {self.low}" if self.high is None else f"from {self.low} to {self.high:,}"
        )


@dataclasses.dataclass(frozen=True)
class Real(Limit):
    """A finite number between ``low`` and ``high``; ``closed`` says which ends belong to it."""

    low: float = float("-inf")
    high: float = float("inf")
    closed: Literal["both", "neither", "left", "right"] = "both"

    def read(self, value: object) -> float:
        if isinstance(value, bool | str):
            raise ValueError
        try:
            number = float(value)  # type: ignore[arg-type]
        except TypeError:
            raise ValueError from None
        except OverflowError:  # a whole number of more than 308 digits
            number = math.inf if value > 0 else -math.inf  # type: ignore[operator]
        above = number >= self.low if self.closed in {"both", "left"} else number > self.low
        below = number <= self.high if self.closed in {"both", "right"} else number < self.high
        if not (above and below):  # also catches NaN
            raise ValueError
        if abs(number) > _LARGEST_REAL:
            raise SpecError(f"{number:g} is too large; numbers end at {_LARGEST_REAL:g}")
        return number

    def __str__(self) -> str:
        above = f"at least {self.low:g}" if self.closed in {"both", "left"} else f"above {self.low:g}"
        below = f"at most {self.high:g}" if self.closed in {"both", "right"} else f"below {self.high:g}"
        finite = [text for text, end in ((above, self.low), (below, self.high)) if abs(end) != float("inf")]
        return " ".join(["a number", " and ".join(finite)]).strip()


@dataclasses.dataclass(frozen=True)
class Threshold(Limit):
    """A grade above 0: a whole number stays one, so that ``rel=2`` is what it always was; 0.5 is one, too."""

    high: float | None = None

    def read(self, value: object) -> float:
        try:
            return Whole(1, None if self.high is None else int(self.high)).read(value)
        except SpecError:
            raise
        except ValueError:
            number = Real(0, math.inf if self.high is None else self.high, "neither").read(value)
        return int(number) if number.is_integer() else number

    def __str__(self) -> str:
        return "a grade above 0" + ("" if self.high is None else f" and at most {self.high:,.0f}")


@dataclasses.dataclass(frozen=True)
class Choice(Limit):
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise ValueError
        return value

    def __str__(self) -> str:
        return "one of " + ", ".join(repr(word) for word in self.words)


@dataclasses.dataclass(frozen=True)
class Flag(Limit):
    """True or False."""

    def read(self, value: object) -> bool:
        if isinstance(value, str) and value in {"true", "false"}:
            return value == "true"
        if not isinstance(value, bool):
            raise ValueError
        return value

    def __str__(self) -> str:
        return "True or False"


@dataclasses.dataclass(frozen=True)
class Gains(Limit):
    """A gain for each grade, ``{1: 3, 2: 9}``; kept as sorted pairs, so that the specification stays hashable."""

    def read(self, value: object) -> tuple[tuple[float, float], ...]:
        return tuple((grade, Real().read(gain)) for grade, gain in self._pairs(value))

    def _pairs(self, value: object) -> list[tuple[float, object]]:
        pairs = value.items() if isinstance(value, Mapping) else value
        try:
            by_grade = {self._grade(grade): other for grade, other in pairs}  # type: ignore[attr-defined]
        except TypeError:
            raise ValueError from None
        return sorted(by_grade.items())

    @staticmethod
    def _grade(value: object) -> float:
        try:
            return Whole().read(value)
        except SpecError:
            raise
        except ValueError:
            number = Real().read(value)
        return int(number) if number.is_integer() else number

    def show(self, value: Any) -> str:
        return repr(dict(value))

    def __str__(self) -> str:
        return "a gain for each grade such as {1: 3, 2: 9}"


@dataclasses.dataclass(frozen=True)
class Grades(Gains):
    """A grade for each grade of another scale, ``{1: 2}``; kept as sorted pairs."""

    def read(self, value: object) -> tuple[tuple[float, float], ...]:
        pairs = tuple((grade, self._grade(other)) for grade, other in self._pairs(value))
        if any(other < 0 for _, other in pairs):
            raise ValueError
        return pairs

    def __str__(self) -> str:
        return "a grade for each other grade such as {1: 2}"


@dataclasses.dataclass(frozen=True)
class RunPair(Limit):
    """The names of two different runs."""

    def read(self, value: object) -> tuple[str, str]:
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise ValueError
        names = [str(one) if isinstance(one, int) and not isinstance(one, bool) else one for one in value]
        if not all(isinstance(one, str) and one for one in names) or names[0] == names[1]:
            raise ValueError
        return names[0], names[1]

    def show(self, value: Any) -> str:
        return ",".join(map(repr, value))

    def __str__(self) -> str:
        return "the names of two runs such as A, B"
