"""The page of a report, without a browser: its data is what the studies say, and nothing in it can be executed."""

from __future__ import annotations

import base64
import hashlib
import html
import importlib
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged as uj
from unjudged.errors import InputError
from unjudged.reports.page import Page, _json
from unjudged.results.comparison import SIGNIFICANT
from unjudged.studies.overview import Skipped
from unjudged.wording import visible

from .conftest import HOLES, MEASURES, Elements

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUNS = {
    "old": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "a": 1.0}},
    "new": {"1": {"c": 3.0, "x": 2.0, "a": 1.0}, "2": {"y": 2.0, "d": 1.0}},
}
NASTY = "</script><script>hacked=1</script><img src=x onerror=hacked=1>'\"`&amp;\\{{data}}"


def small(**how: object) -> Page:
    return uj.report(QRELS, RUNS, "P@2", **{"holes": ["nonrelevant", "joint"], "jobs": 1, **how})  # type: ignore[arg-type]


# ---- the data is what the studies say


def close(shown: list[float | None], true: np.ndarray) -> bool:
    return np.allclose(np.array(shown, dtype=float), np.ravel(true), rtol=1e-7, atol=0, equal_nan=True)


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_scores_are_those_of_score(demo: Path, demo_report: Page) -> None:
    scores = uj.score(demo / "qrels.txt", demo / "runs", MEASURES, holes=HOLES, groups=demo / "teams.tsv")
    data = Elements(demo_report.html).data()
    assert tuple(data["runs"]) == scores.runs
    assert [one["name"] for one in data["measures"]] == MEASURES
    assert [one["name"] for one in data["holes"]] == HOLES
    assert data["groups"][data["runs"].index("later-neural-base")] == "later"
    for h in range(len(HOLES)):
        for m in range(len(MEASURES)):
            assert close(data["scores"]["value"][h][m], scores.means[h, m])
            assert close(data["scores"]["topics"]["value"][h][m], scores.values[h, m])
            for name, means, topics in (("low", scores.mean_low, scores.low), ("high", scores.mean_high, scores.high)):
                if h < 2:
                    assert data["scores"][name][h][m] is data["scores"]["topics"][name][h][m] is None
                else:
                    assert close(data["scores"][name][h][m], means[h, m])
                    assert close(data["scores"]["topics"][name][h][m], topics[h, m])
    assert close(data["scores"]["topics"]["judged"][1], scores.judged[0, 1])


@pytest.mark.filterwarnings("ignore::unjudged.errors.UnjudgedWarning")
def test_order_added_and_reuse_are_those_of_their_studies(demo: Path, demo_report: Page) -> None:
    data = Elements(demo_report.html).data()
    runs, qrels, groups = demo / "runs", demo / "qrels.txt", demo / "teams.tsv"
    for measure, order in zip(MEASURES, data["order"], strict=True):
        pairs = uj.compare(qrels, runs, measure, groups=groups).pairs()
        assert [data["runs"][run] for run in order["pairs"]["run"]] == [row.run for row in pairs]
        for name in ("difference", "corrected_p", "worst", "best", "p_greater"):
            assert close(order["pairs"][name], np.array([getattr(row, name) for row in pairs], dtype=float))
        assert order["pairs"]["verdict"] == [row.verdict for row in pairs]
    assert data["significant"] == SIGNIFICANT
    added = uj.relative(qrels, runs, "nDCG@10", groups=groups).rows()
    assert close(data["added"][0]["rows"]["nrg"], np.array([row.nrg for row in added]))
    reused = uj.reuse(qrels, runs, "nDCG@10", groups=groups, holes=[HOLES[0], HOLES[1], HOLES[3]])
    assert data["reuse"]["lead"] == reused.verdict
    assert reused.verdict.startswith("This collection can, with care, judge new systems: ")
    assert reused.verdict.endswith(
        " But that says little of runs with as many holes as 3 of these 12, whose true scores nobody knows: of what is"
        " read of them, 56% (later-neural-small), 43% (later-neural-base), 36% (later-neural-large) was never judged;"
        " half of the left-out runs lost 28% at most."
    )
    assert [row["holes"] for row in data["reuse"]["methods"]] == [row.holes for row in reused.methods()]
    assert close(data["reuse"]["leaveout"]["estimate"], np.array([row.estimate for row in reused.leaveout()]))


