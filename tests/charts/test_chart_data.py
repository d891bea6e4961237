"""What charts show are the numbers of the results; no pixels are needed to see that."""

from __future__ import annotations

import inspect
import math
from pathlib import Path

import numpy as np
import pytest
from chart_rows import rows

import unjudged as uj
from unjudged.demo.collection import Collection
from unjudged.reports.charts import all_charts, chart_names, default_name
from unjudged.reports.charts.naming import rest
from unjudged.results.diagnosis import Diagnosis
from unjudged.results.scores import mean_known

# ---- scores


def test_intervals_are_the_means_bounds_and_shares_of_the_scores(scores: uj.Scores) -> None:
    chart = uj.plots.scores(scores)
    assert len(rows(chart)) == len(scores.runs) * len(scores.holes)
    for row in scores.mean():
        if row.measure == "nDCG@10":
            (drawn,) = rows(chart, run=row.run, holes=row.holes)
            assert [drawn[name] for name in ("value", "low", "high", "judged")] == [
                row.value,
                row.low,
                row.high,
                row.judged,
            ]


def test_intervals_list_the_best_run_first_and_say_which_measure(scores: uj.Scores) -> None:
    chart = uj.plots.scores(scores)
    best = rows(chart, holes="bounds")
    assert [row["value"] for row in best] == sorted((row["value"] for row in best), reverse=True)
    assert "nDCG@10 is the first of 2 measures." in chart.remarks
    assert uj.plots.scores(scores, measure="P@10").title == "P@10 over 25 topics"


def test_narrower_ranges_are_thicker(scores: uj.Scores) -> None:
    chart = uj.plots.scores(scores)
    thickness = {row["holes"]: row["thickness"] for row in rows(chart)}
    assert thickness["condensed"] == 0
    assert thickness["bootstrap(draws=200)"] > thickness["bounds"] > 0


def test_what_is_left_out_is_summed_up(scores: uj.Scores) -> None:
    chart = uj.plots.scores(scores, top=5)
    means = np.sort(scores.means[0, 0])[::-1]
    assert len(set(chart.columns["run"])) == 5
    assert chart.remarks[0] == f"The best 5 of 12 runs; the other 7 have {means[-1]:.3f} to {means[5]:.3f}."
    assert uj.plots.scores(scores, top=11).remarks[0] == f"The best 11 of 12 runs; the other has {means[-1]:.3f}."


def test_unknown_measures_and_runs_are_errors(scores: uj.Scores) -> None:
    with pytest.raises(uj.InputError, match="no measure 'AP'; there is nDCG@10, P@10"):
        uj.plots.scores(scores, measure="AP")
    with pytest.raises(uj.InputError, match="no run 'nobody'; there is "):
        uj.plots.topics(scores, run="nobody")


# ---- topics


def test_bars_are_the_distribution_of_the_topic(scores: uj.Scores) -> None:
    run = "later-neural-large"
    chart = uj.plots.topics(scores, run=run, measure="nDCG@10")
    for topic in set(chart.columns["topic"]):
        distribution = scores.distribution(run, topic, measure="nDCG@10")
        bars = rows(chart, topic=topic, holes=None)
        assert sum(row["share"] for row in bars) == pytest.approx(1)  # type: ignore[misc]
        assert max(row["height"] for row in bars) == 1  # type: ignore[type-var]
        for bar in bars:
            inside = (distribution.values >= bar["from"]) & (distribution.values < bar["to"])  # type: ignore[operator]
            weights = (
                np.full(len(distribution), 1 / len(distribution))
                if distribution.weights is None
                else distribution.weights
            )
            if bar["to"] < distribution.values.max():  # type: ignore[operator]
                assert bar["share"] == pytest.approx(weights[inside].sum())


def test_points_are_what_the_hole_models_say_about_the_topic(scores: uj.Scores) -> None:
    run = "later-neural-large"
    chart = uj.plots.topics(scores, run=run)
    for row in scores.per_topic():
        if (row.run, row.measure) == (run, "nDCG@10") and row.topic in chart.columns["topic"]:
            (drawn,) = rows(chart, topic=row.topic, holes=row.holes)
            assert drawn["value"] == row.value
            ends = (row.value, row.value) if row.low is None else (row.low, row.high)
            assert (drawn["from"], drawn["to"]) == ends


