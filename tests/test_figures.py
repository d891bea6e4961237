"""Numbers that pages of the docs take from experiments/results are numbers of the pages they link to.

When results are made again, this says which tables and paragraphs are older. It cannot say that a number stands in the
right cell: it looks for any number of the linked page that is rounded to this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"experiments/results/([\w-]+)\.md")
NUMBER = re.compile(r"(?<![\w.@=/(-])[-+±]?(\d{1,3}(?:,\d{3})+|\d+)?(\.\d+)?(%)?(?![\w@])")
NOT_MEASURED = {
    "compare.md": {".004"},  # 95% less than the resolution of the table it is about
    "five-papers.md": {"5.2", "5.3", "5.4"},  # sections of a paper
    "pyterrier.md": {"0.00000002"},  # the page has a mantissa and an exponent
}
"""Numbers that are no figures of a page of results."""
ALSO = {
    ("properties.md", "Which measure is precise?"): ["corpus-properties"],
    ("which-estimate.md", "Error of a single topic (RMSE)"): ["table7"],
    ("which-estimate.md", "Intervals: promised 90%, observed"): ["table7"],
    ("which-estimate.md", "What each model assumes, and when it fails"): ["leave-one-team-out"],
}
"""Pages of results that a section takes numbers from without a link of its own."""


class Figure(NamedTuple):
    """A number as it is printed, and the pages of results it should be in."""

    text: str
    value: float
    decimals: int
    is_percentage: bool


def numbers(text: str) -> Iterator[Figure]:
    for number in NUMBER.finditer(text):
        whole, fraction, percent = number.groups()
        if whole or fraction:
            digits = f"{(whole or '0').replace(',', '')}{fraction or ''}"
            yield Figure(number.group(), float(digits), len(fraction or ".") - 1, bool(percent))


def is_among(one: Figure, there: list[Figure]) -> bool:
    """Whether a number is another one, rounded; 41% is also 0.41."""
    room = 0.5000001 * 10.0**-one.decimals
    for other in there:
        scale = {(True, False): 100.0, (False, True): 0.01}.get((one.is_percentage, other.is_percentage), 1.0)
        if abs(other.value * scale - one.value) <= room:
            return True
    return False


def quotations(page: Path) -> Iterator[tuple[str, set[str]]]:
    """Lines of tables in sections that link to results, and lines of paragraphs that do, with the pages of results."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for chapter in re.split(r"(?m)^(?=## )", text):
        of_chapter = set(LINK.findall(chapter.partition("\n### ")[0]))
        for section in re.split(r"(?m)^(?=### )", chapter):
            title = section.partition("\n")[0].lstrip("# ")
            names = set(LINK.findall(section)) | of_chapter | set(ALSO.get((page.name, title), ()))
            for block in section.split("\n\n"):
                of_block = set(LINK.findall(block))
                for line in block.splitlines():
                    plain = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line).replace("*", "")
                    if names and (line.startswith("|") or of_block):
                        yield plain, names


PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if LINK.search(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_quoted_figures_are_in_the_pages_of_results(page: Path) -> None:
    results = {
        path.stem: list(numbers(path.read_text(encoding="utf-8")))
        for path in (ROOT / "experiments" / "results").glob("*.md")
    }
    old = []
    for line, names in quotations(page):
        there = [number for name in sorted(names) for number in results[name]]
        missing = [one.text for one in numbers(line) if one.decimals or one.is_percentage if not is_among(one, there)]
        missing = [text for text in missing if text.lstrip("+-±") not in NOT_MEASURED.get(page.name, ())]
        if missing:
            old.append(f"{', '.join(missing)} not in {', '.join(sorted(names))}: {line.strip()}")
    assert not old, "\n".join(old)


def test_a_number_is_found_in_another_form() -> None:
    (there,) = numbers("0.4149")
    for text in (".415", "41%", "41.5%", "0.41", ".414", "42%"):
        (one,) = numbers(text)
        assert is_among(one, [there]) == (text not in {".414", "42%"}), text
