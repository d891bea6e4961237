"""How a result was made, as a paragraph for a paper: measures, hole models, tests and settings, with what to cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from unjudged.errors import InputError
from unjudged.io.writing import write_file
from unjudged.notebook_repr import NotebookRepr
from unjudged.reports.citations import Reference
from unjudged.reports.escape import for_latex, for_markdown
from unjudged.reports.methods_sentences import Part, parts_of
from unjudged.results.comparison import Comparison
from unjudged.results.gate import Gate
from unjudged.results.judges import Judges
from unjudged.results.properties import Properties
from unjudged.results.relative import Relative
from unjudged.results.reuse import Reuse
from unjudged.results.scores import Scores
from unjudged.wording import visible

__all__ = ["FORMATS", "Methods", "Result", "check_file", "methods"]

FORMATS = ("tex", "bib", "md", "txt")

Result = Scores | Comparison | Gate | Relative | Reuse | Properties | Judges


@dataclass(frozen=True, eq=False, repr=False)
class Methods(NotebookRepr):
    """A paragraph, and the sources that it cites. ``print(methods)`` shows both."""

    parts: tuple[Part, ...]
    inputs: tuple[str, ...] = ()
    """Files that the result was made of, which the paragraph is not saved over."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """What the paragraph cites, each source once, in the order of the text."""
        cited = [one for part in self.parts if not isinstance(part, str) for one in part]
        return tuple({one.key: one for one in reversed(cited)}[key] for key in dict.fromkeys(one.key for one in cited))

    def to_text(self) -> str:
        """The paragraph with authors and years, and a list of the sources."""
        words = [visible(part) if isinstance(part, str) else _in_brackets(part) for part in self.parts]
        return "\n".join(["".join(words), "", *(f"* {reference}" for reference in self.references)])

    def to_markdown(self) -> str:
        """The same in Markdown."""
        words = [for_markdown(part if isinstance(part, str) else _in_brackets(part)) for part in self.parts]
        return "\n".join(["".join(words), "", *(f"* {for_markdown(str(one))}" for one in self.references)])

    def to_latex(self) -> str:
        """The paragraph with ``\\cite``; :meth:`to_bibtex` has the entries."""
        cited = "~\\cite{{{}}}"
        return "".join(
            for_latex(part) if isinstance(part, str) else cited.format(",".join(one.key for one in part))
            for part in self.parts
        )

    def to_bibtex(self) -> str:
        """The BibTeX entries of the sources."""
        return "\n\n".join(reference.bibtex() for reference in self.references)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that ends in .tex (the paragraph), .bib (the entries), .md or .txt (both); no input of it."""
        write = {"tex": self.to_latex, "bib": self.to_bibtex, "md": self.to_markdown, "txt": self.to_text}
        write_file(path, write[check_file(path)]() + "\n", inputs=self.inputs)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Methods({self.to_text()!r})"


def _in_brackets(cited: Sequence[Reference]) -> str:
    return f" ({'; '.join(one.short for one in cited)})"


def check_file(path: str | PathLike[str]) -> str:
    """The format that a file's name asks for."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise InputError(f"{path}: the name of a methods file ends in {', '.join(f'.{one}' for one in FORMATS)}")
    return ending


def methods(result: Result) -> Methods:
    """How a result of ``score``, ``compare``, ``gate``, ``relative``, ``reuse``, ``properties`` or ``judges`` was made.

    >>> import unjudged as uj
    >>> scores = uj.score({"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}, "RR")
    >>> print(uj.methods(scores).to_text().splitlines()[0])  # doctest: +ELLIPSIS
    Effectiveness is RR (Kantor and Voorhees, 2000) over 1 topic...
    """
    return Methods(tuple(parts_of(result)), result.provenance.files)