def test_the_least_certain_topics_of_the_least_judged_run_come_first(scores: uj.Scores) -> None:
    chart = uj.plots.topics(scores, top=4)
    run = scores.runs[int(np.argmin(mean_known(scores.judged[0, 0])))]
    assert f"of {run}:" in chart.title
    spread = [
        scores.distribution(run, topic, measure="nDCG@10").std() for topic in dict.fromkeys(chart.columns["topic"])
    ]
    assert len(spread) == 4
    assert spread == sorted(spread, reverse=True)
    assert chart.remarks[:2] == (
        "Of 12 runs, the one with the smallest share judged.",
        "The least certain 4 of 25 topics that are not certain.",
    )


def test_a_chart_of_topics_needs_a_distribution(scores: uj.Scores) -> None:
    qrels, runs = {"1": {"a": 1}}, {"mine": {"1": {"a": 1.0}}}
    with pytest.raises(uj.InputError, match="none of the hole models has a distribution; use holes='bootstrap'"):
        uj.plots.topics(uj.score(qrels, runs, "P@1"))
    with pytest.raises(uj.InputError, match="nothing to draw: every score of mine is known on every topic"):
        uj.plots.topics(uj.score(qrels, runs, "P@1", holes="bootstrap"))


# ---- comparisons


def test_boxes_are_quantiles_of_the_ranks(comparison: uj.Comparison) -> None:
    chart = uj.plots.ranks(comparison)
    for place, row in enumerate(comparison.rows()):
        drawn = rows(chart)[place]
        ranks = np.repeat(
            [one.rank for one in comparison.ranks() if one.run == row.run],
            [round(one.share * comparison.draws) for one in comparison.ranks() if one.run == row.run],
        )
        levels = np.quantile(ranks, [0.025, 0.25, 0.5, 0.75, 0.975], method="inverted_cdf")
        assert [drawn[name] for name in ("lowest", "lower", "median", "upper", "highest")] == levels.tolist()
        assert (drawn["run"], drawn["observed"]) == (row.run, row.rank)
        assert (drawn["lowest"], drawn["highest"]) == (row.rank_low, row.rank_high)


def test_the_matrix_has_every_pair_once_with_the_better_run_first(comparison: uj.Comparison) -> None:
    chart = uj.plots.pairs(comparison)
    assert len(rows(chart)) == len(comparison.pairs())
    mean = {row.run: row.mean for row in comparison.rows()}
    for drawn in rows(chart):
        pair = comparison.pair(str(drawn["better"]), str(drawn["worse"]))
        assert mean[str(drawn["better"])] >= mean[str(drawn["worse"])]
        assert drawn["difference"] == abs(pair.difference)
        assert drawn["significant"] == (pair.corrected_p < 0.05)
        assert drawn["verdict"] == pair.verdict or drawn["reversed"]


def test_what_is_likely_the_other_way_round_is_told_apart(comparison: uj.Comparison) -> None:
    reversed_ = [row for row in rows(uj.plots.pairs(comparison)) if row["reversed"]]
    assert reversed_, "the demo has pairs that the holes probably turn around"
    for drawn in reversed_:
        assert drawn["verdict"] == "likely the other way round"
        pair = comparison.pair(str(drawn["better"]), str(drawn["worse"]))
        probability = pair.p_greater if pair.run == drawn["better"] else 1 - (pair.p_greater or 0)
        assert probability is not None
        assert probability <= 0.05


def test_a_matrix_needs_all_pairs(against_baseline: uj.Comparison) -> None:
    with pytest.raises(
        uj.InputError, match="a matrix needs all pairs, not those with a baseline; draw the differences"
    ):
        uj.plots.pairs(against_baseline)


@pytest.mark.parametrize("which", ["comparison", "against_baseline"])
def test_differences_are_seen_from_one_run(which: str, request: pytest.FixtureRequest) -> None:
    comparison: uj.Comparison = request.getfixturevalue(which)
    reference = comparison.baseline or comparison.rows()[0].run
    chart = uj.plots.differences(comparison)
    mean = {row.run: row.mean for row in comparison.rows()}
    assert len(rows(chart)) == len(comparison.rows()) - 1
    for drawn in rows(chart):
        assert drawn["difference"] == pytest.approx(mean[str(drawn["run"])] - mean[reference])
        pair = comparison.pair(str(drawn["run"]), reference)
        probability = pair.p_greater if pair.run == drawn["run"] else 1 - (pair.p_greater or 0)
        turned = pair.verdict == "likely" and (drawn["difference"] > 0) != ((probability or 0) > 0.5)  # type: ignore[operator]
        assert drawn["verdict"] == ("likely the other way round" if turned else pair.verdict)
        for low, high in (("low", "high"), ("worst", "best")):
            assert drawn[low] <= drawn["difference"] + 1e-12  # type: ignore[operator]
            assert drawn["difference"] <= drawn[high] + 1e-12  # type: ignore[operator]


