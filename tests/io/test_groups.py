"""Files that say who made a run, and when it came."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pandas as pd
import pytest

from unjudged.errors import InputError
from unjudged.io.groups import read_groups, read_order, read_types


@pytest.mark.parametrize(
    "text",
    [
        "bm25 base\nbert neural\n",
        "run\tteam\ttype\nbm25\tbase\tauto\nbert\tneural\tauto\n",
        "run,team\nbm25, base\nbert,neural\n",
        "# who made what\n\nbm25 base\r\nbert   neural   more words\n",
    ],
)
def test_groups_are_read_from_columns(tmp_path: Path, text: str) -> None:
    (tmp_path / "groups").write_text(text, newline="")
    assert read_groups(tmp_path / "groups") == {"bm25": "base", "bert": "neural"}


def test_a_run_may_be_called_run(tmp_path: Path) -> None:
    (tmp_path / "groups").write_text("run base\nbert neural\n")
    assert read_groups(tmp_path / "groups") == {"run": "base", "bert": "neural"}


@pytest.mark.parametrize(
    "text",
    [
        "bm25 automatic\nbert manual\n",
        "run type\nbm25 automatic\nbert manual\n",
        "run\tteam\ttask\ttype\tfields\nbm25\tbase\tadhoc\tautomatic\t100\nbert\tneural\tadhoc\tmanual\t110\n",
        "run,team,runtype,ndcg@10\nbm25,base,automatic,0.5\nbert,neural,manual,0.6\n",
    ],
)
def test_types_are_in_the_second_column_or_in_that_of_their_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "types").write_text(text)
    assert read_types(tmp_path / "types") == {"bm25": "automatic", "bert": "manual"}


def test_names_with_spaces_need_tabs(tmp_path: Path) -> None:
    (tmp_path / "groups").write_text("my run\tmy team\n")
    assert read_groups(tmp_path / "groups") == {"my run": "my team"}


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("bm25\nbert\nance\n", {"bm25": 0, "bert": 1, "ance": 2}),
        ("run date\nbert 2020-06-01\nbm25 1994-11-02\nance 2020-06-01\n", {"bert": 1, "bm25": 0, "ance": 1}),
    ],
)
def test_an_order_is_that_of_the_lines_or_of_dates(tmp_path: Path, text: str, order: dict[str, int]) -> None:
    (tmp_path / "order").write_text(text)
    assert read_order(str(tmp_path / "order")) == order


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_groups, "", "{}: the file is empty"),
        (read_groups, "bm25\n", "{}:1: expected 2 columns (run group), got 1: 'bm25'"),
        (read_groups, "bm25 a\nbm25 b\n", "{}:2: 'bm25' is listed twice"),
        (read_groups, "bm25\ta\nbert\t\tx\n", "{}:2: a column is empty: 'bert\\t\\tx'"),
        (read_types, "bm25\n", "{}:1: expected 2 columns (run type), got 1: 'bm25'"),
        (
            read_types,
            "run team type\nbm25 base\n",
            "{}:2: expected 3 columns, the last one for the type, got 2: 'bm25'",
        ),
        (read_types, "run,team,type,x\nbm25,base,,3\n", "{}:2: a column is empty: 'bm25' has no type"),
        (read_order, "bm25 2020\n", "{}:1: '2020' is not a date such as 2024-12-09"),
        (read_order, "bm25 2020-01-01\nbert\n", "{}:2: some lines have a date and some have none"),
        (read_order, "bm25\nbert 2020-01-01\n", "{}:2: some lines have a date and some have none"),
        (read_order, "bm25\nbm25\n", "{}:2: 'bm25' is listed twice"),
    ],
)
def test_what_cannot_be_read_has_a_line(tmp_path: Path, read: object, text: str, message: str) -> None:
    path = str(tmp_path / "file")
    Path(path).write_text(text)
    with pytest.raises(InputError) as caught:
        read(path)  # type: ignore[operator]
    assert str(caught.value) == message.format(path)


def test_dates_of_all_types_go_together() -> None:
    days = {"a": datetime(2020, 6, 1, 23), "b": pd.Timestamp("2020-06-01"), "c": date(2019, 1, 1), "d": "2020-06-01"}
    assert read_order(days) == {"a": 1, "b": 1, "c": 0, "d": 1}


def test_a_list_has_each_run_once() -> None:
    assert read_order(["b", "a"]) == {"b": 0, "a": 1}
    with pytest.raises(InputError, match=r"^order: 'b' is listed twice$"):
        read_order(["b", "a", "b"])


@pytest.mark.parametrize("read", [read_groups, read_order])
def test_other_things_are_refused(read: object) -> None:
    with pytest.raises(InputError, match=r"^cannot read "):
        read(3)  # type: ignore[operator]
