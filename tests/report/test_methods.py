"""The paragraph that says how a result was made, and its references."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unjudged as uj
from unjudged.holes import hole_models
from unjudged.measures import measures
from unjudged.reports.citations import SOFTWARE, read_references
from unjudged.simulate.base import degradations
from unjudged.strategies import strategies
from unjudged.uncertainty import CorpusBootstrap
from unjudged.uncertainty.base import corrections, interval_methods, significance_tests
from unjudged.version import __version__

QRELS = {topic: {"a": 1, "b": 0, "c": 1} for topic in "12345678"}
RUNS = {name: {topic: {name: 2.0, "c": 1.0} for topic in QRELS} for name in "ab"}
WITHOUT_SOURCE = {"", "None.", "Derived in the documentation of this package."}
LINES = {
    cls.reference
    for registry in (measures, hole_models, significance_tests, corrections, interval_methods, degradations, strategies)
    for cls in registry
} | {CorpusBootstrap.reference}


@pytest.mark.parametrize("line", sorted(LINES - WITHOUT_SOURCE))
def test_every_source_that_a_class_names_can_be_cited(line: str) -> None:
    references = read_references(line)
    assert references
    for one in references:
        assert one.title
        assert one.authors
        assert one.venue
        assert one.year or "github.com" in one.venue
        assert one.bibtex().count("{") == one.bibtex().count("}")
        assert re.match(r"@\w+\{[a-z0-9]+,\n", one.bibtex())


def test_different_sources_have_different_keys() -> None:
    titles: dict[str, set[str]] = {}
    for line in LINES:
        for one in read_references(line):
            titles.setdefault(one.key, set()).add(one.title)
    # trec_eval's help text is part of trec_eval, and is cited as such.
    assert {key for key, several in titles.items() if len(several) > 1} == {"buckleytreceval"}


@pytest.mark.parametrize("line", sorted(WITHOUT_SOURCE))
def test_some_lines_name_no_source(line: str) -> None:
    assert read_references(line) == []


def test_a_line_is_taken_apart() -> None:
    (one,) = read_references(
        "C. Clarke, A. Vtyurina and M. Smucker. Assessing top-k preferences. ACM TOIS 39(3), 2021."
    )
    assert one.authors == ("C. Clarke", "A. Vtyurina", "M. Smucker")
    assert (one.title, one.venue, one.year) == ("Assessing top-k preferences", "ACM TOIS 39(3), 2021", "2021")
    assert (one.key, one.short) == ("clarke2021assessing", "Clarke et al., 2021")
    assert str(one) == "C. Clarke, A. Vtyurina and M. Smucker. Assessing top-k preferences. ACM TOIS 39(3), 2021."
    (many,) = read_references("P. Bajaj et al. MS MARCO: a dataset. 2016.")
    assert (many.short, str(many)) == ("Bajaj et al., 2016", "P. Bajaj et al. MS MARCO: a dataset. 2016.")
    assert "author = {P. Bajaj and others}," in many.bibtex()


def test_the_papers_of_this_package_have_full_entries() -> None:
    (one,) = read_references(hole_models["bootstrap"].reference)
    assert one.bibtex() == (
        "@inproceedings{frobe2023bootstrapped,\n"
        "  author = {Maik Fröbe and Lukas Gienapp and Martin Potthast and Matthias Hagen},\n"
        "  title = {{Bootstrapped nDCG Estimation in the Presence of Unjudged Documents}},\n"
        "  booktitle = {Advances in Information Retrieval (ECIR 2023)},\n"
        "  year = {2023},\n"
        "  series = {LNCS},\n"
        "  volume = {13980},\n"
        "  publisher = {Springer},\n"
        "  doi = {10.1007/978-3-031-28244-7_20},\n"
        "}"
    )
    for name, doi in (("NRG", "10.1145/3673791.3698410"), ("ABSRB", "10.1145/3121050.3121064")):
        assert doi in read_references(measures[name].reference)[0].bibtex()
    assert "10.1007/s10115-007-0101-7" in read_references(measures["indAP"].reference)[0].bibtex()
    assert "10.1145/3340531.3411998" in read_references(CorpusBootstrap.reference)[0].bibtex()


def test_the_software_is_cited_with_its_version() -> None:
    assert SOFTWARE.bibtex() == (
        "@misc{unjudged,\n"
        "  author = {{The unjudged developers}},\n"
        "  title = {{unjudged: evaluating retrieval systems when relevance judgments are incomplete}},\n"
        f"  howpublished = {{Software, version {__version__}}},\n"
        "}"
    )


def first_line(result: object) -> str:
    return uj.methods(result).to_text().splitlines()[0]  # type: ignore[arg-type]


def test_scores() -> None:
    scores = uj.score(QRELS, RUNS, ["nDCG@2", "P@1"], holes=["condensed", "bootstrap(draws=10)"], seed=7)
    assert first_line(scores) == (
        "Effectiveness is nDCG@2 (Järvelin and Kekäläinen, 2002) and P@1 (Rijsbergen, 1979) over 8 topics. Hole models,"
        " that is what is believed about unjudged documents: condensed (unjudged documents are dropped, those below"
        " move up) (Sakai, 2007) and bootstrap(draws=10) (draws of grades from the pool's and the run's own grades)"
        f" (Fröbe et al., 2023). Computed with unjudged {__version__} (The unjudged developers), seed 7."
    )


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("bootstrap(prior=run)", "draws of grades from the run's own grades"),
        (
            "bootstrap(prior=evidence)",
            "draws of grades from an ordinal model of documents that only one other group of runs contributed to the"
            " pool, which R and the ideal ranking follow",
        ),
    ],
)
def test_a_bootstrap_says_where_its_grades_are_from(model: str, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)  # two runs are too few to learn from
        scores = uj.score(QRELS, RUNS, "P@1", holes=model)
    assert f"({words})" in first_line(scores)


def test_a_comparison() -> None:
    comparison = uj.compare(
        QRELS,
        RUNS,
        "P@1",
        holes="bootstrap(draws=10)",
        test="wilcoxon",
        correction="none",
        baseline="a",
        interval_method="bca",
    )
    assert first_line(comparison) == (
        "2 runs are compared by P@1 (Rijsbergen, 1979) over 8 topics, each with a. p-values: Wilcoxon signed rank test"
        " (Wilcoxon, 1945), not corrected for the number of comparisons. 95% intervals over topics: percentiles of the"
        " topic bootstrap, corrected for bias and skew (Efron, 1987). Grades of unjudged documents are drawn 10 times,"
        " one grade for each document in all runs, from the average of the pool's grades and of those of the judged"
        " documents that the runs show. A difference is certain if no grades change its sign, likely if one run is"
        " better in at least 95% of the draws, and otherwise undetermined."
        f" Computed with unjudged {__version__} (The unjudged developers), seed 42."
    )
    usual = first_line(uj.compare(QRELS, RUNS, "P@1", draws=10, test="t"))
    assert (
        "one grade for each document in all runs, from the grades of the judged documents of the same run, less likely"
        " by a random shift in log odds, and the number of relevant documents and the ideal ranking follow them. A"
    ) in usual
    corpus = uj.CorpusBootstrap(images=10, corpus_size=50)
    text = first_line(uj.compare(QRELS, RUNS, "P@1", draws=10, test="t", corpus=corpus))
    assert "10 images of the corpus of 50 documents are drawn with replacement (Zobel and Rashidi, 2020)." in text
    assert "paired t test (Student, 1908), corrected for the number of comparisons by holm (Holm, 1979)." in text
    assert ", all with each other." in text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)  # two runs are too few to learn from
        text = first_line(uj.compare(QRELS, RUNS, "P@1", draws=10, prior="evidence"))
    assert (
        " from an ordinal model of documents that only one other group of runs contributed to the pool, and the number"
        " of relevant documents and the ideal ranking follow them. A difference"
    ) in text


def test_a_comparison_that_draws_no_grades_does_not_speak_of_them() -> None:
    text = first_line(uj.compare(QRELS, RUNS, "P(judged_only=True)@1", draws=10))
    assert "drawn" not in text
    assert "Computed with unjudged" in text


def test_what_runs_add() -> None:
    assert first_line(uj.relative(QRELS, RUNS, "P@1")) == (
        "What a run adds is NRG('P@1') (Bigdeli et al., 2024) over 8 topics, beside P@1 (Rijsbergen, 1979). Prior sets:"
        " every other run. NRG('P@1'): a cut-off of 1; prior runs read to rank 1. Hole model: joint (exact bounds over"
        " all grades, with R and the ideal ranking following them)."
        f" Computed with unjudged {__version__} (The unjudged developers), seed 42."
    )


def test_runs_that_are_chosen_and_fused() -> None:
    chosen = first_line(uj.relative(QRELS, RUNS, "P@1", choose=2, choose_by="gain-per-judgment", fuse="RRF"))
    assert (
        " 2 runs are chosen, each adding most to those before it, for each new judgment within the top 1, and fused by"
        " RRF (Cormack et al., 2009). Hole model: "
    ) in chosen
    chosen = first_line(uj.relative(QRELS, RUNS, "P@1", choose=1))
    assert " 1 run is chosen, each adding most to those before it. Hole model: " in chosen


def test_reuse() -> None:
    ways = ["LeaveOutRun(1)", "DepthCut(1) then KeepFraction(50%)"]
    result = uj.reuse(QRELS, RUNS, "P@2", degrade=ways, holes="nonrelevant", jobs=1, repeat=1)
    assert first_line(result) == (
        "Of 24 judgments on 8 topics, some are taken away by LeaveOutRun(1) (Buckley et al., 2007), DepthCut(1) (Yilmaz"
        " and Aslam, 2008) and KeepFraction(0.5) (Yilmaz and Aslam, 2008; Hui et al., 2017). Scores of 2 runs are"
        " estimated from what is left with P@2 (Rijsbergen, 1979), and compared with P@2 (Rijsbergen, 1979) under all"
        " judgments. Documents that were never judged are taken out of the runs first."
        " Hole model: nonrelevant (unjudged documents count as not relevant) (Buckley and Voorhees, 2005). Decisions"
        " about significance: paired t test (Student, 1908), corrected for the number of comparisons by holm (Holm,"
        f" 1979). Computed with unjudged {__version__} (The unjudged developers), seed 42."
    )


def test_properties() -> None:
    how = uj.CorpusBootstrap(images=10, corpus_size=50)
    assert first_line(uj.properties(QRELS, RUNS, ["P@1", "RR"], corpus=how, top=2, by="AP", shallow=[1, 2])) == (
        "10 images of the corpus of 50 documents are drawn with replacement (Zobel and Rashidi, 2020), and the best 2"
        " runs by AP over 8 topics are scored on them by P@1 (Rijsbergen, 1979) and RR (Kantor and Voorhees, 2000)."
        " Unjudged documents count as not relevant. Intervals are percentiles of images. p-values: paired t test"
        " (Student, 1908), corrected for the number of comparisons by holm (Holm, 1979). Shallow pools have the first 1"
        f" and 2 documents of two runs in each image. Computed with unjudged {__version__} (The unjudged developers),"
        " seed 42."
    )
    plain = first_line(uj.properties(QRELS, RUNS, "P@1", corpus=how, correction="none"))
    assert ", and 2 runs over 8 topics are scored on them by P@1 (Rijsbergen, 1979). Unjudged" in plain
    assert plain.endswith(
        "not corrected for the number of comparisons."
        f" Computed with unjudged {__version__} (The unjudged developers), seed 42."
    )


def test_each_source_is_listed_once_and_all_that_are_cited_are() -> None:
    paragraph = uj.methods(uj.reuse(QRELS, RUNS, "P@2", degrade="DepthCut(1,2)", holes="nonrelevant", jobs=1, repeat=1))
    keys = [one.key for one in paragraph.references]
    assert len(keys) == len(set(keys))
    cited = {key for group in re.findall(r"\\cite\{([^}]*)\}", paragraph.to_latex()) for key in group.split(",")}
    assert cited == set(keys) == set(re.findall(r"^@\w+\{(\w+),", paragraph.to_bibtex(), flags=re.MULTILINE))
    assert str(paragraph).count("\n* ") == len(keys)


@settings(max_examples=25)
@given(st.text(min_size=1, max_size=20).filter(lambda name: name.strip() and "\n" not in name))
def test_names_of_runs_are_escaped(name: str) -> None:
    comparison = uj.compare(QRELS, {name: RUNS["a"], "other run": RUNS["b"]}, "P@1", draws=2, test="t", baseline=name)
    text = uj.methods(comparison)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", text.to_text())
    unescaped = re.sub(r"\\[{}]", "", text.to_latex())
    assert unescaped.count("{") == unescaped.count("}")


@pytest.mark.parametrize(("ending", "start"), [("tex", "Effectiveness"), ("bib", "@"), ("md", "Eff"), ("TXT", "Eff")])
def test_files(ending: str, start: str, tmp_path: Path) -> None:
    uj.methods(uj.score(QRELS, RUNS, "P@1")).save(tmp_path / f"methods.{ending}")
    assert (tmp_path / f"methods.{ending}").read_text(encoding="utf-8").startswith(start)


def test_other_endings_and_other_results_are_errors(tmp_path: Path) -> None:
    paragraph = uj.methods(uj.score(QRELS, RUNS, "P@1"))
    with pytest.raises(uj.InputError) as caught:
        paragraph.save("methods.docx")
    assert str(caught.value) == "methods.docx: the name of a methods file ends in .tex, .bib, .md, .txt"
    with pytest.raises(uj.InputError, match="cannot be written: No such file or directory"):
        paragraph.save(tmp_path / "nowhere" / "methods.tex")
    with pytest.raises(uj.InputError, match="there is no description of how Diagnosis was made"):
        uj.methods(uj.doctor(QRELS, RUNS))  # type: ignore[arg-type]


def test_reuse_against_later_judgments() -> None:
    earlier = {topic: dict(list(docs.items())[:2]) for topic, docs in QRELS.items()}
    result = uj.reuse(earlier, RUNS, "P@2", truth_qrels=QRELS, holes="nonrelevant", jobs=1)
    text = str(uj.methods(result))
    assert text.startswith("Of 24 judgments on 8 topics, 66.7% are earlier ones. Scores of 2 runs are estimated from")
    assert "Documents that were never judged count as not relevant in the truth" in text