def test_the_budget_has_the_sources_that_are_known(comparison: uj.Comparison, against_baseline: uj.Comparison) -> None:
    chart = uj.plots.budget(comparison)
    assert set(chart.columns["source"]) == {"holes", "topics", "corpus", "together"}
    for row in comparison.budget():
        for source in ("holes", "topics", "corpus", "together"):
            (drawn,) = rows(chart, run=row.run, source=source)
            assert drawn["sd"] == getattr(row, source)
    assert set(uj.plots.budget(against_baseline).columns["source"]) == {"holes", "topics", "together"}


# ---- what runs add


def test_releases_have_scores_what_they_could_be_and_estimates(history: uj.History) -> None:
    columns = uj.plots.releases(history, measure="P@10").columns
    rows = {(row.release, row.holes): row for row in history.releases() if row.measure == "P@10"}
    assert columns["release"] == ["cedar-fused", "later-neural-base", "cedar-vector"]
    assert columns["score"] == [rows[name, "nonrelevant"].value for name in columns["release"]]
    assert columns["low"] == [None, rows["later-neural-base", "joint"].low, None]
    assert columns["likely"] == [None, rows["later-neural-base", "discounted"].value, None]
    assert columns["judged"][1] == pytest.approx(0.568)
    last = uj.plots.releases(history, top=1)
    assert (last.measure, last.columns["release"]) == ("nDCG@10", ["cedar-vector"])
    assert last.remarks[0] == "The last 1 of 3 releases."


def test_changes_have_a_bar_for_each_part(history: uj.History) -> None:
    columns = uj.plots.changes(history).columns
    rows = [row for row in history.changes() if (row.measure, row.holes) == ("nDCG@10", "nonrelevant")]
    for row in rows:
        own = [i for i, name in enumerate(columns["release"]) if name == row.release]
        parts = {columns["part"][i]: columns["by"][i] for i in own}
        assert parts == {name: by for name in ("ranker", "judgments") if (by := getattr(row, name))}
        assert sum(parts.values()) == pytest.approx(row.change)
        assert {columns["change"][i] for i in own} == {row.change}
        assert all(columns["end"][i] - columns["start"][i] == pytest.approx(columns["by"][i]) for i in own)
        highest, lowest = max(columns["end"][i] for i in own), min(columns["end"][i] for i in own)
        assert max(highest, 0) == pytest.approx(sum(by for by in parts.values() if by > 0))
        assert min(lowest, 0) == pytest.approx(sum(by for by in parts.values() if by < 0))
    assert columns["part"].count("judgments") == 1


def test_segments_have_a_line_for_each_run(scored_segments: uj.Scores) -> None:
    columns = uj.plots.segments(scored_segments, measure="P@10", holes="discounted").columns
    rows = {(r.segment, r.run): r for r in scored_segments.segments if (r.measure, r.holes) == ("P@10", "discounted")}
    assert len(columns["line"]) == len(rows) == 24
    for name in ("topics", "value", "low", "high", "judged"):
        wanted = [getattr(rows[one], name) for one in zip(columns["segment"], columns["run"], strict=True)]
        assert columns[name] == wanted
    assert columns["segment"] == ["odd"] * 12 + ["even"] * 12
    few = uj.plots.segments(scored_segments, top=6)
    assert (len(few.columns["line"]), few.remarks[0].partition(";")[0]) == (6, "The best 3 of 12 runs")


def test_differences_of_a_pair_stand_segment_by_segment(compared_segments: uj.Comparison) -> None:
    columns = uj.plots.segment_differences(compared_segments).columns
    pair, rows = compared_segments.pairs()[0], compared_segments.segment_pairs()
    assert columns["segment"] == ["all topics (25)", "odd (13)", "even (12)"]
    assert columns["difference"] == [pair.difference, *(row.difference for row in rows)]
    assert columns["p"] == [pair.corrected_p, *(row.corrected_p for row in rows)]