def test_rankings_are_those_of_the_runs_with_the_grades_of_the_judgments(demo: Path, demo_report: Page) -> None:
    data = Elements(demo_report.html).data()
    grades: dict[tuple[str, str], int] = {}
    for line in (demo / "qrels.txt").read_text().splitlines():
        topic, _, doc, grade = line.split()
        grades[topic, doc] = int(grade)
    texts = {one["doc_id"]: one["text"] for one in map(json.loads, (demo / "docs.jsonl").read_text().splitlines())}
    for run in uj.read_runs(demo / "runs"):
        for t, topic in enumerate(data["topics"]):
            shown = data["rankings"]["topics"][t]
            codes = shown["runs"][data["runs"].index(run.name)]
            assert [shown["docs"][code] for code in codes] == [doc for doc, _ in run.ranking(topic)[:20]]
            assert len(set(shown["docs"])) == len(shown["docs"])
            for code in codes:
                doc = shown["docs"][code]
                assert shown["grades"][code] == grades.get((topic, doc))
                assert texts[doc].startswith(shown["texts"][code].removesuffix("…")[:40])
                assert len(shown["texts"][code]) <= 300
    assert data["titles"][0] == (demo / "topics.tsv").read_text().splitlines()[1].split("\t")[1]


def test_segments_have_a_section_where_they_are_given() -> None:
    kinds = {topic: NASTY if i % 2 else "even" for i, topic in enumerate(QRELS)}
    page = small(segments=kinds, reuse=False)
    comparison = page.overview.comparisons[0]
    assert isinstance(comparison, uj.Comparison)
    (data, *_) = Elements(page.html).data()["segments"]
    assert page.sentences["segments"] == data["lead"]
    assert data["lead"].startswith(f"First by {comparison.measure}: ")
    assert sorted(data["names"]) == sorted(visible(one) for one in set(kinds.values()))
    runs = Elements(page.html).data()["runs"]
    columns = (data["rows"][name] for name in ("segment", "run", "mean"))
    shown = [(data["names"][segment], runs[run], mean) for segment, run, mean in zip(*columns, strict=True)]
    assert shown == [(visible(row.segment), visible(row.run), pytest.approx(row.mean)) for row in comparison.segments()]
    best = comparison.rows()[0].run
    assert len(data["pairs"]["run"]) == sum(best in (row.run, row.other) for row in comparison.segment_pairs())
    assert '<section id="segments"' in page.html
    without = small(reuse=False)
    assert "segments" not in without.sentences and 'id="segments"' not in without.html


def test_labels_have_a_section_where_they_are_given() -> None:
    labels = {topic: {**grades, "new": 0} for topic, grades in QRELS.items()}
    page = small(labels={NASTY: labels}, reuse=False)
    result = uj.judges(QRELS, RUNS, {NASTY: labels}, "P@2")
    data = Elements(page.html).data()["labels"]
    assert page.sentences["labels"] == data["lead"] == visible(result.summary())
    assert data["rule"] == result.rule
    assert data["judges"][0]["kappa"] == result.judges()[0].kappa == 1
    assert data["judges"][0]["tau_b"] == result.orders()[0].tau_b
    assert [row["pairs"] for row in data["confusion"]] == [row.pairs for row in result.confusion()]
    assert '<section id="labels"' in page.html
    assert NASTY not in page.html
    without = small(reuse=False)
    assert "labels" not in without.sentences
    assert 'id="labels"' not in without.html


def test_labels_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    missing = tmp_path / "gpt-4.qrels"
    with pytest.raises(InputError) as problem:
        small(labels=str(missing), reuse=False)
    assert str(problem.value) == f"{missing}: no such file"


def test_labels_that_cannot_be_compared_are_a_reason() -> None:
    page = small(labels={"model": {"1": {"other": 1}}}, reuse=False)
    assert page.sentences["labels"] == (
        "Labels were not compared: model: nothing that people judged has one of its labels, so nothing can be said"
        " about it; let it label judged documents, too."
    )


def test_documents_that_were_pooled_but_not_judged_are_told_apart() -> None:
    how = {"holes": "nonrelevant", "negative": "pooled"}
    page = uj.report({"1": {"a": 1, "p": -1}}, {"x": {"1": {"a": 3, "p": 2, "u": 1}}}, "P@2", **how)
    topic = Elements(page.html).data()["rankings"]["topics"][0]
    assert topic == {"docs": ["a", "p", "u"], "grades": [1, None, None], "runs": [[0, 1, 2]], "pooled": [1]}


# ---- other corpora

IMAGES = uj.CorpusBootstrap(images=20, corpus_size=1500)


