"""Estimates from judgments as they were, against scores under later judgments: by ``uj.score`` on both."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from small_collection import GROUPS, TOPICS, collection

import unjudged as uj

LATER, RUNS = collection()
NAMES = list(RUNS)
HOLES = ["nonrelevant", "condensed", "bounds", "bootstrap(draws=60)"]
POOL = {
    (topic, doc)
    for name in ("b1", "c1")
    for topic, docs in RUNS[name].items()
    for doc in sorted(docs, key=lambda doc: -docs[doc])[:8]
}
EARLIER = {t: {doc: grade for doc, grade in docs.items() if (t, doc) in POOL} for t, docs in LATER.items()}
for _doc in list(EARLIER["3"])[:2]:
    EARLIER["3"][_doc] = 2 - LATER["3"][_doc]  # judged again, with another grade
CHANGED = sum(EARLIER["3"][doc] != LATER["3"][doc] for doc in EARLIER["3"])
LATER = {**LATER, "99": {"another": 1}}  # a topic that nobody asks about

pytestmark = pytest.mark.filterwarnings("ignore:.*have another grade in", "ignore:.*never judged")


@pytest.fixture(scope="module")
def result() -> uj.Reuse:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        return uj.reuse(EARLIER, RUNS, "nDCG@5", truth_qrels=LATER, bands=("25%", 0.5), holes=HOLES, jobs=1)


@pytest.fixture(scope="module")
def before() -> uj.Scores:
    return uj.score(EARLIER, RUNS, ["nDCG@5", "Unjudged@5"], holes=HOLES)


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return uj.score({t: LATER[t] for t in TOPICS}, RUNS, "nDCG@5").values[0, 0]


@pytest.mark.parametrize(("h", "holes"), list(enumerate(HOLES)))
def test_each_run(result: uj.Reuse, before: uj.Scores, truth: np.ndarray, h: int, holes: str) -> None:
    """The mean of the ends of single topics is there beside the ends of what the mean could be."""
    rows = {row.run: row for row in result.tables.runs if row.holes == holes}
    assert list(rows) == NAMES
    for r, name in enumerate(NAMES):
        row = rows[name]
        assert (row.degradation, row.left_out) == ("earlier judgments", None)
        assert (row.true_score, row.estimate) == pytest.approx((truth[r].mean(), before.means[h, 0, r]))
        if h < 2:
            assert (row.low, row.high, row.topics_low, row.topics_high) == (None,) * 4
        else:
            assert (row.low, row.high) == pytest.approx((before.mean_low[h, 0, r], before.mean_high[h, 0, r]))
            of_topics = before.low[h, 0, r].mean(), before.high[h, 0, r].mean()
            assert (row.topics_low, row.topics_high) == pytest.approx(of_topics)
    if "bootstrap" in holes:
        assert any(row.topics_high > row.high + 0.01 for row in rows.values())


@pytest.mark.parametrize(("h", "holes"), list(enumerate(HOLES)))
def test_bands_of_topics(result: uj.Reuse, before: uj.Scores, truth: np.ndarray, h: int, holes: str) -> None:
    unjudged = before.values[0, 1]
    bands = {"below 25%": (0, 0.25), "25% to 50%": (0.25, 0.5), "from 50%": (0.5, 2), "all": (0, 2)}
    by_band = {(row.band, row.run): row for row in result.tables.bands if row.holes == holes}
    expected = set()
    for band, (low, high) in bands.items():
        for r, name in enumerate(NAMES):
            topics = (unjudged[r] >= low - 1e-9) & (unjudged[r] < high - 1e-9)
            if not topics.any():
                continue
            expected.add((band, name))
            row = by_band[band, name]
            assert row.topics == topics.sum()
            columns = (unjudged[r], truth[r], before.values[h, 0, r])
            assert (row.unjudged, row.true_score, row.estimate) == pytest.approx(
                [one[topics].mean() for one in columns]
            )
            if h >= 2:
                ends = (before.low[h, 0, r][topics].mean(), before.high[h, 0, r][topics].mean())
                assert (row.low, row.high) == pytest.approx(ends)
    assert set(by_band) == expected
    assert {band for band, _ in expected} == set(bands)


def test_grades_of_what_was_there_and_of_what_was_added(result: uj.Reuse) -> None:
    grades = {False: [], True: []}
    for topic in TOPICS:
        for doc, grade in LATER[topic].items():
            grades[doc in EARLIER[topic]].append(grade)
    for row in result.tables.grades:
        assert (row.left, row.lost) == pytest.approx(
            [np.mean(np.array(grades[was]) == row.grade) for was in (True, False)]
        )
    assert [row.grade for row in result.tables.grades] == [0, 1, 2]


def test_what_it_says(result: uj.Reuse) -> None:
    best = result.methods()[0]
    assert best.tau_b is not None and best.tau_b < 0.9
    assert result.verdict == (
        f"Trust none of the methods that were tried: the tau-b of the best, nDCG@5, {best.holes}, with the scores under"
        f" later judgments is {best.tau_b:.3f}. But 6 runs are few to know it by: one pair the other way round changes"
        " tau-b by 0.13."
    )
    assert result.never_judged == "nonrelevant"
    assert not result.curves()
    with pytest.warns(
        uj.UnjudgedWarning, match=rf"^{CHANGED} of {len(POOL)} judgments have another grade in the truth"
    ):
        uj.reuse(EARLIER, RUNS, "nDCG@5", truth_qrels=LATER, holes="nonrelevant", jobs=1)


def test_methods_are_compared_topic_by_topic(result: uj.Reuse, before: uj.Scores, truth: np.ndarray) -> None:
    """Squared errors of runs with holes, paired by topic; all pairs of methods are corrected together (Holm)."""
    has_holes = before.values[0, 1] > 0
    topics = has_holes.any(axis=0)
    errors = [
        (np.where(has_holes, before.values[h, 0] - truth, 0) ** 2).sum(axis=0)[topics] / has_holes.sum(axis=0)[topics]
        for h in range(4)
    ]
    rows = [row for row in result.tables.differences if row.statistic == "error"]
    assert [(row.holes, row.other_holes) for row in rows] == [
        (a, b) for i, a in enumerate(HOLES) for b in HOLES[i + 1 :]
    ]
    raw = []
    for row in rows:
        one, other = (errors[HOLES.index(name)] for name in (row.holes, row.other_holes))
        assert (row.topics, row.difference) == (topics.sum(), pytest.approx((one - other).mean()))
        raw.append(1.0 if np.allclose(one, other) else ttest_rel(one, other).pvalue)
        assert row.p == pytest.approx(raw[-1])
    order = np.argsort(raw)
    holm = np.maximum.accumulate(np.sort(raw) * np.arange(len(raw), 0, -1)).clip(max=1)
    assert [rows[i].corrected_p for i in order] == pytest.approx(holm)
    assert {row.statistic for row in result.tables.differences} == {"error", "f1"}


def preferences(low: np.ndarray, high: np.ndarray, truth: np.ndarray, counted: np.ndarray) -> tuple[float, ...]:
    """Paper 1, Table 6: each counted run's range among the true scores of all others; a tie gives no preference."""
    rates = []
    for t in range(truth.shape[1]):
        right = emitted = true = 0
        for i in np.flatnonzero(counted[:, t]):
            for j in range(len(truth)):
                if i != j:
                    sign = int(low[i, t] > truth[j, t] + 1e-12) - int(high[i, t] < truth[j, t] - 1e-12)
                    real = int(truth[i, t] > truth[j, t] + 1e-12) - int(truth[i, t] < truth[j, t] - 1e-12)
                    right, emitted, true = right + (sign == real != 0), emitted + (sign != 0), true + (real != 0)
        if true:
            precision, recall = right / emitted if emitted else 0.0, right / true
            rates.append((precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0))
    return tuple(np.mean(rates, axis=0))


