"""The checks for authors of plugins find what they are there to find: each of these classes has one mistake."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from unjudged.arrays import Floats
from unjudged.errors import SpecError
from unjudged.plugins import (
    Estimate,
    HoleModel,
    Linear,
    Measure,
    Normaliser,
    Qrels,
    Real,
    Settings,
    Static,
    View,
    param,
)
from unjudged.testing import check_hole_model, check_measure

pytestmark = pytest.mark.usefixtures("forgotten_afterwards")


class Share(Measure):
    """Share of documents that are relevant."""

    title = "A share"
    formula = "relevant / retrieved"
    unjudged = "Count as not relevant."
    normalised_by: ClassVar[Normaliser] = "none"

    def compute(self, view: View) -> Floats:
        return np.nan_to_num(view.share(view.relevant(1)))


def test_a_measure_without_a_mistake() -> None:
    class Fine(Share):
        """Share of documents that are relevant."""

        name = "Fine"

    check_measure("Fine")


def test_words_are_missing() -> None:
    class Mute(Share):
        """Share of documents that are relevant."""

        name = "Mute"
        formula = ""

    with pytest.raises(AssertionError, match=r"^Mute has no formula$"):
        check_measure(Mute)


def test_no_docstring() -> None:
    class Undocumented(HoleModel):
        name = "undocumented"
        title = "No belief"

        def fill(self, view: View) -> View:
            return view

    Undocumented.__doc__ = None
    with pytest.raises(AssertionError, match=r"^undocumented has no docstring$"):
        check_hole_model(Undocumented)


def test_a_value_out_of_range() -> None:
    class Doubled(Share):
        """Twice the share."""

        name = "Doubled"

        def compute(self, view: View) -> Floats:
            return 2 * super().compute(view) + 0.5

    with pytest.raises(AssertionError, match=r"^Doubled has values from 0.5 to .*, out of 0 to 1$"):
        check_measure(Doubled)


def test_one_value_too_many() -> None:
    class Long(Share):
        """A value too many."""

        name = "Long"

        def compute(self, view: View) -> Floats:
            return np.zeros(len(view) + 1)

    with pytest.raises(AssertionError, match=r"^Long gives \(13,\) values for 12 topics$"):
        check_measure(Long)


def test_names_of_documents_play_a_part() -> None:
    class Named(Share):
        """Depends on a name."""

        name = "Named"

        def compute(self, view: View) -> Floats:
            plain = any(name.startswith("doc") for name in view.doc_ids())
            return super().compute(view) if plain else np.zeros(len(view))

    with pytest.raises(AssertionError, match="Named depends on names of documents"):
        check_measure(Named)


def test_other_topics_play_a_part() -> None:
    class Relative(Share):
        """Relative to the best topic."""

        name = "Relative"

        def compute(self, view: View) -> Floats:
            values = super().compute(view)
            return values / max(1e-9, values.max(initial=0))

    with pytest.raises(AssertionError, match="Relative depends on other topics"):
        check_measure(Relative)


def test_a_measure_writes_into_the_view() -> None:
    class Writing(Share):
        """Writes into the view."""

        name = "Writing"

        def compute(self, view: View) -> Floats:
            values = super().compute(view)
            view.grades[:1] = 3 - view.grades[:1]
            return values

    with pytest.raises(AssertionError, match=r"Writing (changes the view that it looks at|depends on other topics)"):
        check_measure(Writing)


def test_weights_that_are_not_those_of_the_measure() -> None:
    class Heavy(Share):
        """Has other weights than it says."""

        name = "Heavy"

        def linear(self, view: View) -> Linear | None:
            return Linear(np.ones(len(view.grades)), np.arange(view.qrels.max_grade + 1.0))

    with pytest.raises(AssertionError, match="Heavy is not the weighted sum that it says"):
        check_measure(Heavy)


def test_a_measure_that_says_it_is_monotone_and_is_not() -> None:
    class Odd(Share):
        """Share of documents with grade 1, so that grade 2 lowers it."""

        name = "Odd"
        graded = True

        def compute(self, view: View) -> Floats:
            return np.nan_to_num(view.share(view.judged & (view.grades == 1)))

    with pytest.raises(AssertionError, match=r"^Odd is from .* for some labels of holes, out of .*; does it say"):
        check_measure(Odd)

    class OddAndSaysSo(Odd):
        """Share of documents with grade 1, which says that grade 2 lowers it."""

        name = "OddAndSaysSo"

        def monotone(self, top: int) -> bool:
            return False

    check_measure(OddAndSaysSo)


def test_a_parameter_that_does_not_read_back() -> None:
    class Rounded(Real):
        def show(self, value: float) -> str:
            return f"{value:.1f}"

    class Forgetful(Share):
        """Prints another parameter than it has."""

        name = "Forgetful"
        p: float = param(0.5, Rounded(0, 1), "a number")

    with pytest.raises(AssertionError, match=r"^Forgetful\(p=0.2\) does not read back as itself: Forgetful\(p=0.2\)$"):
        check_measure(Forgetful(p=0.25))


def test_a_hole_model_that_changes_what_is_judged() -> None:
    class Generous(HoleModel):
        """Adds to every score."""

        name = "generous"
        title = "More for all"

        def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
            return Estimate(measure.score(view) + 0.1)

    with pytest.raises(AssertionError, match=r"generous is not the plain score where all is judged \(nDCG@10\)"):
        check_hole_model("generous")


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (1.0, 0.0, r"upside-down: low is above high \(AP\)"),
        (0.0, None, r"upside-down has only one end of an interval \(AP\)"),
    ],
)
def test_a_hole_model_with_impossible_ends(low: float, high: float | None, message: str) -> None:
    class UpsideDown(HoleModel):
        """The wrong way round."""

        name = "upside-down"
        title = "The wrong way round"

        def estimate(self, measure: Measure, view: View, settings: Settings) -> Estimate:
            ends = [None if end is None else np.full(len(view), end) for end in (low, high)]
            return Estimate(measure.score(view), *ends)

    with pytest.raises(AssertionError, match=f"^{message}$"):
        check_hole_model(UpsideDown, "AP")


def test_static_weights_of_a_measure_are_compared_with_what_it_computes() -> None:
    class Flat(Share):
        """Says that rank 2 weighs as much as rank 1, and counts rank 1 only."""

        name = "Flat"
        value_range = (0.0, float("inf"))

        def compute(self, view: View) -> Floats:
            rows = np.flatnonzero(view.judged & (view.rank == 1))
            return view.total(rows, view.grades[rows].astype(np.float64))

        def static(self, qrels: Qrels, ranks: int) -> Static:
            return Static(np.ones(ranks), np.arange(qrels.max_grade + 1.0))

    with pytest.raises(AssertionError, match="Flat is not the weighted sum that it says"):
        check_measure(Flat)


def test_what_is_no_measure_is_an_error_as_everywhere() -> None:
    with pytest.raises(SpecError, match=r"^unknown measure 'Surely-not-there'"):
        check_measure("Surely-not-there")