@pytest.fixture(scope="session")
def corpus_report(demo: Path) -> Page:
    measures = ["nDCG@10", "P@10", "GMAP"]
    return uj.report(demo / "qrels.txt", demo / "runs", measures, holes="nonrelevant", reuse=False, corpus=IMAGES)


def test_other_corpora_are_those_of_properties(demo: Path, corpus_report: Page) -> None:
    result = uj.properties(demo / "qrels.txt", demo / "runs", ["nDCG@10", "P@10"], corpus=IMAGES)
    page = Elements(corpus_report.html).data()
    data = page["corpus"]
    assert data["lead"] == corpus_report.sentences["corpus"] == result.summary()
    assert (data["images"], data["corpus_size"], data["test"], data["correction"]) == (20, 1500, "t", "holm")
    assert [row["measure"] for row in data["precision"]] == list(data["runs"]) == ["nDCG@10", "P@10"]
    for row, true in zip(data["precision"], result.precision(), strict=True):
        assert close([row["difference_sd"], row["mean_sd"]], np.array([true.difference_sd, true.mean_sd]))
    assert [(row["rule"], row["apart"], row["both"]) for row in data["tests"]] == [
        (row.rule, row.apart, row.both) for row in result.tests()
    ]
    for measure, columns in data["runs"].items():
        rows = [row for row in result.runs() if row.measure == measure]
        assert [page["runs"][run] for run in columns["run"]] == [row.run for row in rows]
        for name in ("mean", "low", "high", "score_sd", "rank", "best", "lower", "upper", "worst"):
            assert close(columns[name], np.array([getattr(row, name) for row in rows], dtype=float))


def test_without_other_corpora_the_page_knows_nothing_of_them(demo_report: Page, corpus_report: Page) -> None:
    assert demo_report.overview.corpus is None
    assert "corpus" not in demo_report.sentences
    assert "corpus" not in Elements(demo_report.html).data()
    for word in ('id="corpus"', "function showCorpus", 'href="#corpus"'):
        assert word not in demo_report.html
        assert word in corpus_report.html


def test_measures_that_images_cannot_have_are_left_out_of_that_section_only(demo: Path, corpus_report: Page) -> None:
    assert corpus_report.overview.corpus.measures == ("nDCG@10", "P@10")  # type: ignore[union-attr]
    assert corpus_report.overview.scores.measures == ("nDCG@10", "P@10", "GMAP")
    page = uj.report(demo / "qrels.txt", demo / "runs", "GMAP", holes="nonrelevant", reuse=False, corpus=IMAGES)
    assert page.sentences["corpus"] == (
        "Other corpora were not tried: GMAP is not a mean over topics; use a measure that is, such as nDCG@10."
    )
    one = uj.report(QRELS, {"old": RUNS["old"]}, "P@2", corpus=IMAGES)
    assert one.sentences["corpus"] == (
        "Other corpora were not tried: properties compares runs, so it needs at least two, not 1."
    )


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        (uj.CorpusBootstrap(images=2), "properties needs at least 3 images of the corpus, not 2"),
        (
            uj.CorpusBootstrap(images=3, corpus_size=4),
            "a corpus of 4 documents cannot hold the 6 distinct documents in the runs and judgments; give its true"
            " size",
        ),
    ],
)
def test_a_corpus_that_cannot_be_is_an_error_and_no_reason(corpus: uj.CorpusBootstrap, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        small(corpus=corpus)


# ---- sentences


def test_hole_models_have_short_names_and_what_they_are_in_full() -> None:
    models = ["nonrelevant", "bootstrap(draws=9)", "discounted(draws=9)"]
    made = small(holes=models)
    data = Elements(made.html).data()
    assert [(one["name"], one["spec"]) for one in data["holes"]] == [
        ("nonrelevant", "nonrelevant"),
        ("bootstrap", "bootstrap(draws=9)"),
        ("discounted", "discounted(draws=9)"),
    ]
    assert {one["holes"] for one in data["reuse"]["methods"]} == {"nonrelevant", "bootstrap", "discounted"}
    assert "(draws=" not in made.sentences["scores"]


def test_every_section_begins_with_its_answer() -> None:
    page = small(groups={"old": "us", "new": "them"})
    assert page.sentences == {
        "files": "2 runs and 5 judged documents for 2 topics were read. 1 warning. Nothing is broken; read the warnings"
        " before you trust the numbers.",
        "scores": "old has the highest P@2, 0.5000 (nonrelevant). Of the documents that P@2 looks at, 75.0% are judged;"
        " new has the fewest, 50.0%. The widest range is that of new: 0.5000 to 1.0000 (joint).",
        "order": "old is first by P@2; with other topics and other grades in the holes it would have rank 1 to 2 in 95%"
        " of cases. 0 of 1 differences are significant (randomisation, holm). 0 of 1 pairs are certain, 1 likely, 0"
        " undetermined: judging the holes is unlikely to change the order.",
        "added": "old adds most, 0.2500; by P@2 it is number 1 of 2.",
        "reuse": "Little is known about new systems, because only 1 left-out run had holes to try methods on, and it"
        " takes 5: a new group's run with holes loses no rank of 2 in 95% of cases, and tau-b with the truth is 1.000"
        " (P@2, nonrelevant; tried on 1 run).",
    }
    assert all(
        f">{html.escape(sentence)}</dd>" in page.html for sentence in page.sentences.values()
    )  # also without JavaScript


def test_where_all_is_judged_scores_are_certain() -> None:
    page = uj.report({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 2.0}}}, "P@1")
    assert page.sentences["scores"] == (
        "x has the highest P@1, 1.0000. Everything that it looks at is judged, so no score can change."
    )