def test_ranges_of_the_papers_table_6(result: uj.Reuse, before: uj.Scores, truth: np.ndarray) -> None:
    counted, naive, condensed = before.values[0, 1] > 0, before.values[0, 0], before.values[1, 0]
    ends = {
        ("nonrelevant", "estimate"): (naive, naive),
        ("condensed", "from lowest"): (np.minimum(naive, condensed), np.maximum(naive, condensed)),
        ("bounds", "range"): (before.low[2, 0], before.high[2, 0]),
        (HOLES[3], "estimate"): (before.values[3, 0],) * 2,
        (HOLES[3], "range"): (before.low[3, 0], before.high[3, 0]),
        (HOLES[3], "from lowest"): (naive, before.high[3, 0]),
    }
    by_order = {(row.holes, row.of): row for row in result.tables.orders if row.ties == "neither"}
    assert ("condensed", "range") not in by_order
    for key, (low, high) in ends.items():
        row = by_order[key]
        assert (row.precision, row.recall, row.f1) == pytest.approx(preferences(low, high, truth, counted)), key
    points = [row for row in result.tables.orders if (row.of, row.ties) == ("estimate", "first")]
    assert all(row.precision == pytest.approx(row.recall) for row in points)


def test_more_can_be_taken_away_from_earlier_judgments() -> None:
    """A group is left out of what was judged before; the truth stays that of the later judgments."""
    result = uj.reuse(
        EARLIER,
        RUNS,
        "nDCG@5",
        truth_qrels=LATER,
        degrade="LeaveOutGroup(5)",
        groups=GROUPS,
        holes="nonrelevant",
        jobs=1,
    )
    rows = {row.run: row for row in result.leaveout()}
    assert {row.degradation for row in rows.values()} == {"earlier judgments then LeaveOutGroup(5)"}

    def first(names: list[str]) -> set[tuple[str, str]]:
        return {(t, d) for n in names for t in TOPICS for d in sorted(RUNS[n][t], key=lambda d: -RUNS[n][t][d])[:5]}

    mine = [name for name in NAMES if GROUPS[name] == "c"]
    gone = first(mine) - first([name for name in NAMES if name not in mine])
    left = {t: {d: g for d, g in docs.items() if (t, d) not in gone} for t, docs in EARLIER.items()}
    scores = uj.score(left, RUNS, "nDCG@5")
    for name in mine:
        assert rows[name].estimate == pytest.approx(scores.means[0, 0, NAMES.index(name)])


