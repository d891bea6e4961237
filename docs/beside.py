"""For MkDocs: results of experiments and benchmarks lie beside docs/, and pages link to them there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section

ROOT = Path(__file__).parents[1]
BESIDE = {"experiments/results": "experiments", "benchmarks": "benchmarks"}
"""Folders beside docs/, and what they are called on the site."""
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
    return files


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