def test_a_single_run_is_not_called_the_best() -> None:
    page = uj.report(QRELS, {"old": RUNS["old"]}, "P@1", holes=["nonrelevant", "condensed"])
    assert page.sentences["scores"] == (
        "old has a P@1 of 1.0000. Everything that it looks at is judged, so no score can change."
    )


# ---- what cannot be asked is left out, and says why


def test_one_run_cannot_be_compared() -> None:
    page = uj.report(QRELS, {"old": RUNS["old"]}, "P@2")
    assert page.sentences["order"] == "Runs were not compared: a comparison needs at least two runs, not 1."
    assert page.sentences["reuse"] == (
        "Reuse was not tried: reuse compares orders of runs, so it needs at least two, not 1."
    )


def test_reuse_is_tried_only_where_it_is_wanted() -> None:
    assert small(reuse=False).sentences["reuse"] == "Reuse was not tried: it was not asked for."


def test_a_measure_that_a_study_cannot_use_leaves_out_that_study_only(demo_report: Page) -> None:
    comparisons, added = demo_report.overview.comparisons, demo_report.overview.added
    assert not any(isinstance(one, Skipped) for one in comparisons)
    assert [isinstance(one, Skipped) for one in added] == [False, False, True]
    lead = Elements(demo_report.html).data()["added"][2]["lead"]
    assert lead.startswith("What runs add was not asked: NRG: AP@20 does not say how likely somebody is to look")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"groups": {"old": "us"}}, "groups: no group for 'new'; every run needs one"),
        ({"depth": 0}, "the number of documents to show must be a whole number of at least 1, not 0"),
        ({"topics": 7}, "cannot read topics from int; give a path or a dict of texts by topic"),
    ],
)
def test_what_is_wrong_is_said(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        small(**wrong)


@pytest.mark.parametrize(("measure", "bounds"), [("alpha_nDCG@10", "bounds"), ("ERR_IA@10", "joint")])
def test_hole_models_fit_the_measures_unless_they_are_given(demo: Path, measure: str, bounds: str) -> None:
    runs = [demo / "runs" / f"{name}.run" for name in ("later-neural-base", "elm-weak")]
    for groups in (None, demo / "teams.tsv"):  # subtopics have no evidence
        page = uj.report(demo / "diversity.qrels", runs, measure, groups=groups, reuse=False)
        assert page.overview.scores.holes == ("nonrelevant", "condensed", bounds, "bootstrap")
        (compared,) = page.overview.comparisons
        assert compared.prior == "pool+run"
    with pytest.raises(InputError, match="joint is not for alpha_nDCG@10"):
        uj.report(demo / "diversity.qrels", runs, "alpha_nDCG@10", holes="joint")


def test_grades_are_drawn_from_evidence_where_groups_are_given_and_nothing_else_is_asked_for(demo: Path) -> None:
    def models(**given: object) -> tuple[str, str]:
        page = uj.report(demo / "qrels.txt", demo / "runs", "nDCG@10", reuse=False, **given)
        return page.overview.scores.holes[-1], page.overview.comparisons[0].prior

    assert models() == ("discounted", "discounted")
    assert models(groups=demo / "teams.tsv") == (HOLES[-1], "evidence")
    assert models(groups=demo / "teams.tsv", holes="bootstrap") == ("bootstrap", "pool+run")


def test_what_can_be_read_only_once_is_refused() -> None:
    message = "-: a report reads its inputs more than once; save this to a file first"
    for qrels, runs in (("-", RUNS), (QRELS, "-")):
        with pytest.raises(InputError, match=f"^{message}$"):
            uj.report(qrels, runs)


@pytest.mark.parametrize(("runs", "test"), [(32, "randomisation"), (33, "tukey_hsd")])
def test_with_many_runs_the_test_is_one_that_can_find_differences(runs: int, test: str) -> None:
    many = {f"run{i}": {"1": {"a": 1.0}, "2": {"d" if i % 2 else "x": 1.0}} for i in range(runs)}
    page = uj.report(QRELS, many, "P@1", holes="nonrelevant", reuse=False)
    assert page.overview.comparisons[0].test == test  # type: ignore[union-attr]


# ---- nothing in the page can be executed, and nothing is fetched


def test_only_our_script_and_style_may_run(demo_report: Page) -> None:
    page = Elements(demo_report.html)
    policy = next(
        attrs["content"] for tag, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    kinds = {"script": "script-src", "style": "style-src"}
    for tag, attrs, text in page.inside:
        if attrs.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{kinds[tag]} 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none'; ")
    assert [tag for tag, _, _ in page.inside] == ["style", "script", "script"]
    for _, attrs in page.elements:
        assert not any(name.startswith("on") or name in {"src", "style", "srcset"} for name in attrs)
        assert str(attrs.get("href", "#")).startswith(("#", "data:,"))


def test_scripts_make_elements_from_text_only() -> None:
    for part in files("unjudged.reports.page").iterdir():
        if part.name.endswith(".js"):
            text = part.read_text()
            for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
                assert word not in text, part.name
            assert not re.search(r"https?://(?!www\.w3\.org/2000/svg')", text), part.name


@given(st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False, allow_infinity=False) | st.none()))
def test_data_cannot_leave_its_element(contents: dict[str, object]) -> None:
    text = _json(contents)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == contents