MISSING = {**LATER, "1": {doc: grade for doc, grade in LATER["1"].items() if doc not in list(EARLIER["1"])[:3]}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"truth_qrels": MISSING},
            f"the truth: lacks 3 of the {len(POOL)} judgments in the judgments, such as {next(iter(EARLIER['1']))!r}"
            " for topic '1'; the truth must have them all",
        ),
        (
            {"truth_qrels": {"another": {"d": 1}}},
            f"the truth: lacks {len(POOL)} of the {len(POOL)} judgments in the judgments, such as"
            f" {next(iter(EARLIER['1']))!r} for topic '1'; the truth must have them all",
        ),
        (
            {"truth_qrels": {t: dict(docs) for t, docs in EARLIER.items()}},
            "the truth: adds no judgment to those in the judgments; the truth must have more",
        ),
        (
            {"bands": (0.25, 0.5)},
            "bands divide topics by what later judgments added; give these with --truth-qrels FILE",
        ),
        ({"bands": (0.5, 0.25), "truth_qrels": LATER}, "bands must rise, such as 0.25 0.5, not 0.5 0.25"),
        (
            {"bands": (0.0, 0.25), "truth_qrels": LATER},
            "a band must be a share above 0 and at most 1, such as 0.1 or 10%, not 0.0",
        ),
        (
            {"bands": (25, 50), "truth_qrels": LATER},
            "a band must be a share above 0 and at most 1, such as 0.1 or 10%, not 25",
        ),
        ({"bands": ("50%", "25%"), "truth_qrels": LATER}, "bands must rise, such as 0.25 0.5, not 50% 25%"),
        (
            {"top_share": 0},
            "the share of the top runs must be a share above 0 and at most 1, such as 0.1 or 10%, not 0",
        ),
        ({"top_share": "10%"}, "reuse compares orders of runs, so it needs at least two, and one is left"),
        ({"without": "a1"}, "no group 'a1' to leave out; did you mean 'a'?"),
        ({"without": ["nobody"]}, "no group 'nobody' to leave out; there is a, b, c and 1 more"),
        (
            {"truth_qrels": LATER, "degrade": "DepthCut(3) then KeepFraction(50%)"},
            "earlier judgments then DepthCut(3) then KeepFraction(0.5): only two degradations go together",
        ),
    ],
)
def test_what_cannot_be_meant_is_one_line(options: dict, message: str) -> None:
    with pytest.raises(uj.UnjudgedError) as error:
        uj.reuse(EARLIER, RUNS, "nDCG@5", groups=GROUPS, holes="nonrelevant", **options)
    assert str(error.value) == message


def test_what_grades_below_0_were_taken_for_is_said_of_both_files(tmp_path: Path) -> None:
    files = tmp_path / "early.qrels", tmp_path / "late.qrels"
    for file, judgments in zip(files, (EARLIER, LATER), strict=True):
        lines = [f"{t} 0 {doc} {-2 if grade == 0 else grade}" for t in TOPICS for doc, grade in judgments[t].items()]
        file.write_text("\n".join(lines) + "\n")
    with pytest.warns(uj.UnjudgedWarning) as warned:
        uj.reuse(files[0], RUNS, "nDCG@5", truth_qrels=files[1], holes="nonrelevant", jobs=1)
    about = [str(one.message).partition(":")[0] for one in warned if "grades below 0" in str(one.message)]
    assert sorted(about) == sorted(map(str, files))


# ---- which runs are scored


