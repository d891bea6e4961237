"""For MkDocs: notebooks, which are stored without output, are run and become pages with all that they show."""

from __future__ import annotations

import base64
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent / "notebooks").glob("*.ipynb"))
SECONDS = 120
"""That a cell may take."""


def on_files(files: Files, config: Any) -> Files:
    """Every notebook gets a page beside it; ``RUN_NOTEBOOKS=false`` is for those who write text and will not wait."""
    make = executed if config.extra["run_notebooks"] else stored
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for path, notebook in zip(NOTEBOOKS, threads.map(make, NOTEBOOKS), strict=True):
            uri = path.with_suffix(".md").relative_to(Path(__file__).parent).as_posix()
            files.append(File.generated(config, uri, content=as_markdown(notebook, path.name)))
    return files


def stored(path: Path) -> Any:
    """A notebook as it is in its file."""
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> Any:
    """A notebook with its outputs, run in a kernel and in a folder of its own. A cell that fails is an error."""
    notebook = stored(path)
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=place)
        client.coalesce_streams = True  # what is printed arrives in pieces of any length
        client.execute()
    return notebook


def as_markdown(notebook: Any, file: str) -> str:
    """The page of a notebook."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(re.sub(r"(\]\(\w+)\.ipynb\)", r"\1.md)", cell.source))
        else:
            parts += [_block("python", cell.source), *map(_output, cell.outputs)]
    parts.insert(1, f"*This page is [a notebook]({file}) that you can run: it makes its own data.*")  # below the title
    return "\n\n".join(parts) + "\n"


def _output(output: Any) -> str:
    """What Jupyter would show of it: tables, pictures, text."""
    if output.output_type == "stream":
        return _block("text", output.text)
    data = output.data
    if "text/html" in data:
        return re.sub(r"\n\s*\n", "\n", data["text/html"])  # a blank line would end the HTML
    if "image/svg+xml" in data:
        # As an image, where nothing in it is looked at again.
        picture = base64.b64encode(data["image/svg+xml"].encode()).decode()
        return f'<div><img alt="{escape(data["text/plain"])}" src="data:image/svg+xml;base64,{picture}"></div>'
    return _block("text", data["text/plain"])


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"
