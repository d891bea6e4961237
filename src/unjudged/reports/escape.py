"""Text from files (run names, topics, doc ids) made safe for where it is shown."""

from __future__ import annotations

import re

from unjudged.wording import visible

__all__ = ["for_html", "for_latex", "for_markdown", "for_spreadsheet"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the start of a line of a table, these would belong to the \\ before them.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # Marks of verdicts.
    "●": r"$\bullet$",
    "◐": r"$\odot$",
    "⊖": r"$\ominus$",
    "○": r"$\circ$",
}
_LATEX_LETTERS = 0x180
"""Below it are the letters that pdfLaTeX knows without further packages: Latin-1 and Latin Extended-A."""

# Spreadsheets compute what begins so; OWASP, "CSV Injection". Apostrophes before it count, so that one can be taken
# off again. Numbers are not computed, and programs read them.
_FORMULA = re.compile(r"[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[-+]?inf", re.ASCII | re.IGNORECASE)


def for_html(text: str) -> str:
    """Text that a browser shows as it is, also inside an attribute."""
    import html  # and its table of two thousand names, which terminals have no use for

    return html.escape(visible(text), quote=True)


def for_latex(text: str) -> str:
    """Text that LaTeX prints as it is; a character that pdfLaTeX does not know becomes its number, such as U+05D0."""
    return re.sub("-(?=-)", "-{}", "".join(map(_latex_char, visible(text))))  # two would be a dash


def _latex_char(char: str) -> str:
    printable = char in _LATEX or ord(char) < _LATEX_LETTERS
    return _LATEX.get(char, char) if printable else f"U+{ord(char):04X}"


def for_markdown(text: str) -> str:
    """Text that Markdown prints as it is, also inside a table."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", visible(text))


def for_spreadsheet(text: str) -> str:
    """Text that a spreadsheet shows and does not compute: what would be a formula gets an apostrophe before it.

    >>> for_spreadsheet("=1+1"), for_spreadsheet("-0.25"), for_spreadsheet("bm25")
    ("'=1+1", '-0.25', 'bm25')
    """
    shown = visible(text)
    return f"'{shown}" if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown) else shown
