"""The notebooks of the documentation: stored without output, and run as somebody would run them."""

from __future__ import annotations

import html
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from unjudged.reports import bars

DOCS = Path(__file__).parents[2] / "docs"


def load_pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = load_pages()
NOTEBOOKS: list[Path] = pages.NOTEBOOKS
RULES = {"0.9"}
"""Numbers that no cell shows: from which tau on two orders are taken to agree."""
for_each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def run_cell(source: str, folder: Path) -> list[Any]:
    cells = [nbformat.v4.new_code_cell(source, id="cell")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "one.ipynb")
    return outputs(pages.executed(folder / "one.ipynb"))


# ---- as they are stored


def test_there_is_one_for_each_question() -> None:
    questions = {"collection", "scores", "better", "new", "reuse", "estimate", "judges"}
    assert {path.stem for path in NOTEBOOKS} == questions
    listed = (DOCS / "notebooks.md").read_text(encoding="utf-8")
    in_nav = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert f"(notebooks/{path.name})" in listed
        assert f"notebooks/{path.stem}.md" in in_nav


@for_each
def test_nothing_is_stored_but_words_and_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    nbformat.validate(content)
    assert set(content["metadata"]) == {"kernelspec", "language_info"}
    for cell in content["cells"]:
        assert cell["metadata"] == {}
        assert (cell.get("outputs", []), cell.get("execution_count")) == ([], None), (
            "run `jupyter nbconvert --clear-output`"
        )
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cell["id"]), "ids are names, so that a change is easy to read"
    assert text == json.dumps(content, indent=1, ensure_ascii=False) + "\n", "written as Jupyter writes it"


@for_each
def test_every_link_leads_somewhere(path: Path) -> None:
    words = "\n".join(cell.source for cell in pages.stored(path).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)]+)\)", words)
    assert all((path.parent / link).exists() for link in links), links


# ---- as they are run


@for_each
def test_every_notebook_runs_and_shows_what_its_words_say(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test, so that every notebook is run once."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))  # the user's own is left alone
    notebook = pages.executed(path)
    check_every_cell_shows_something(notebook)
    check_numbers_in_words(notebook)
    check_page(notebook, path.name)


def check_every_cell_shows_something(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert all(output.output_type == "execute_result" for output in cell.outputs), (
                "no warnings, nothing printed"
            )
            assert cell.id == "setup" or len(cell.outputs) == 1, cell.id
    kinds = [set(output.data) for output in outputs(notebook)]
    assert {"text/plain", "text/html"} in kinds
    assert {"text/plain", "image/svg+xml"} in kinds
    assert any('class="unjudged"' in output.data.get("text/html", "") for output in outputs(notebook))


def check_numbers_in_words(notebook: Any) -> None:
    """A number in the text is a number in some output, but for what is a rule."""
    shown = " ".join(text for output in outputs(notebook) for text in output.data.values())
    shown = html.unescape(re.sub(r"<[^>]*>", " ", shown))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for number in re.findall(r"(?<![\w.])[-+]?\d+\.\d+%?", cell.source):
                assert number in shown or number in RULES, f"{cell.id}: {number}"


def check_page(notebook: Any, file: str) -> None:
    """The site has all of it."""
    page = pages.as_markdown(notebook, file)
    assert page.startswith("# ")
    assert page.count("```python") == sum(cell.cell_type == "code" for cell in notebook.cells)
    assert re.findall(r"\]\(\w+\.ipynb\)", page) == [f"]({file})"], "others are linked to as pages"
    assert page.count('<img alt="') == sum("image/svg+xml" in output.data for output in outputs(notebook))
    tables = [output for output in outputs(notebook) if 'class="unjudged"' in output.data.get("text/html", "")]
    assert page.count('<div class="unjudged">') == len(tables)
    for block in re.findall(r'<div class="unjudged">.*?</div>', page, flags=re.DOTALL):
        assert "\n\n" not in block, "a blank line would end the HTML"


def test_a_cell_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run_cell("1 / 0", tmp_path)


# ---- how far is it?


def test_a_bar_is_below_the_cell_and_goes_away(tmp_path: Path) -> None:
    begin = "import unjudged as uj\nfrom unjudged.reports import bars\nbars._SECONDS_BEFORE_A_BAR = "
    late = "-1\nbars._SECONDS_BETWEEN = -1\nlist(uj.progress_bar([None] * 3, 3, '<b>drawing'))"
    (bar, result) = run_cell(begin + late, tmp_path)
    assert (bar.output_type, bar.data["text/html"]) == ("display_data", "")
    assert result.data["text/plain"] == "[None, None, None]"
    (only_result,) = run_cell(begin + "60\nlist(uj.progress_bar('abc', 3))", tmp_path)
    assert only_result.data["text/plain"] == "['a', 'b', 'c']", "what is done soon shows no bar"


def test_what_a_bar_says_is_text() -> None:
    assert bars._html("<b>", 1, 2000) == '<p>&lt;b&gt; <progress value="1" max="2000"></progress> 1 of 2,000</p>'


def test_commands_in_a_cell_draw_no_bar(tmp_path: Path) -> None:
    asked = "import sys; from unjudged.reports import bars; print(sys.stderr.isatty(), bars.on_terminal())"
    (output,) = run_cell(f"import sys\n!{{sys.executable}} -c '{asked}'", tmp_path)
    assert output.text.split() == ["True", "False"], "Jupyter gives commands a terminal, but not one for bars"
