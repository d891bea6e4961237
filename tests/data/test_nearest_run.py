"""A run without a group: the error names the run of the file that was probably meant."""

from __future__ import annotations

import pytest

from unjudged.data.groups import of_each_run
from unjudged.errors import InputError


@pytest.mark.parametrize(
    ("runs", "listed", "hint"),
    [
        (["bm25-base"], ["dense", "bm25_base"], " (it lists 'bm25_base', which is no run that was given: is that"
         " the first of them?)"),
        (["bm25-base"], ["dense"], " (it lists 'dense', which is no run that was given)"),
        (["bm25-base"], [], ""),
    ],
)  # fmt: skip
def test_the_nearest_run_is_named(runs: list[str], listed: list[str], hint: str) -> None:
    with pytest.raises(InputError) as raised:
        of_each_run(runs, dict.fromkeys(listed, "a team"), "teams.tsv")
    assert str(raised.value) == f"teams.tsv: no group for 'bm25-base'{hint}; every run needs one"