def test_what_has_no_segments_has_no_chart_of_them(scores: uj.Scores, comparison: uj.Comparison) -> None:
    with pytest.raises(uj.InputError, match="these scores have no segments to draw"):
        uj.plots.segments(scores)
    with pytest.raises(uj.InputError, match="this comparison has no segments to draw"):
        uj.plots.segment_differences(comparison)


def test_a_decision_has_every_measure_and_guarded_segment(gate: uj.Gate) -> None:
    columns = uj.plots.decision(gate).columns
    assert columns["row"] == ["nDCG@10", "P@10", *(f"{m}, {s}" for m in ("nDCG@10", "P@10") for s in ("odd", "even"))]
    assert columns["answer"] == [*(row.answer for row in gate.measures()), *["passes"] * 4]
    assert columns["low"] == [row.low for row in (*gate.measures(), *gate.segments())]
    assert columns["plain"] == [*(row.plain for row in gate.measures()), *[None] * 4]


def test_points_are_absolute_and_relative_scores(relative: uj.Relative) -> None:
    chart = uj.plots.relative(relative)
    assert len(rows(chart)) == 12
    for drawn in rows(chart):
        row = relative.run(str(drawn["run"]))
        assert (drawn["absolute"], drawn["nrg"], drawn["high"]) == (row.absolute, row.nrg, row.high)
        assert drawn["group"] == row.group
    assert chart.remarks[0] == f"Prior runs: {relative.priors}. {relative.reading()}"


@pytest.mark.parametrize(
    ("name", "title", "words"),
    [
        ("unique", "unique relevant documents per topic in the top 10",
         "Documents of grade 1 or higher that no prior run has. Prior runs: the best run by nDCG@10 of each other"
         " group."),
        ("rareness", "rareness-based precision at 10",
         "A relevant document counts 1, and 1 times the share of all runs that do not have it for the topic on top."),
        ("tasc", "TaSC of nDCG@10",
         "(1 - the highest score of a prior run) times the run's own, by topic. Prior runs: the best run by nDCG@10 of"
         " each other group."),
    ],
)  # fmt: skip
def test_points_are_scores_and_older_measures(relative: uj.Relative, name: str, title: str, words: str) -> None:
    chart = getattr(uj.plots, name)(relative)
    assert len(rows(chart)) == 12
    for drawn in rows(chart):
        row = relative.run(str(drawn["run"]))
        assert (drawn["absolute"], drawn[name], drawn["group"]) == (row.absolute, getattr(row, name), row.group)
    assert (chart.absolute, chart.relative) == ("nDCG@10", title)
    assert chart.remarks[:2] == (words, "Unjudged documents count as not relevant.")


@pytest.mark.filterwarnings("ignore:1 group has one run only")
def test_each_run_is_drawn_once_under_several_hole_models(demo: Collection, runs: Path) -> None:
    result = uj.relative(demo.qrels, runs, holes=["nonrelevant", "joint"], tasc="group", groups=demo.teams)
    assert len(rows(uj.plots.relative(result))) == len(rows(uj.plots.tasc(result))) == 12
    assert "the best run of the run's own group (released code)." in uj.plots.tasc(result).remarks[0]


def test_signs_are_types_where_these_are_known(demo: Collection, runs: Path) -> None:
    types = {run.stem: "late" if run.stem.startswith("later-") else "early" for run in demo.runs}
    chart = uj.plots.relative(uj.relative(demo.qrels, runs, groups=demo.teams, types=types))
    assert dict(zip(chart.columns["run"], chart.columns["group"], strict=True)) == types


def test_more_groups_than_signs_share_the_last() -> None:
    names = [f"run{i}" for i in range(40)]
    qrels = {"1": dict.fromkeys(names, 1)}
    runs = {name: {"1": {name: 1.0}} for name in names}
    groups = {name: f"group{min(i, 30)}" for i, name in enumerate(names)}
    chart = uj.plots.relative(uj.relative(qrels, runs, "P@1", groups=groups))
    assert len(set(chart.columns["group"])) == 14
    assert chart.columns["group"].count("other groups") == 18
    assert "The other 18 groups have one sign." in chart.remarks


# ---- reuse


