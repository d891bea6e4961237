"""The plain form of ids, against a slow version of the same rule."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.data.ids import Ids
from unjudged.studies.doctor.checked_inputs import plain_ids


def slowly(text: str) -> str:
    text = "".join(char.lower() if char.isascii() else char for char in text)
    text = re.sub(r"(?<=[0-9])\.0$", "", text)
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("7", "7"),
        ("07", "7"),
        ("7.0", "7"),
        ("007.0", "7"),
        ("0", "0"),
        ("00", "0"),
        ("0.0", "0"),
        ("10", "10"),
        ("FBIS3-0001", "fbis3-1"),
        ("doc1.txt", "doc1.txt"),
        ("x.0", "x.0"),
        (".0", ".0"),
        ("1.05", "1.5"),
        ("É7", "É7"),
    ],
)
def test_plain_form(text: str, plain: str) -> None:
    assert list(plain_ids(Ids.of([text]))) == [plain]


@given(st.lists(st.text("0019aA.-É", max_size=8), max_size=6))
def test_all_at_once_as_one_by_one(texts: list[str]) -> None:
    assert list(plain_ids(Ids.of(texts))) == [slowly(text) for text in texts]
