"""What to cite: measures, hole models, tests and the like name their source in one line, and BibTeX follows from it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from unjudged.reports.escape import for_latex
from unjudged.version import __version__

__all__ = ["SOFTWARE", "Reference", "read_references"]

_ONE = re.compile(
    r"(?P<authors>(?:(?:[A-Z]\. )*(?:van )?[A-Z][\w'-]+(?:, | and )?)+(?: et al)?)\. (?P<title>.+?)\. (?P<venue>.+?)\.?"
)
_SEVERAL = re.compile(r"(?<=\d\.) (?=(?:[A-Z]\. )+[A-Z][\w-]+[, ])")
_OTHERS = "et al"
_YEAR = re.compile(r"\b(1[89]|20)\d\d\b")


@dataclass(frozen=True)
class Reference:
    """A source, as far as it is known; *more* are further fields of its BibTeX entry."""

    authors: tuple[str, ...]
    title: str
    venue: str
    year: str = ""
    kind: str = "misc"
    more: dict[str, str] = field(default_factory=dict)
    label: str = ""
    """Its key, where that does not follow from the authors."""

    @property
    def key(self) -> str:
        """How papers refer to it: the first author, the year, and the first long word of the title."""
        if self.label:
            return self.label
        word = next((one for one in re.findall(r"\w+", self.title) if len(one) > 3), "")
        return _ascii(f"{self.authors[0].split()[-1]}{self.year}{word}").lower()

    @property
    def short(self) -> str:
        """Author and year, as text cites it."""
        names = [one.split()[-1] for one in self.authors]
        many = len(names) > 2 or self.authors[-1] == _OTHERS
        who = self.authors[0] if self.label else f"{names[0]} et al." if many else " and ".join(names)
        return f"{who}, {self.year}" if self.year else who

    def __str__(self) -> str:
        doi = f" doi:{self.more['doi']}" if "doi" in self.more else ""
        year = "" if not self.year or self.year in self.venue else f", {self.year}"
        return f"{_listed(self.authors)}. {self.title}. {self.venue}{year}.{doi}"

    def bibtex(self) -> str:
        """Its BibTeX entry."""
        place = {"inproceedings": "booktitle", "article": "journal"}.get(self.kind, "howpublished")
        authors = ["others" if one == _OTHERS else one for one in self.authors]
        fields = {
            "author": " and ".join(map(for_latex, authors)),
            "title": f"{{{for_latex(self.title)}}}",  # keeps capitals
            place: for_latex(self.venue),
            "year": self.year,
            **self.more,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


_PAPERS = (
    Reference(
        ("Maik Fröbe", "Lukas Gienapp", "Martin Potthast", "Matthias Hagen"),
        "Bootstrapped nDCG Estimation in the Presence of Unjudged Documents",
        "Advances in Information Retrieval (ECIR 2023)",
        "2023",
        "inproceedings",
        {"series": "LNCS", "volume": "13980", "publisher": "Springer", "doi": "10.1007/978-3-031-28244-7_20"},
    ),
    Reference(
        ("Emine Yilmaz", "Javed A. Aslam"),
        "Estimating average precision when judgments are incomplete",
        "Knowledge and Information Systems",
        "2008",
        "article",
        {"volume": "16", "doi": "10.1007/s10115-007-0101-7"},
    ),
    Reference(
        ("Justin Zobel", "Lida Rashidi"),
        "Corpus Bootstrapping for Assessment of the Properties of Effectiveness Measures",
        "Proceedings of the 29th ACM International Conference on Information and Knowledge Management (CIKM '20)",
        "2020",
        "inproceedings",
        {"publisher": "ACM", "doi": "10.1145/3340531.3411998"},
    ),
    Reference(
        ("Amin Bigdeli", "Negar Arabzadeh", "Ebrahim Bagheri", "Charles L. A. Clarke"),
        "Evaluating Relative Retrieval Effectiveness with Normalized Residual Gain",
        "Proceedings of the 2024 Annual International ACM SIGIR Conference on Research and Development in Information"
        " Retrieval in the Asia Pacific Region (SIGIR-AP '24)",
        "2024",
        "inproceedings",
        {"publisher": "ACM", "doi": "10.1145/3673791.3698410"},
    ),
    Reference(
        ("Kai Hui", "Klaus Berberich", "Ida Mele"),
        "Dealing with Incomplete Judgments in Cascade Measures",
        "Proceedings of the ACM SIGIR International Conference on Theory of Information Retrieval (ICTIR '17)",
        "2017",
        "inproceedings",
        {"publisher": "ACM", "doi": "10.1145/3121050.3121064"},
    ),
)
"""The papers that this package comes from, as they name themselves; lines that mean one of them have its title."""
_BY_TITLE = {paper.title.lower(): paper for paper in _PAPERS}

SOFTWARE = Reference(
    ("The unjudged developers",),
    "unjudged: evaluating retrieval systems when relevance judgments are incomplete",
    f"Software, version {__version__}",
    more={"author": "{The unjudged developers}"},  # a name in one piece
    label="unjudged",
)


def read_references(line: str) -> list[Reference]:
    """The sources that a line such as ``T. Sakai. Alternatives to bpref. SIGIR 2007.`` names; none where it names none.

    >>> [reference.short for reference in read_references("T. Sakai. Alternatives to bpref. SIGIR 2007.")]
    ['Sakai, 2007']
    """
    return [reference for part in _SEVERAL.split(line) if (reference := _read_one(part)) is not None]


def _read_one(line: str) -> Reference | None:
    match = _ONE.fullmatch(line)
    if match is None:
        return None
    paper = _BY_TITLE.get(match["title"].lower())
    if paper is not None:
        return paper
    others = match["authors"].endswith(f" {_OTHERS}")
    authors = re.split(", | and ", match["authors"].removesuffix(f" {_OTHERS}"))
    years = _YEAR.search(match["venue"])
    return Reference(
        (*authors, *([_OTHERS] if others else [])), match["title"], match["venue"], years.group() if years else ""
    )


def _listed(names: tuple[str, ...]) -> str:
    plain = list(names)
    if plain[-1] == _OTHERS:
        return f"{', '.join(plain[:-1])} {_OTHERS}"
    return plain[0] if len(plain) == 1 else f"{', '.join(plain[:-1])} and {plain[-1]}"


def _ascii(text: str) -> str:
    """The letters without accents, and nothing else."""
    return re.sub(r"[^A-Za-z0-9]", "", unicodedata.normalize("NFKD", text))
