"""unjudged compare"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unjudged.demo.collection import write_collection

from .conftest import Command


def test_four_tables_and_a_sentence(unjudged: Command, files: Path) -> None:
    done = unjudged("compare", files / "qrels.txt", files / "runs", "-m", "P@2")
    assert done.code == 0
    assert done.out == (
        "run     P@2    95% interval  judged@2  ranks\n"
        "---  ------  --------------  --------  -----\n"
        "old  0.5000   0.5000 0.5000    100.0%    1-2\n"
        "new  0.2500  -2.9266 3.4266     50.0%    1-2\n"
        "\n"
        "A    B     A - B  p (holm)  p, holes  worst to best  P(A>B)       verdict\n"
        "---  ---  ------  --------  --------  -------------  ------  ------------\n"
        "old  new  +0.250    1.0000    0.8660   0.000 +0.250    0.71  undetermined\n"
        "\n"
        "rank    1    2\n"
        "----  ---  ---\n"
        "old   85%  15%\n"
        "new   55%  45%\n"
        "\n"
        "uncertainty (sd)   holes  topics  together\n"
        "----------------  ------  ------  --------\n"
        "old               0.0000  0.0000    0.0000\n"
        "new               0.1231  0.2856    0.3198\n"
        "\n"
        "0 of 1 pairs are certain, 0 likely, 1 undetermined: judging the holes could\n"
        "change it.\n"
        "Verdicts are about the holes on these topics; p-values are about other topics;\n"
        "p, holes is about both.\n"
    )
    assert done.err == (
        "note: new: less than 75% of the first 10 documents are judged, so nothing says how far off estimates may be:"
        " intervals of means are bounds; runs that were in the pool and --groups would tell more"
        " [little-judged]\n"
        "warning: new lacks 1 of 2 judged topics; they count as 0 [missing-topics]\n"
        "warning: new has 1 topic without judgments; left out [unjudged-topics]\n"
        "warning: no p-value can be below 0.5 with 2 topics, 1 comparison, randomisation and holm [out-of-reach]\n"
    )


def test_the_last_lines_say_which_significant_differences_stay_so(unjudged: Command, tmp_path: Path) -> None:
    demo = write_collection(tmp_path / "demo").directory
    given = ("compare", demo / "qrels.txt", demo / "runs", "--draws", "50")
    pairs = json.loads(unjudged(*given, "-f", "json", "--quiet").out)["pairs"]
    plain, both = (
        {(p["run"], p["other"]) for p in pairs if p[key] < 0.05} for key in ("corrected_p", "corrected_p_holes")
    )
    said = " ".join(unjudged(*given).out.split())
    assert (
        f"p, holes is about both: {len(plain & both)} of {len(plain)} significant differences stay so, and"
        f" {len(both - plain)} more {'is' if len(both - plain) == 1 else 'are'}."
    ) in said
    drawn_alone = unjudged(*given, "--holes", "bootstrap").out
    assert "p, holes" not in drawn_alone


def test_tables_fit_80_columns_and_leave_pairs_out(unjudged: Command, tmp_path: Path) -> None:
    demo = write_collection(tmp_path / "demo").directory
    done = unjudged("compare", demo / "qrels.txt", demo / "runs", "--draws", "50")
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.out.splitlines()[-1] == "45 pairs are not shown; -f json, tsv and csv have all of them."
    done = unjudged("compare", demo / "qrels.txt", demo / "runs", "--draws", "50", "-f", "tsv")
    assert len(done.out.splitlines()) == 1 + 66


def test_json_has_the_four_tables_and_the_inputs(unjudged: Command, files: Path) -> None:
    done = unjudged(
        "compare", files / "qrels.txt", files / "runs", "-f", "json", "--seed", "7", "--draws", "10", "--quiet"
    )
    document = json.loads(done.out)
    assert {"rows", "pairs", "ranks", "budget"} <= set(document)
    assert document["unjudged"]["seed"] == 7
    assert [one["role"] for one in document["inputs"]] == ["qrels", "run", "run"]
    assert done.err == ""


@pytest.mark.parametrize("form", ["markdown", "latex", "csv"])
def test_other_formats(unjudged: Command, files: Path, form: str) -> None:
    where = ("-m", "P@2", "-f", form, "-o", files / "out", "--quiet")
    done = unjudged("compare", files / "qrels.txt", files / "runs", *where)
    assert (done.code, done.out) == (0, "")
    assert "undetermined" in (files / "out").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "bm25"), "no run is named 'bm25', which --baseline asks for; there is new, old"),
        (
            ("--test", "chi"),
            "unknown significance test 'chi' (there are bootstrap, randomisation, sign, t, tukey_hsd, wilcoxon)",
        ),
        (("--correction", "x"), "unknown correction 'x' (there are bh, bonferroni, holm, none)"),
        (("--test", "tukey_hsd", "--correction", "holm"), None),
        (("--top", "1"), "a comparison needs at least two runs, not the top 1"),
        (("--interval-method", "x"), "unknown interval method 'x' (there are basic, bca, percentile, t)"),
        (("--images", "0"), "corpus: images must be a whole number of at least 1, not 0"),
        (
            ("--corpus-size", "2"),
            "a corpus of 2 documents cannot hold the 6 distinct documents in the runs and judgments; give its true"
            " size",
        ),
        (("--pool", "x", "--pool-depth", "3"), "give a pool or a pool depth, not both"),
        (("--draws", "0"), "draws must be a whole number of at least 1, not 0"),
        (("--draws", "1" + "0" * 16), "10000000000000000 is too large; numbers end at 1,000,000,000,000,000"),
        (("--holes", "x"), "unknown hole model 'x' (`unjudged score --help` lists them)"),
        (("--holes", "bootstrap", "--holes", "evidence"), "--holes takes one model here, not 2: bootstrap evidence"),
        (
            ("--holes", "evidence", "--prior", "evidence"),
            "both --holes evidence and --prior evidence say what grades are drawn from; give one of them",
        ),
        (
            ("--holes", "evidence(draws=7)", "--draws", "8"),
            "both --draws 8 and --holes evidence(draws=7) say how many draws there are; give one of them",
        ),
        *(
            (
                ("--holes", model),
                f"a comparison draws one grade for each hole of all runs, which {model} does not; --holes takes"
                " bootstrap, discounted or evidence, also with a number of draws and with what they say about grades,"
                " as in evidence(draws=500,depth=10) or discounted(shift=-1.5)",
            )
            for model in ("nonrelevant", "joint", "bootstrap(prior='run')", "evidence(ideal='fixed')")
        ),
        (("-m", "nDGC"), "unknown measure 'nDGC'; did you mean 'nDCG'? (`unjudged measures` lists them all)"),
        (("-m", "P"), "'P' stands for 9 measures; name one, such as nDCG@10"),
    ],
)
def test_mistakes_give_one_line_and_exit_2(
    unjudged: Command, files: Path, arguments: tuple[str, ...], message: str | None
) -> None:
    message = message or "tukey_hsd needs no correction: its p-values allow for all comparisons; use 'none'"
    done = unjudged("compare", files / "qrels.txt", files / "runs", *arguments, "--quiet")
    assert (done.code, done.err) == (2, f"unjudged: {message}\n")


def test_holes_say_what_the_prior_says(unjudged: Command, files: Path) -> None:
    def written(*more: str) -> str:
        done = unjudged("compare", files / "qrels.txt", files / "runs", "-m", "P@2", "--quiet", *more)
        assert (done.code, done.err) == (0, "")
        return done.out

    assert written("--holes", "discounted") == written() == written("--prior", "discounted", "--draws", "1000")
    assert written("--holes", "bootstrap") == written("--prior", "pool+run")
    assert written("--holes", "discounted(draws=3)") == written("--draws", "3") != written()
    assert written("--holes", "evidence") == written("--prior", "evidence")


def test_one_run_is_no_comparison(unjudged: Command, files: Path) -> None:
    done = unjudged("compare", files / "qrels.txt", files / "runs" / "old.run")
    assert (done.code, done.err) == (2, "unjudged: a comparison needs at least two runs, not 1\n")


def test_another_corpus_is_a_column_of_the_budget(unjudged: Command, files: Path) -> None:
    given = ("-m", "P@2", "--draws", "50", "--corpus-size", "20", "--images", "70")
    done = unjudged("compare", files / "qrels.txt", files / "runs", *given, "--quiet")
    table = done.out.split("\n\n")[3].splitlines()
    assert table[0].split() == ["uncertainty", "(sd)", "holes", "topics", "corpus", "together"]
    assert float(table[2].split()[3]) > 0
    document = json.loads(unjudged("compare", files / "qrels.txt", files / "runs", *given, "-f", "json").out)
    assert (document["comparison"]["images"], document["comparison"]["corpus_size"]) == (70, 20)
    done = unjudged("compare", files / "qrels.txt", files / "runs", "--images", "5")
    assert "; 6 is taken, the number of distinct documents in the runs and judgments" in done.err


def test_a_measure_without_verdicts(unjudged: Command, files: Path) -> None:
    done = unjudged("compare", files / "qrels.txt", files / "runs", "-m", "infAP", "--pool-depth", "2", "--quiet")
    tables = done.out.split("\n\n")
    assert tables[1].splitlines()[0].split() == ["A", "B", "A", "-", "B", "95%", "interval", "p", "p", "(holm)"]
    assert tables[3].splitlines()[0].split() == ["uncertainty", "(sd)", "topics"]
    assert tables[4] == "No verdicts: infAP takes no grades for unjudged documents.\n"
