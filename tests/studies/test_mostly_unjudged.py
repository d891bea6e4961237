"""What AP means where most that it reads was never judged, in one line."""

from __future__ import annotations

import pytest

import unjudged as uj

QRELS = {topic: {f"d{i}": i % 2 for i in range(10)} for topic in "12"}
RUN = {topic: {f"d{i}": -float(i) for i in range(50)} for topic in "12"}
SAYS = (
    "{}: 80% of the documents in the rankings were never judged; with those as not relevant, this says how early the"
    " known relevant documents come, among all that are known, and not how good a ranking is; a cut-off no deeper than"
    " the pool, as in nDCG@10, asks about what was judged"
)
UNTRIED = (
    "; intervals promise nothing there, because what was never pooled cannot be left out to see how wrong they are"
)


def told(result: uj.Scores | uj.Comparison) -> list[str]:
    return [one.message for one in result.warnings if one.code == "mostly-unjudged"]


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_measures_with_r_say_what_they_mean_in_one_line() -> None:
    measures = ["AP", "Rprec", "nDCG", "RBP", "AP@10", "P@10"]
    assert told(uj.score(QRELS, {"one": RUN}, measures)) == [SAYS.format("AP, Rprec, nDCG")]
    assert told(uj.score(QRELS, {"one": RUN}, ["RBP", "AP@10", "nDCG@10"])) == []
    assert told(uj.compare(QRELS, {"one": RUN, "two": RUN}, "AP", draws=5)) == [SAYS.format("AP") + UNTRIED]
    assert told(uj.score(QRELS, {"one": RUN}, "AP", holes="discounted(draws=5)")) == [SAYS.format("AP") + UNTRIED]


def test_judged_rankings_say_nothing() -> None:
    half = {topic: dict(list(docs.items())[:19]) for topic, docs in RUN.items()}
    assert told(uj.score(QRELS, {"one": half}, "AP")) == []


def test_it_is_a_note_and_no_python_warning(recwarn: pytest.WarningsRecorder) -> None:
    assert told(uj.score(QRELS, {"one": RUN}, "AP"))
    assert not list(recwarn)
