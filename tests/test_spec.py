"""Specifications: parsing, printing, limits and the messages users get."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged.errors import SpecError
from unjudged.measures import measures
from unjudged.registry import Registry
from unjudged.spec import Choice, Flag, Gains, Real, Spec, Whole, param, split_spec


class Toy(Spec):
    name = "Toy"
    aliases = ("TOY",)
    at = "cutoff"

    p: float = param(0.8, Real(0, 1, "neither"), "persistence")
    rel: int = param(1, Whole(1), "lowest grade")
    dcg: str = param("log2", Choice(("log2", "exp-log2")), "formula")
    judged_only: bool = param(False, Flag(), "drop unjudged documents")
    gains: tuple[tuple[int, float], ...] | None = param(None, Gains(), "gains")
    cutoff: int | None = param(None, Whole(1), "ranks read")


class Strict(Spec):
    name = "Strict"
    at = "cutoff"

    cutoff: int = param(..., Whole(1), "ranks read")
    level: float = param(0.5, Real(low=0), "level")


class Bare(Spec):
    name = "Bare"


registry: Registry[Spec] = Registry("toy", "`toys` lists them")
for cls in (Toy, Strict, Bare):
    registry.add(cls)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("Toy", Toy()),
        ("TOY@10", Toy(cutoff=10)),
        ("Toy(p=0.5)@10", Toy(p=0.5, cutoff=10)),
        (" Toy ( p = 0.5 , rel = 2 ) @ 10 ", Toy(p=0.5, rel=2, cutoff=10)),
        ("Toy(cutoff=10)", Toy(cutoff=10)),
        ("Toy(dcg='exp-log2')", Toy(dcg="exp-log2")),
        ('Toy(dcg="exp-log2")', Toy(dcg="exp-log2")),
        ("Toy(dcg=exp-log2)", Toy(dcg="exp-log2")),
        ("Toy(judged_only=True)", Toy(judged_only=True)),
        ("Toy(judged_only=true)", Toy(judged_only=True)),
        ("Toy(gains={1: 3, 2: 9},rel=2)", Toy(gains={1: 3, 2: 9}, rel=2)),
        ("Strict(level=1e-5)@3", Strict(level=1e-5, cutoff=3)),
        ("Bare", Bare()),
        ("Bare()", Bare()),
    ],
)
def test_reads(text: str, spec: Spec) -> None:
    assert registry.parse(text) == spec


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (Toy(), "Toy"),
        (Toy(cutoff=10), "Toy@10"),
        (Toy(dcg="exp-log2", p=0.95, cutoff=10), "Toy(p=0.95,dcg='exp-log2')@10"),
        (Toy(gains={2: 9, 1: 3}), "Toy(gains={1: 3.0, 2: 9.0})"),
        (Toy @ 10, "Toy@10"),
        (Toy(rel=2) @ 10, "Toy(rel=2)@10"),
        (Toy, "Toy"),
    ],
)
def test_prints(spec: Spec, text: str) -> None:
    assert str(spec) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Tony@10", "unknown toy 'Tony'; did you mean 'Toy'? (`toys` lists them)"),
        ("zzz", "unknown toy 'zzz' (`toys` lists them)"),
        (
            "Toy(rell=2)",
            "Toy has no parameter 'rell' (it has p, rel, dcg, judged_only, gains, cutoff); did you mean 'rel'?",
        ),
        ("Bare(x=1)", "Bare has no parameter 'x' (it has none)"),
        ("Toy@0", "Toy: cutoff must be a whole number of at least 1, not 0"),
        ("Toy@1.5", "Toy: cutoff must be a whole number of at least 1, not 1.5"),
        ("Toy@ten", "Toy: cutoff must be a whole number of at least 1, not 'ten'"),
        ("Toy(p=1)", "Toy: p must be a number above 0 and below 1, not 1"),
        ("Toy(p=nan)", "Toy: p must be a number above 0 and below 1, not 'nan'"),
        ("Toy(dcg=ln)", "Toy: dcg must be one of 'log2', 'exp-log2', not 'ln'"),
        ("Toy(judged_only=1)", "Toy: judged_only must be True or False, not 1"),
        ("Toy(gains=3)", "Toy: gains must be a gain for each grade such as {1: 3, 2: 9}, not 3"),
        ("Toy(gains={1: 1e400})", "inf is too large; numbers end at 1e+100"),
        ("Toy(gains={1: -1e101})", "-1e+101 is too large; numbers end at 1e+100"),
        (f"Toy(gains={{1: -{'9' * 400}}})", "-inf is too large; numbers end at 1e+100"),
        (f"Toy(p={'9' * 400})", f"Toy: p must be a number above 0 and below 1, not {'9' * 197}..."),
        ("Toy(gains={[]:1})", "Toy: gains must be a gain for each grade such as {1: 3, 2: 9}, not '{[]:1}'"),
        ("Toy(gains={1:[]})", "Toy: gains must be a gain for each grade such as {1: 3, 2: 9}, not {1: []}"),
        ("Toy(gains={{1}:{2}})", "Toy: gains must be a gain for each grade such as {1: 3, 2: 9}, not '{{1}:{2}}'"),
        ("Toy(gains=[[1]])", "Toy: gains must be a gain for each grade such as {1: 3, 2: 9}, not [[1]]"),
        ("Toy({[]:1})", "cannot read '{[]:1}' in 'Toy({[]:1})'; parameters look like rel=2"),
        ("Toy(p=1j)", "Toy: p must be a number above 0 and below 1, not 1j"),
        ("Toy(p=b'x')", "Toy: p must be a number above 0 and below 1, not b'x'"),
        (f"Toy@{'9' * 4300}", f"{'9' * 197}... is too large; numbers end at 1,000,000,000,000,000"),
        (f"Toy@{'9' * 4301}", f"Toy: cutoff must be a whole number of at least 1, not '{'9' * 196}..."),
        (f"Toy@0x{'f' * 4300}", f"Toy: cutoff must be a whole number of at least 1, not '0x{'f' * 194}..."),
        (f"Toy({'x' * 1000}=1,{'x' * 1000}=2)", f"{'x' * 197}... is given twice in 'Toy({'x' * 192}..."),
        ("z" * 1000, f"unknown toy '{'z' * 196}... (`toys` lists them)"),
        (f"Toy({'[' * 1000}", f"cannot read 'Toy({'[' * 192}...; it should look like nDCG@10 or RBP(p=0.9)@20"),
        (f"Toy(p={'[' * 5000}{']' * 5000})", f"Toy: p must be a number above 0 and below 1, not '{'[' * 196}..."),
        (f"Toy(p={'-' * 5000}1)", f"Toy: p must be a number above 0 and below 1, not '{'-' * 196}..."),
        (f"Toy{' ' * 100_000}!", f"cannot read 'Toy{' ' * 193}...; it should look like nDCG@10 or RBP(p=0.9)@20"),
        (f"Toy(gains={{-{10**16}: 1}})", f"-{10**16} is too large; numbers end at 1,000,000,000,000,000"),
        ("Strict(level=-1)@3", "Strict: level must be a number at least 0, not -1"),
        ("Strict", "Strict needs cutoff (ranks read), as in Strict@10"),
        ("Bare@3", "Bare takes no '@'"),
        ("Toy(cutoff=3)@4", "cutoff is given twice in 'Toy(cutoff=3)@4'"),
        ("Toy(rel=2,rel=3)", "rel is given twice in 'Toy(rel=2,rel=3)'"),
        ("Toy(rel)", "cannot read 'rel' in 'Toy(rel)'; parameters look like rel=2"),
        ("Toy(((", "cannot read 'Toy((('; it should look like nDCG@10 or RBP(p=0.9)@20"),
        ("", "cannot read ''; it should look like nDCG@10 or RBP(p=0.9)@20"),
    ],
)
def test_explains_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SpecError) as raised:
        registry.parse(text)
    assert str(raised.value) == message


def test_numpy_numbers_are_numbers() -> None:
    assert Toy(cutoff=np.int64(10), p=np.float32(0.5)) == Toy(cutoff=10, p=0.5)
    assert type(Toy(cutoff=np.int64(10)).cutoff) is int


@pytest.mark.parametrize(
    ("kind", "several", "one"),
    [("strategy", "strategies", "a strategy"), ("interval method", "interval methods", "an interval method")],
)
def test_what_a_kind_is_called(kind: str, several: str, one: str) -> None:
    registry: Registry[Toy] = Registry(kind)
    assert repr(registry) == f"0 {several}: "
    with pytest.raises(SpecError, match=f"^{one} is given by its name, or as an object, not as 3$"):
        registry.choose(3)


def test_a_name_is_taken_only_once() -> None:
    class Toy2(Spec):
        name = "TOY"

    with pytest.raises(SpecError, match="two toys are called 'TOY'"):
        registry.add(Toy2)


def test_defining_a_class_again_replaces_it() -> None:
    """As when a cell of a notebook runs twice."""

    def define(*others: str) -> type[Spec]:
        class Again(Spec):
            name = "Again"
            aliases = others

        registry.add(Again)
        return Again

    first, second = define("Once"), define("Twice")
    assert first is not second
    assert registry["Again"] is registry["Twice"] is second
    assert "Once" not in registry
    registry.remove(second)
    assert "Again" not in registry


def test_a_name_that_cannot_be_typed_is_refused() -> None:
    class Spaced(Spec):
        name = "two words"

    with pytest.raises(SpecError) as raised:
        registry.add(Spaced)
    assert str(raised.value) == "a toy cannot be called 'two words'; names look like nDCG or alpha_nDCG"


def test_a_class_whose_second_name_is_taken_gets_none() -> None:
    class Half(Spec):
        name = "Half"
        aliases = ("Toy",)

    with pytest.raises(SpecError, match="two toys are called 'Toy', in "):
        registry.add(Half)
    assert "Half" not in registry


def test_specifications_are_frozen_and_hashable() -> None:
    assert len({Toy(cutoff=1), Toy(cutoff=1), Toy(gains={1: 2})}) == 2
    with pytest.raises(AttributeError):
        Toy().p = 0.3  # type: ignore[misc]


specs = st.builds(
    Toy,
    p=st.floats(0, 1, exclude_min=True, exclude_max=True),
    rel=st.integers(1, 9),
    dcg=st.sampled_from(["log2", "exp-log2"]),
    judged_only=st.booleans(),
    gains=st.none() | st.dictionaries(st.integers(-2, 5), st.floats(-10, 10), min_size=1),
    cutoff=st.none() | st.integers(1, 10**6),
)


@given(specs)
def test_what_is_printed_can_be_read_back(spec: Toy) -> None:
    assert registry.parse(str(spec)) == spec


@given(st.text(max_size=40))
def test_any_text_is_read_or_explained(text: str) -> None:
    try:
        registry.parse(text)
    except SpecError as problem:
        assert str(problem)


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.lists(inner).map(lambda items: Written("{" + ",".join(map(repr, items)) + "}"))
        | st.lists(st.tuples(inner, inner)).map(
            lambda items: Written("{" + ",".join(f"{key!r}:{value!r}" for key, value in items) + "}")
        )
    ),
    max_leaves=8,
)


class Written(str):
    """Text that is a literal itself, such as a set of lists, of which Python makes no value."""

    __slots__ = ()
    __repr__ = str.__str__


@given(literals, st.sampled_from(["p", "rel", "dcg", "judged_only", "gains", "cutoff"]))
def test_any_literal_is_read_or_explained_in_one_line(literal: object, name: str) -> None:
    for text in (f"Toy({name}={literal!r})", f"Toy({literal!r})", f"Toy@{literal!r}"):
        try:
            assert registry.parse(str(registry.parse(text))) == registry.parse(text)
        except SpecError as problem:
            assert "\n" not in str(problem)
            assert len(str(problem)) < 600


def test_a_number_of_any_size_may_be_given_in_python() -> None:
    with pytest.raises(SpecError) as raised:
        Toy(cutoff=10**5000)
    assert str(raised.value) == (
        "a value of type int that is too long to show is too large; numbers end at 1,000,000,000,000,000"
    )


def test_specifications_within_specifications_end_somewhere() -> None:
    with pytest.raises(SpecError) as raised:
        measures.parse("NRG(base=" * 21 + "P@5" + ")" * 21)
    assert str(raised.value) == f"cannot read '{('NRG(base=' * 21)}P@5))))...; it is nested too deep"


def test_a_value_after_the_at_may_come_later() -> None:
    assert Strict(level=1.0) @ 3 == Strict(level=1.0, cutoff=3)
    with pytest.raises(SpecError, match=r"Strict needs cutoff \(ranks read\), as in Strict@10"):
        Strict(level=1.0).complete()


def test_a_parameter_stands_before_what_a_base_answers_for_want_of_it() -> None:
    class Answering(Spec):
        """Has no parameter, but an answer."""

        @property
        def cutoff(self) -> int | None:
            return None

    class Needing(Answering):
        """Must be given one."""

        name = "Needing"
        at = "cutoff"
        cutoff: int = param(..., Whole(1), "ranks read")

    class Offering(Answering):
        """May be given one."""

        name = "Offering"
        cutoff: int = param(5, Whole(1), "ranks read")

    assert Answering().cutoff is None
    assert (Needing @ 3).cutoff == 3
    assert str(Needing @ 3) == "Needing@3"
    with pytest.raises(SpecError, match=r"^Needing needs cutoff \(ranks read\), as in Needing@10$"):
        Needing().complete()
    assert (Offering().cutoff, Offering(cutoff=2).cutoff) == (5, 2)


def test_python_has_no_remarks_on_what_users_type() -> None:
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        assert split_spec(r"labels('a\d', b=1or2)") == ("labels", {"": r"a\d", "b": "1or2"}, None)
    assert not remarks


def test_what_is_no_specification_is_refused() -> None:
    assert registry.choose(Toy) == registry.choose("Toy") == registry.choose(Toy())
    with pytest.raises(SpecError, match=r"^a toy is given by its name, or as an object, not as 5$"):
        registry.choose(5)  # type: ignore[arg-type]


def test_never_runs_code() -> None:
    assert split_spec("Toy(p=__import__('os').getcwd())") == ("Toy", {"p": "__import__('os').getcwd()"}, None)