def test_the_worst_runs_and_some_groups_are_not_scored_but_were_pooled() -> None:
    """Scores are what they are with all runs; only ranks, correlations and the like are about fewer."""
    ask = {"degrade": "LeaveOutGroup(5)", "groups": GROUPS, "holes": ["nonrelevant", "condensed"], "jobs": 1}
    judged = {t: LATER[t] for t in TOPICS}
    every = uj.reuse(judged, RUNS, "nDCG@5", **ask)
    true_scores = {row.run: row.true_score for row in every.leaveout()}
    best = sorted(true_scores, key=lambda run: -true_scores[run])[:4]
    for options, kept in (({"top_share": "60%"}, best), ({"without": "c"}, [n for n in NAMES if GROUPS[n] != "c"])):
        some = uj.reuse(judged, RUNS, "nDCG@5", **ask, **options)
        assert {row.run for row in some.tables.runs} == set(kept)
        for row in some.leaveout():
            (same,) = [one for one in every.leaveout() if (one.run, one.holes) == (row.run, row.holes)]
            assert (row.estimate, row.true_score, row.lost) == (same.estimate, same.true_score, same.lost)
            assert row.true_rank == 1 + sum(true_scores[other] > row.true_score for other in kept)
        assert some.runs == len(kept)


def test_a_measure_is_compared_with_several_truths() -> None:
    ask = {"degrade": ["DepthCut(2)", "LeaveOutRun(5)"], "holes": ["nonrelevant", "condensed"], "jobs": 1}
    judged = {t: LATER[t] for t in TOPICS}
    both = uj.reuse(judged, RUNS, ["P@5", "infAP"], truth=["AP", "nDCG@5"], **ask)
    for truth in ("AP", "nDCG@5"):
        alone = uj.reuse(judged, RUNS, ["P@5", "infAP"], truth=truth, **ask)
        for name in ("correlations", "runs", "coverage", "orders", "differences", "curves", "methods"):
            assert [row for row in both.table(name) if row.truth == truth] == list(alone.table(name))
        assert both.correlation("DepthCut(2)", "infAP", truth=truth) == alone.correlation("DepthCut(2)", "infAP")


PRINTED = {
    # U@10, nonrelevant, condensed, upper bound, later judgments
    ("ANCE", "25% to 50%"): (9, 0.356, 0.489, 0.683, 0.838, 0.650),
    ("ColBERT", "25% to 50%"): (6, 0.333, 0.485, 0.641, 0.770, 0.626),
    ("TAS-B", "25% to 50%"): (4, 0.325, 0.597, 0.875, 0.902, 0.597),
    ("ANCE", "from 50%"): (9, 0.656, 0.207, 0.547, 0.769, 0.357),
    ("ColBERT", "from 50%"): (7, 0.629, 0.337, 0.679, 0.881, 0.447),
    ("TAS-B", "from 50%"): (24, 0.738, 0.211, 0.584, 0.918, 0.330),
    ("ANCE", "all"): (50, 0.224, 0.652, 0.772, 0.853, 0.735),
    ("ColBERT", "all"): (50, 0.172, 0.680, 0.770, 0.826, 0.734),
    ("TAS-B", "all"): (50, 0.410, 0.481, 0.705, 0.871, 0.555),
    ("1st@TREC", "all"): (30, 0.000, 0.679, 0.679, 0.679, 0.679),
}


@pytest.mark.shared
def test_tables_3_and_7_of_paper_1(shared_data: Path) -> None:
    """All deterministic cells as printed, with grades below 0 as they are read unless somebody says otherwise."""
    folder = shared_data / "trec-covid"
    files = {"ANCE": "ance-09-01", "ColBERT": "colbert-ranking-26-12", "TAS-B": "tas-b-09-01", "1st@TREC": "BBGhelani2"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        result = uj.reuse(
            folder / "incomplete-beir-trec-covid.txt.gz",
            {name: next(folder.glob(f"{start}*")) for name, start in files.items()},
            truth_qrels=folder / "complete-annotation-trec-covid.txt.gz",
            bands=(0.25, 0.5),
            holes=["nonrelevant", "condensed", "bounds"],
            jobs=1,
        )
    rows = {(row.run, row.band, row.holes): row for row in result.tables.bands}
    for (run, band), (topics, unjudged, default, condensed, upper, truth) in PRINTED.items():
        mine = [rows[run, band, holes] for holes in ("nonrelevant", "condensed", "bounds")]
        assert mine[0].topics == topics
        cells = (mine[0].unjudged, mine[0].estimate, mine[1].estimate, mine[2].high, mine[0].true_score)
        assert cells == pytest.approx((unjudged, default, condensed, upper, truth), abs=0.0005 + 1e-9)
    shares = [(round(row.left, 2), round(row.lost, 2)) for row in result.tables.grades]
    assert shares == [(0.63, 0.75), (0.16, 0.02), (0.21, 0.23)]
