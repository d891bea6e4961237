"""What the chart of strategies shows are the numbers of the result."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj

COLUMNS = ("strategy", "per_topic", "value")


def test_lines_are_the_rows_of_a_measure(judged_again: uj.Reuse) -> None:
    chart = uj.plots.strategies(judged_again, statistic="tau_b", measure="P@3")
    wanted = [row for row in judged_again.strategies() if row.measure == "P@3"]
    drawn = zip(*(chart.columns[name] for name in COLUMNS), strict=True)
    assert list(drawn) == [(row.strategy, row.per_topic, row.tau_b) for row in wanted]


def test_where_some_are_left_out_the_recommended_one_is_not(judged_again: uj.Reuse) -> None:
    chart = uj.plots.strategies(judged_again, top=1)
    assert set(chart.columns["strategy"]) == {row.strategy for row in judged_again.strategies()[:4] if row.recommended}
    assert chart.remarks


def test_it_is_drawn(judged_again: uj.Reuse, tmp_path: Path) -> None:
    uj.plots.strategies(judged_again).save(tmp_path / "strategies.svg")
    assert "share of the relevant documents" in (tmp_path / "strategies.svg").read_text()


def test_what_there_is_not_is_one_line(judged_again: uj.Reuse, reuse: uj.Reuse) -> None:
    with pytest.raises(uj.InputError, match=r"^no curve of 'tau'; there is recall, tau_b, tau_ap, rmse, bias, sig"):
        uj.plots.strategies(judged_again, statistic="tau")
    with pytest.raises(uj.InputError, match=r"^no row for AP; there is P@5, P@3$"):
        uj.plots.strategies(judged_again, measure="AP")
    with pytest.raises(uj.InputError) as caught:
        uj.plots.strategies(reuse)
    assert str(caught.value) == "no strategy was tried: name some, such as --strategy mtf --strategy evidence"
