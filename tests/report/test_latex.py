"""Tables for papers: they compile, numbers are siunitx's, and names stay names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import unjudged as uj
from unjudged.reports.comparison import render_comparison
from unjudged.reports.escape import for_latex
from unjudged.reports.latex import latex
from unjudged.reports.layout import Table, aligned, render_tables
from unjudged.reports.methods import methods
from unjudged.reports.relative import render_relative
from unjudged.reports.reuse import render_reuse
from unjudged.reports.scores import render_scores

ODD = r"a_b&c%d$e#f{g}h~i^j\k<l>m|n--o[p]*\end{document}"
FOREIGN = "naïve-Łódź-שלום-模型\u202e"


def cells(text: str, row: int) -> list[str]:
    """The cells of a row of a table; the header is row 0."""
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    return [cell.strip() for cell in lines[row].removesuffix(r"\\").split(" & ")]


def test_numbers_are_aligned_by_siunitx() -> None:
    table = Table(
        ["run", "score", "change", "judged", "docs", "p", "range", "ranks"],
        [
            ["a", "0.1234*●", "+0.100", "100.0%", "1,234", "<.0001", "0.1 0.2", "1-3"],
            ["b", "-", "-0.010", "83.1%", "7", "0.0500", "-0.1 +0.2", "4"],
        ],
        caption="A & B",
    )
    text = latex(table)
    assert text.splitlines()[:2] == [r"\begin{table}", r"\centering"]
    assert r"\caption{A \& B}" in text
    assert (
        r"\begin{tabular}{lS[table-format=1.4,table-space-text-post={\textsuperscript{{*}$\bullet$}}]"
        r"S[retain-explicit-plus,table-format=+1.3]S[table-format=3.1]S[table-format=4.0]S[table-format=1.4]rr}"
    ) in text
    assert cells(text, 0) == ["run", "{score}", "{change}", r"{judged (\%)}", "{docs}", "{p}", "range", "ranks"]
    marked = r"0.1234{\textsuperscript{{*}$\bullet$}}"
    assert cells(text, 1) == ["a", marked, "+0.100", "100.0", "1234", r"{\textless{}.0001}", "$[0.1, 0.2]$", "$1$--$3$"]
    assert cells(text, 2) == ["b", "{--}", "-0.010", "83.1", "7", "0.0500", "$[-0.1, +0.2]$", "4"]


def test_names_that_look_like_ranges_stay_names() -> None:
    """Ranges of numbers become intervals, but a run may be called 2019-01."""
    text = latex(Table(["run", "ranks"], [["2019-01", "1-3"], ["7", "2"]]))
    assert cells(text, 1) == ["2019-01", "$1$--$3$"]
    assert cells(text, 2) == ["7", "2"]


def test_without_a_caption_there_is_only_the_tabular() -> None:
    assert latex(Table(["run"], [["a"]])).startswith(r"\begin{tabular}{l}")


def test_the_packages_are_named_once() -> None:
    tables = [Table(["run"], [["a"]], 1, "one"), Table(["run"], [["b"]], 1, "two")]
    assert render_tables(tables, ["left out"], "latex").count(r"% needs \usepackage{booktabs,siunitx}") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("[x]*", "{[}x{]}{*}"),
        ("a|b", r"a\textbar{}b"),
        ("é", "é"),
        ("ש", "U+05E9"),
        ("\u202e", r"\textbackslash{}u202e"),
    ],
)
def test_what_latex_would_take_for_something_else(text: str, expected: str) -> None:
    assert for_latex(text) == expected


@pytest.fixture(scope="module")
def everything() -> list[str]:
    """LaTeX of every study, with names that are hard to print, and the methods paragraphs."""
    topics = "1234567"
    qrels = {topic: {"a": 2, "b": 0, "c": 1, "d": 2, "e": 1} for topic in topics}
    new, old = {"x": 3.0, "a": 2.0, "c": 1.0}, {"b": 3.0, "a": 2.0, "c": 1.0}
    runs = {ODD: dict.fromkeys(qrels, new), FOREIGN: dict.fromkeys(qrels, old), "[third]": dict.fromkeys(qrels, new)}
    scores = uj.score(qrels, runs, ["nDCG@3", "NumRet"], holes=["bounds", "condensed"])
    compared = uj.compare(qrels, runs, "P@3", draws=20, test="t", baseline=ODD)
    every = uj.compare(qrels, runs, "P@3", draws=20, test="t")
    groups = {name: f"group {name}" for name in runs}
    added = uj.relative(qrels, runs, "nDCG@3", groups=groups, explain=ODD, choose=2)
    ways = ["LeaveOutRun(2)", "DepthCut(1,2)"]
    with pytest.warns(uj.UnjudgedWarning, match="were never judged"):
        tried = uj.reuse(qrels, runs, "nDCG@3", degrade=ways, holes="nonrelevant", jobs=1, target="tau=0.9")
    return [
        render_scores(scores, "latex", per_topic=True),
        render_comparison(compared, "latex"),
        render_comparison(every, "latex"),
        render_relative(added, "latex", per_topic=True),
        render_reuse(tried, "latex"),
        *(methods(one).to_latex() for one in (scores, compared, added, tried)),
        methods(compared).to_bibtex(),
    ]


def test_no_name_is_a_command(everything: list[str]) -> None:
    for text in everything:
        assert r"\end{document}" not in text


def test_every_table_and_paragraph_compiles(everything: list[str], tmp_path: Path) -> None:
    compiler = shutil.which("tectonic") or shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no LaTeX here: neither tectonic nor pdflatex")
    *body, bibliography = everything
    (tmp_path / "all.bib").write_text(bibliography, encoding="utf-8")
    document = [
        r"\documentclass{article}\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{booktabs,siunitx}",
        r"\begin{document}",
        *(f"{text}\n\\clearpage" for text in body),
        r"\bibliographystyle{plain}\bibliography{all}",
        r"\end{document}",
    ]
    (tmp_path / "all.tex").write_text("\n".join(document), encoding="utf-8")
    options = [] if compiler.endswith("tectonic") else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([compiler, *options, "all.tex"], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout[-1500:].decode(errors="replace")
    assert (tmp_path / "all.pdf").read_bytes().startswith(b"%PDF")
    if shutil.which("bibtex") and not compiler.endswith("tectonic"):
        made = subprocess.run(["bibtex", "all"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert made.returncode == 0, made.stdout
        assert "error" not in made.stdout.lower(), made.stdout


# ---- captions and marks


def compared(**how: object) -> uj.Comparison:
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(8)}
    good, bad = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    runs = {
        "good": dict.fromkeys(qrels, good),
        "bad": {**dict.fromkeys(qrels, bad), "0": good},
        "same": dict.fromkeys(qrels, good),
    }
    return uj.compare(qrels, runs, "P@1", draws=20, test="t", **how)  # type: ignore[arg-type]


def test_stars_and_verdicts_stand_beside_the_means_when_there_is_a_baseline() -> None:
    text = render_comparison(compared(baseline="good"), "markdown")
    assert "| bad | 0.1250\\*● |" in text
    assert "| same | 1.0000● |" in text
    assert "| good | 1.0000 |" in text
    assert (
        "Against good: \\* p \\< 0.05 (t, holm); whether grades of unjudged documents can change the sign: ● certain."
        in text
    )


def test_an_order_that_the_holes_probably_turn_around_has_a_mark_of_its_own() -> None:
    qrels = {str(topic): {"a": 1, "b": 1, "c": 1, "x": 0} for topic in range(8)}
    known, unknown = {"a": 3.0, "b": 2.0, "x": 1.0}, {"a": 3.0, "y": 2.0, "z": 1.0}
    runs = {"known": dict.fromkeys(qrels, known), "unknown": dict.fromkeys(qrels, unknown)}
    comparison = uj.compare(qrels, runs, "P@3", draws=200, test="t", baseline="known", holes="bootstrap")
    assert comparison.pair("known", "unknown").verdict == "likely"
    text = render_comparison(comparison, "latex")
    assert r"0.3333{\textsuperscript{{*}$\ominus$}}" in text
    assert r"$\ominus$ likely the other way round" in text


def test_without_a_baseline_differences_have_the_stars() -> None:
    text = render_comparison(compared(), "markdown")
    assert "| good | bad | +0.875\\* |" in text
    assert "| good | same | 0.000 |" in text
    assert "●" not in text


def test_the_terminal_has_no_marks_and_no_captions() -> None:
    text = render_comparison(compared(baseline="good"), "table")
    assert "*" not in text
    assert "Against" not in text


# ---- colour


def test_colour_takes_no_room() -> None:
    rows = [["a", "certain"], ["b", "undetermined"]]
    plain, coloured = (aligned(Table(["run", "verdict"], rows), colour=colour) for colour in (False, True))
    assert "\x1b[32m     certain\x1b[0m" in coloured
    assert "\x1b[1mrun\x1b[0m" in coloured
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[32m", "\x1b[33m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain
