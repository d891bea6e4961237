"""Showing what a study returned: text, tables for papers, reference pages.

`studies` return results, `reports` shows them. Four things are in one place each:

* **Tables.** A report makes `Table`s of text cells (`reports/cells.py`, which says how a number becomes text), and
  `render_tables` (`reports/layout.py`) lays them out: aligned for a terminal, with names shortened to fit; Markdown;
  LaTeX, where `reports/latex.py` finds the columns of numbers and gives them to siunitx; HTML. Colour is added after
  the layout, and only on a terminal.
* **Charts** (`reports/charts`). A module `COMMAND_NAME` is the chart NAME of a command's result: a function
  (`uj.plots`) that makes plain columns from a result and says when it is the default, and a class that draws them
  with Altair. So tests compare columns with results, and only few look at pixels. `theme.py` has the colours, shapes
  and dashes, `naming.py` which runs are shown, where their names go, and what is said about the others,
  `writing.py` is the only place that knows file formats. Altair is loaded when something is drawn. Names from files
  are values: no field is named after them, no expression contains them, and orders come from lists of domains and
  numeric fields, because Vega-Lite writes sort lists into expressions. The HTML page is our own, around the
  JavaScript that vl-convert brings: vl-convert's page would let `</script>` in a run's name end the script.
* **Sources.** A measure, hole model, test or degradation names its source in one line (`reference`).
  `reports/citations.py` reads such lines, and knows more about the five papers behind this package;
  `reports/methods.py` writes the paragraph, of the sentences that `methods_sentences.py` has for each kind of result.
  There is no second list of references to keep in step. `Reuse.methods()` is a table, so the paragraph is a function,
  `uj.methods(result)`, and not a method.
* **Notebooks.** A result is `NotebookRepr` (`notebook_repr.py`, the lowest layer): it has the methods that Jupyter
  looks for, and no idea what they answer. `reports/notebook.py` makes the bundle, from the same `Table`s as every
  other format, and only `unjudged/__init__.py`, which knows all layers, tells one about the other; so `data` does not
  import `reports`. To show a new kind of result, derive it from `NotebookRepr` and add its view to `_VIEWS`; a test
  fails until you do. Tables have classes and no colours, so that they follow the notebook's theme. The bundle is text
  and HTML only: with more, exported notebooks would choose forms that are not made for them.

`docs/notebooks` has the worked notebooks, without output and with names for cell ids, so that a change reads as one.
`docs/notebook_pages.py` runs them with Jupyter's own machinery and makes pages of them; tests use the same function.
Numbers in their text must be in some output. `RUN_NOTEBOOKS=false mkdocs serve` leaves running them out.
"""
