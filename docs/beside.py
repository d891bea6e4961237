"""For MkDocs: results of experiments and benchmarks lie beside docs/, and pages link to them there."""

from __future__ import annotations

import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section

import unjudged as uj
from unjudged.demo.collection import write_collection

ROOT = Path(__file__).parents[1]
BESIDE = {"experiments/results": "experiments", "benchmarks": "benchmarks"}
"""Folders beside docs/, and what they are called on the site."""
DEMO = "demo/report.html"
"""The report of the demo collection, as the site has it."""
PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages about the project, which lie where forges look for them."""


def on_files(files: Files, config: Any) -> Files:
    """The pages of those folders join the others."""
    for folder, name in BESIDE.items():
        for path in sorted((ROOT / folder).glob("*.md")):
            content = path.read_text(encoding="utf-8")
            files.append(File.generated(config, f"{name}/{path.name}", content=content))
    for name in PROJECT:
        content = (ROOT / name).read_text(encoding="utf-8")
        for folder, short in (("docs/", "../"), *((f"{one}/", f"../{at}/") for one, at in BESIDE.items())):
            content = content.replace(f"]({folder}", f"]({short}")
        files.append(File.generated(config, f"project/{name}", content=content))
    files.append(File.generated(config, DEMO, content=demo_report()))
    return files


def demo_report() -> str:
    """What `make demo` writes at its end."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", uj.UnjudgedWarning)
        demo = write_collection(Path(folder) / "demo")
        page = uj.report(
            demo.qrels,
            demo.runs[0].parent,
            groups=demo.teams,
            topics=demo.topics,
            texts=demo.docs,
            title="The demo collection",
        )
        page.save(Path(folder) / "report.html")
        return (Path(folder) / "report.html").read_text(encoding="utf-8")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links lead to where those pages are on the site."""
    home = page.file.src_uri.split("/")[0]
    if home in BESIDE.values():
        return re.sub(r"\]\((?:\.\./)+docs/", "](../", markdown)
    for folder, name in BESIDE.items():
        markdown = markdown.replace(f"](../{folder}/", f"]({name}/")
    return re.sub(r"\]\(\.\./([A-Z]+\.md)", r"](project/\1", markdown)


def on_nav(nav: Navigation, files: Files, **_: Any) -> Navigation:
    """They have a section of their own, after the others."""
    pages = [file.page for file in files.documentation_pages() if file.src_uri.split("/")[0] in BESIDE.values()]
    section = Section("Results", [page for page in pages if page is not None])
    nav.items.append(section)
    return nav