def test_curves_are_those_of_the_result(reuse: uj.Reuse) -> None:
    chart = uj.plots.curves(reuse)
    wanted = [row for row in reuse.curves() if row.statistic == "tau_b"]
    assert len(rows(chart)) == len(wanted)
    for row in wanted:
        (drawn,) = rows(chart, degradation=row.degradation, method=row.holes)
        assert [drawn[name] for name in ("share", "judgments", "value", "low", "high")] == [
            row.share,
            row.judgments,
            row.value,
            row.low,
            row.high,
        ]
        assert drawn["drawn_at"] == pytest.approx(row.share, rel=0.1)


def test_other_statistics_have_curves_too(reuse: uj.Reuse) -> None:
    assert uj.plots.curves(reuse, statistic="rmse").columns["value"] != uj.plots.curves(reuse).columns["value"]
    with pytest.raises(uj.InputError, match="no curve of 'tau'; there is tau_b, tau_a, tau_ap, pearson, rmse, bias"):
        uj.plots.curves(reuse, statistic="tau")


def test_estimates_are_those_of_the_result_and_say_what_their_bars_are(demo: Collection, runs: Path) -> None:
    holes = ["bounds", "bootstrap(draws=20)"]
    result = uj.reuse(demo.truth, runs, degrade="DepthCut(2)", holes=holes, jobs=1)
    chart = uj.plots.estimates(result)
    of = ("run", "true_score", "estimate", "low", "high")
    assert sorted(zip(*(chart.columns[name] for name in of), strict=True)) == sorted(
        tuple(getattr(row, name) for name in of) for row in result.tables.runs
    )
    assert "Bars of bootstrap(draws=20) are what chance alone would do if the model were right." in chart.remarks


def test_estimates_have_a_row_for_each_degradation(demo: Collection, runs: Path) -> None:
    depths = [f"DepthCut({depth})" for depth in (1, 2, 3, 4, 5)]
    result = uj.reuse(demo.truth, runs, "P@5", degrade=depths, holes=["nonrelevant", "condensed"], jobs=1)
    chart = uj.plots.estimates(result)
    assert chart.title == "Estimated and true scores of 12 runs with fewer judgments"
    assert list(dict.fromkeys(chart.columns["degradation"])) == depths[:4]
    assert chart.remarks[-1] == "Other degradations: DepthCut(5)."
    for row in result.tables.runs:
        drawn = rows(chart, degradation=row.degradation, run=row.run, method=row.holes)
        assert [one["estimate"] for one in drawn] == [row.estimate] * (row.degradation != depths[4])
    alone = uj.plots.estimates(result, degradation=depths[4])
    assert alone.title == "Estimated and true scores of 12 runs with DepthCut(5)"
    assert set(alone.columns["degradation"]) == {depths[4]}
    with pytest.raises(uj.InputError) as caught:
        uj.plots.estimates(result, degradation="DepthCut(9)")
    expected = "no degradation 'DepthCut(9)'; there is DepthCut(1), DepthCut(2), DepthCut(3), DepthCut(4), DepthCut(5)"
    assert str(caught.value) == expected


def test_left_out_runs_are_those_of_the_result(reuse: uj.Reuse) -> None:
    chart = uj.plots.left_out(reuse)
    assert len(rows(chart)) == len(reuse.leaveout())
    for row in reuse.leaveout():
        (drawn,) = rows(chart, run=row.run, method=row.holes)
        assert (drawn["true_score"], drawn["estimate"], drawn["change"]) == (row.true_score, row.estimate, row.change)
        sign = (row.change > 0) - (row.change < 0)
        assert drawn["becomes"] == ["keeps its rank", "loses ranks", "gains ranks"][sign]


def test_without_curves_or_left_out_runs_there_is_one_clear_line() -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}}
    runs = {name: {"1": {name: 2.0, "c": 1.0}, "2": {"c": 2.0, name: 1.0}} for name in "ab"}
    left_out = uj.reuse(qrels, runs, "P@2", degrade="LeaveOutRun(1)", holes="nonrelevant", jobs=1)
    with pytest.raises(uj.InputError) as caught:
        uj.plots.curves(left_out)
    assert str(caught.value) == "there are no curves: take away several amounts, such as --degrade 'DepthCut(5,10,20)'"
    cut = uj.reuse(qrels, runs, "P@2", degrade="DepthCut(1)", holes="nonrelevant", jobs=1)
    with pytest.raises(uj.InputError) as caught:
        uj.plots.curves(cut)
    assert str(caught.value) == "there are no curves: take away several amounts, such as --degrade 'DepthCut(5,10,20)'"
    with pytest.raises(uj.InputError) as caught:
        uj.plots.left_out(cut)
    assert str(caught.value) == "no run was left out: use --degrade LeaveOutGroup or LeaveOutRun"


