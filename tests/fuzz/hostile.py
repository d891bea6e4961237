"""Values that real and hostile files hold: mostly usual ones, some that break readers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

__all__ = [
    "HOSTILE_NUMBERS",
    "HOSTILE_TEXTS",
    "MANY_DIGITS",
    "a_doc",
    "a_grade",
    "a_run",
    "a_score",
    "a_topic",
    "a_word",
    "one_of",
]

T = TypeVar("T")

MANY_DIGITS = "7" * 4301
"""One digit more than Python turns into a whole number."""

HOSTILE_TEXTS = (
    "\0", "a\0b", "\ufeff", "\ufeffd1", "\u202edcba", "\u200f1", "\u200b", "\u2028", "\x85", "\xa0", "\x1b[31m",
    "\x7f", "\x1c", "\x0b", "\x0c", "#", "#1", "d1#", "-", "--", "'", '"', "\\", "\\n", "%s", "{}", "{0}", "[]",
    "[]:1", "<b>", "&amp;", "=1+1", "d" * 300, "😀", "e\u0301", "é", "ß", "İ", "文", "٣", "\U0001d521", "NaN", "None",
    "null", "all", "run", "Q0", "../d", "a,b", ",", "%%", MANY_DIGITS, "\U0010ffff", "\ufffe",
)  # fmt: skip
"""Names that are not plain ASCII words: control and direction marks, markup, formulas, what other tools would read."""

HOSTILE_NUMBERS = (
    "-0", "-0.0", "+5", "007", "1_000", "1e3", "1E3", "1e999", "-1e999", "1e-999", "nan", "-nan", "NaN", "inf", "-inf",
    "Infinity", "0x10", "0x1p3", "1,5", "1.", ".5", ".", "-", "+", "--1", "+-1", "1e", "e1", "٣", "1٣", "½", "²",
    "\uff11", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "2147483648", "100000", "100001",
    "-100000", "4294967296", "1e308", "1.7976931348623157e308", "-1.7976931348623157e308", "4.9e-324", "3.4028235e38",
    "3.5e38", "1e-46", "16777217", "0.1000000000000000055511151231257827", "1" + "0" * 400, "0." + "3" * 900,
    MANY_DIGITS, "-" + MANY_DIGITS, "1d3", "1f", "1L", "1j", "true", "None", "''", "1e+", "1e5.0", "nan(1)", "\u22121",
    "1\xa0000", "0b1", "0o7", "1e0_1", "infinit",
)  # fmt: skip
"""Numbers at the edges of what is one, of 32 and 64 bits, of floating point, of locales and of languages."""


def one_of(rng: Random, usual: Sequence[T], hostile: Sequence[T], probability: float = 0.04) -> T:
    """One of the usual values, or with a small chance a hostile one."""
    return rng.choice(hostile if rng.random() < probability else usual)


def a_topic(rng: Random) -> str:
    return one_of(rng, ("1", "2", "10", "301", "q-4"), HOSTILE_TEXTS, 0.02)


def a_doc(rng: Random) -> str:
    return one_of(rng, [f"d{i}" for i in range(12)], HOSTILE_TEXTS)


def a_run(rng: Random) -> str:
    return one_of(rng, ("bm25", "dense", "mine", "run", "t5"), HOSTILE_TEXTS)


def a_grade(rng: Random) -> str:
    return one_of(rng, ("0", "0", "0", "1", "1", "2", "3", "-1", "-2", "+1"), HOSTILE_NUMBERS, 0.015)


def a_score(rng: Random) -> str:
    usual = (str(rng.randint(-3, 9)), f"{rng.uniform(-5, 50):.{rng.randint(0, 17)}f}", f"{rng.gauss(0, 1):.3e}")
    return one_of(rng, usual, HOSTILE_NUMBERS, 0.015)


def a_word(rng: Random) -> str:
    return one_of(rng, ("one", "two", "Three", "the", "of", "foo-bar", "x", "1994"), (*HOSTILE_TEXTS, *HOSTILE_NUMBERS))