def test_names_from_files_are_shown_and_never_executed(tmp_path: Path) -> None:
    word = NASTY.replace(" ", "")
    hidden = "right\u202eto\u2066left"
    page = uj.report(
        {word: {word: 1, "b": 0}, "2": {hidden: 1}},
        {word: {word: {word: 2.0, "b": 1.0}, "2": {hidden: 1.0}}, hidden: {word: {"b": 1.0}, "2": {"b": 1.0}}},
        "P@2",
        groups={word: word, hidden: hidden},
        topics={word: NASTY},
        texts={word: NASTY, "b": "plain"},
        title=NASTY,
        holes="nonrelevant",
    )
    elements = Elements(page.html)
    data = elements.data()
    assert data["runs"] == [word, visible(hidden)]
    assert data["titles"][0] == NASTY
    assert data["rankings"]["topics"][0]["texts"] == [NASTY, "plain"]
    assert [tag for tag, _, _ in elements.inside] == ["style", "script", "script"]
    assert not any(tag == "img" for tag, _ in elements.elements)
    assert "\u202e" not in page.html
    assert "\u2066" not in page.html


# ---- a page is a file


def test_the_same_inputs_give_the_same_page(tmp_path: Path) -> None:
    first, second = small(), small()
    assert first.html == second.html
    first.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == first.html
    assert repr(first) == "Page of 0.1 MB: Overview of 2 runs over 2 topics with P@2"


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written: Is a directory$"):
        small().save(tmp_path)


def test_a_measure_may_be_undefined_under_one_of_the_hole_models() -> None:
    """Accuracy compares pairs of documents, of which condensed lists leave none here."""
    run = {"1": {"x": 2.0, "a": 1.0}}
    page = uj.report({"1": {"a": 1}}, {"one": run, "two": run}, "Accuracy", holes=["nonrelevant", "condensed"])
    assert page.sentences["scores"].startswith("one has the highest Accuracy, 0.0000 (nonrelevant). Of the documents")


def test_a_page_is_written_through_a_link(tmp_path: Path) -> None:
    """And to a pipe or /dev/null: a file in its place would be a surprise, as root a bad one."""
    (tmp_path / "link.html").symlink_to(tmp_path / "page.html")
    page = small()
    page.save(tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html


def test_the_function_is_not_hidden_by_the_package_of_the_same_name() -> None:
    assert importlib.import_module("unjudged.reports").__name__ == "unjudged.reports"
    assert callable(uj.report)
    assert importlib.import_module("unjudged.reports.escape").for_html("<") == "&lt;"