def test_a_degradation_that_was_tried_with_one_amount_has_no_curve(demo: Collection, runs: Path) -> None:
    """One point has no place on an axis of amounts; the runs after it do."""
    degrade = ["DepthCut(1,2)", "KeepFraction(50%)"]
    result = uj.reuse(demo.truth, runs, degrade=degrade, holes="nonrelevant", repeat=2, jobs=1)
    assert {row.family for row in result.curves()} == {"DepthCut", "KeepFraction"}
    assert result.families_with_curves() == ("DepthCut",)
    assert set(uj.plots.curves(result).columns["family"]) == {"DepthCut"}
    assert default_name("reuse", result) == "curves"
    once = uj.reuse(demo.truth, runs, degrade=degrade[1], holes="nonrelevant", repeat=2, jobs=1)
    assert default_name("reuse", once) == "estimates"


def test_a_single_family_of_curves_has_a_legend(demo: Collection, runs: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    result = uj.reuse(demo.truth, runs, degrade="DepthCut(1,2)", holes=["nonrelevant", "condensed"], jobs=1)
    uj.plots.curves(result).save(tmp_path / "curves.svg")
    assert "role-legend" in (tmp_path / "curves.svg").read_text()


# ---- holes


def test_the_map_is_the_share_of_topics_without_a_judgment_at_each_rank(demo, diagnosis: Diagnosis) -> None:  # type: ignore[no-untyped-def]
    chart = uj.plots.holes(diagnosis, ranks=10)
    judged = {line.split()[0] + " " + line.split()[2] for line in demo.qrels.read_text().splitlines()}
    (file,) = [one for one in demo.runs if one.stem == "later-neural-large"]
    ranking: dict[str, list[tuple[float, str]]] = {}
    for line in file.read_text().splitlines():
        topic, _, doc, _, score, _ = line.split()
        ranking.setdefault(topic, []).append((float(score), doc))
    for rank in range(1, 11):
        docs = [f"{topic} {sorted(scored, reverse=True)[rank - 1][1]}" for topic, scored in ranking.items()]
        (drawn,) = rows(chart, run="later-neural-large", rank=rank)
        assert drawn["unjudged"] == pytest.approx(sum(doc not in judged for doc in docs) / len(docs))
    assert chart.columns["run"][0].startswith("later-")


def test_a_map_of_nothing_is_an_error() -> None:
    with pytest.raises(uj.InputError, match="there is nothing to draw: no run has a judged topic"):
        uj.plots.holes(uj.doctor({"1": {"a": 1}}, {"mine": {"2": {"a": 1.0}}}))


# ---- all of them


def test_found_errors_are_those_of_the_result(audited: uj.Audit) -> None:
    columns = uj.plots.planted(audited).columns
    found = [share for kind, share in zip(columns["errors"], columns["found"], strict=True) if kind == "all wrong ones"]
    assert found == [row.found for row in audited.planted()]
    assert columns["checked"][:3] == [audited.planted()[0].checked] * 3


def test_every_chart_is_public_and_says_what_it_does() -> None:
    for one in all_charts():
        name = one.function.__name__
        assert getattr(uj.plots, name) is one.function
        assert getattr(uj, f"plot_{name}") is one.function, "as it was called before"
        assert name in dir(uj.plots)
        assert inspect.getdoc(one.function)
        assert one.words


def test_the_names_that_help_lists_are_those_of_the_declared_charts() -> None:
    for command in {one.command for one in all_charts()}:
        assert chart_names(command) == [one.name for one in all_charts() if one.command == command]


@pytest.mark.parametrize("name", ["pie", "_scores"])
def test_what_is_no_chart_is_no_attribute(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^module 'unjudged.plots' has no attribute '{name}'$"):
        getattr(uj.plots, name)


def test_what_is_left_out_may_be_undefined() -> None:
    assert rest("best", 2, 4, [0.25, math.nan]) == ("The best 2 of 4 runs; the other 2 have 0.250.",)
    assert rest("best", 2, 4, [math.nan, math.nan]) == ("The best 2 of 4 runs.",)
