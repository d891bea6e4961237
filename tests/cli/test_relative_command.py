"""unjudged relative"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from unjudged.demo.collection import write_collection

from .conftest import Command


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return write_collection(tmp_path / "demo").directory


def test_tables_and_sentences(unjudged: Command, files: Path) -> None:
    done = unjudged("relative", files / "qrels.txt", files / "runs", "-m", "P@2", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "run     P@2     NRG       could be  judged@2  unique  rare P@2    TaSC\n"
        "---  ------  ------  -------------  --------  ------  --------  ------\n"
        "old  0.5000  0.2500                   100.0%    0.50    0.6250  0.3750\n"
        "new  0.2500  0.0000  0.0000-0.2500     50.0%    0.00    0.2500  0.1250\n"
        "\n"
        "adds to    1    2\n"
        "-------  ---  ---\n"
        "1 old         .25\n"
        "2 new    .00\n"
        "\n"
        "old adds most, 0.2500; by P@2 it is number 1 of 2.\n"
        "NRG('P@2'): a cut-off of 2; prior runs read to rank 2.\n"
        "Prior sets: every other run.\n"
        "unique: documents of grade 1 or higher per topic that no prior run has in its\n"
        "top 2; what nobody judged does not count.\n"
        "could be: NRG by the labels that the run's own unjudged documents could get\n"
        "(joint).\n"
    )


def test_everything_fits_80_columns(unjudged: Command, demo: Path) -> None:
    (demo / "types.tsv").write_text("".join(f"{run.stem}\tautomatic\n" for run in (demo / "runs").iterdir()))
    teams = ("--groups", demo / "teams.tsv", "--types", demo / "types.tsv")
    options = (*teams, "--explain", "later-neural-base", "--choose", "3", "--fuse", "CombMNZ", "-q")
    for holes in ((), ("--holes", "joint", "--holes", "bootstrap")):
        done = unjudged("relative", demo / "qrels.txt", demo / "runs", *options, *holes)
        assert done.code == 0
        assert max(map(len, done.out.splitlines())) <= 80
    assert "document that adds most" in done.out
    assert "unjudged document" in done.out
    assert "found by no other group" in done.out


def test_chosen_runs_and_their_fusion_beside_the_best_run(unjudged: Command, files: Path) -> None:
    """The only judged document of new is relevant: one new document for one judgment, of old 2 for 4."""
    options = ("--choose", "2", "--choose-by", "gain-per-judgment", "--fuse", "CombMNZ", "--quiet")
    done = unjudged("relative", files / "qrels.txt", files / "runs", "-m", "P@2", *options)
    assert (done.code, done.err) == (0, "")
    assert (
        "step  adds most per judgment     NRG  relevant@2  judgments  unjudged\n"
        "----  ----------------------  ------  ----------  ---------  --------\n"
        "1     new                     0.2500       33.3%          1         1\n"
        "2     old                     0.2500       66.7%          3         0\n"
        "\n"
        "fused     with     P@2       could be  judged\n"
        "--------  ----  ------  -------------  ------\n"
        "best run  old   0.5000                 100.0%\n"
        "1         new   0.2500  0.2500-0.5000   50.0%\n"
        "2         old   0.5000  0.5000-0.7500   75.0%\n"
    ) in done.out


def test_types_have_a_table_of_their_own(unjudged: Command, files: Path) -> None:
    (files / "meta").write_text("run\tteam\ttype\nold\ta\tmanual\nnew\tb\tautomatic\n")
    where = ("relative", files / "qrels.txt", files / "runs", "-m", "P@2", "--quiet")
    done = unjudged(*where, "--groups", files / "meta", "--types", files / "meta")
    assert (done.code, done.err) == (0, "")
    assert (
        "group  best run  runs     P@2     NRG  found by no other group\n"
        "-----  --------  ----  ------  ------  -----------------------\n"
        "a      old          1  0.5000  0.2500                        1\n"
        "b      new          1  0.2500  0.0000                        0\n"
        "\n"
        "type       best run  runs     P@2     NRG  found by no other type\n"
        "---------  --------  ----  ------  ------  ----------------------\n"
        "manual     old          1  0.5000  0.2500                       1\n"
        "automatic  new          1  0.2500  0.0000                       0\n"
    ) in done.out
    document = json.loads(unjudged(*where, "--types", files / "meta", "-f", "json").out)
    assert [row["type"] for row in document["rows"]] == ["manual", "automatic"]
    assert document["inputs"][-1]["role"] == "types"


def test_all_runs_of_other_groups_are_priors_where_asked(unjudged: Command, demo: Path) -> None:
    done = unjudged(
        "relative", demo / "qrels.txt", demo / "runs", "--groups", demo / "teams.tsv", "--other-groups", "all"
    )
    assert "Prior sets: all runs of other groups.\n" in done.out


def test_the_file_of_an_order_is_an_input(unjudged: Command, demo: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    order.write_text("".join(f"{path.stem}\n" for path in sorted((demo / "runs").iterdir())), encoding="utf-8")
    done = unjudged("relative", demo / "qrels.txt", demo / "runs", "--order", order, "-f", "json")
    assert json.loads(done.out)["inputs"][-1]["role"] == "order"


def test_json_has_the_tables_the_settings_and_the_inputs(unjudged: Command, demo: Path) -> None:
    done = unjudged("relative", demo / "qrels.txt", demo / "runs", "--groups", demo / "teams.tsv", "-f", "json", "-q")
    document = json.loads(done.out)
    assert [one["role"] for one in document["inputs"]] == ["qrels", *["run"] * 12, "groups"]
    assert [
        len(document[table]) for table in ("rows", "topics", "documents", "pairs", "choice", "fusion", "groups")
    ] == [
        12,
        12 * 25,
        0,
        12 * 11,
        0,
        0,
        6,
    ]
    assert document["relative"] == {
        "measure": "NRG('nDCG@10')",
        "absolute": "nDCG@10",
        "priors": "the best run by nDCG@10 of each other group",
        "depth": 10,
        "prior_depth": 10,
        "pool_depth": 10,
        "rel": 1,
        "topics": 25,
        "alpha": 1.0,
        "rareness": "topic",
        "tasc": "priors",
    }
    assert [one["role"] for one in document["inputs"]] == ["qrels", *["run"] * 12, "groups"]


@pytest.mark.parametrize("table", ["rows", "topics", "documents", "pairs", "choice", "fusion", "groups"])
def test_tsv_and_csv_have_one_table(unjudged: Command, demo: Path, table: str) -> None:
    common = ("relative", demo / "qrels.txt", demo / "runs", "--groups", demo / "teams.tsv", "--table", table)
    options = ("--choose", "2", "--fuse", "RRF", "--explain", "elm-weak")
    tsv = unjudged(*common, *options, "-f", "tsv").out.splitlines()
    csv = unjudged(*common, *options, "-f", "csv").out.splitlines()
    assert [line.split("\t") for line in tsv] == [line.split(",") for line in csv]
    assert len(tsv) > 2


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_names_are_escaped_everywhere(unjudged: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 <i>|$a_b 1\n")
    evil = "<script>alert(1)</script>|_&"
    (tmp_path / "a.run").write_text(f"1 Q0 <i>|$a_b 1 1 {evil}\n")
    (tmp_path / "b.run").write_text("1 Q0 x 1 1 b\n")
    where = ("relative", tmp_path / "qrels", tmp_path / "a.run", tmp_path / "b.run", "--explain", evil)
    page = unjudged(*where, "-f", "html").out
    cells = Cells()
    cells.feed(page)
    assert "script" not in cells.tags
    assert "i" not in cells.tags
    assert evil in cells.text
    assert "<i>|$a_b" in cells.text
    assert r"\<script\>alert(1)\</script\>\|\_\&" in unjudged(*where, "-f", "markdown").out
    assert r"\textless{}script\textgreater{}" in unjudged(*where, "-f", "latex").out


def test_a_page_loads_nothing(unjudged: Command, demo: Path) -> None:
    unjudged("relative", demo / "qrels.txt", demo / "runs", "-f", "html", "-o", demo / "page.html")
    page = (demo / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert not any(word in page for word in ("http:", "https:", "src=", "href=", "<script"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--prior-run", "{}/runs/../runs/old.run"), "{}/runs/../runs/old.run is in its own prior set: it is one of the"
         " runs, and a prior; to score the others against it, give its name as prior instead of the file"),
        (("--prior-run", "{}/no*.run"), "{}/no*.run: no file matches"),
        (("--prior-run", "gone.run"), "'gone.run' is neither a file nor a run; there is new, old"),
        (("--groups", "{}/one"), "{}/one: all runs are of group 'a'; without another group prior sets are empty"),
        (("--groups", "{}/unknown"), "{}/unknown: no group for 'new' (it lists 'bm25', which is no run that was given);"
         " every run needs one"),
        (("--groups", "{}/gone"), "{}/gone: no such file"),
        (("--order", "{}/one"), "{}/one:1: 'a' is not a date such as 2024-12-09"),
        (("-m", "AP"), "NRG: AP does not say how likely somebody is to look at a rank; use a measure that does, such as"
         " nDCG@10, RBP, P@10, R@100, RR, ERR or INSQ"),
        (("--explain", "x"), "'x' is not a run; there is new, old"),
        (("--fuse", "RRF"), "RRF puts chosen runs together: say how many, such as --choose 3"),
        (("--choose", "2", "--fuse", "RFF"), "unknown fusion 'RFF'; did you mean 'RRF'? (there are CombMNZ, CombSUM,"
         " RRF)"),
        (("--choose-by", "gain-per-judgment"),
         "runs are chosen by gain-per-judgment where it is said how many, such as --choose 3"),
        (("--other-groups", "all"), "all runs of other groups can only be prior runs where groups are given"),
        (("--types", "{}/unknown"), "{}/unknown: no type for 'new' (it lists 'bm25', which is no run that was given);"
         " every run needs one"),
    ],
)  # fmt: skip
def test_mistakes_give_one_line_and_exit_2(
    unjudged: Command, files: Path, arguments: tuple[str, ...], message: str
) -> None:
    (files / "one").write_text("old a\nnew a\n")
    (files / "unknown").write_text("old a\nbm25 b\n")
    given = [argument.format(files) for argument in arguments]
    done = unjudged("relative", files / "qrels.txt", files / "runs", *given, "--quiet")
    assert (done.code, done.err) == (2, f"unjudged: {message.format(files)}\n")


def test_one_run_needs_a_prior(unjudged: Command, files: Path) -> None:
    done = unjudged("relative", files / "qrels.txt", files / "runs" / "old.run")
    message = "old is the only run, so its prior set is empty; give more runs, or --prior-run RUN"
    assert (done.code, done.err) == (2, f"unjudged: {message}\n")
    done = unjudged(
        "relative", files / "qrels.txt", files / "runs/old.run", "--prior-run", files / "runs/new.run", "--quiet"
    )
    assert done.code == 0


def test_runs_that_groups_list_and_nobody_gave_are_named(unjudged: Command, files: Path) -> None:
    (files / "teams").write_text("old a\nnew b\nother c\n")
    done = unjudged("relative", files / "qrels.txt", files / "runs", "--groups", files / "teams")
    assert done.code == 0
    assert f"warning: {files}/teams lists 1 run that was not given (other); left out [unknown-runs]" in done.err
