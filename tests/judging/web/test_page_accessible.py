"""The page for everybody: with the keyboard, with ears, on a phone and on a desk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from unjudged.judging import Project
from unjudged.judging.serving import Serving

from .pages import (
    LONG,
    Browser,
    doc,
    fits,
    is_saved,
    join,
    judge,
    one,
    press,
    seen,
    text,
    until,
    wide,
)
from .served import served, small_project


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, which `make test` fetches where there is npm; it is no part of this project."""
    path = Path(os.environ.get("UNJUDGED_AXE", Path(sys.prefix) / "axe-core" / "package" / "axe.min.js"))
    if not path.is_file():
        pytest.skip(f"no axe-core at {path}: make {path.parent.parent.parent.name}/axe-core, which needs npm")
    return path.read_text()


def problems(page: Browser, axe: str) -> list[str]:
    """What axe-core finds that is serious or critical."""
    page.execute_script(axe)
    found = page.execute_async_script("const done = arguments[0]; axe.run().then((found) => done(found.violations))")
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Browser, axe: str, tmp_path: Path, width: int, scheme: str) -> None:
    given = {
        "docs": 2,
        "overlap": 1.0,
        "assessors": ["ann", "bob"],
        "lead": "ann",
        "link": "https://docs.example/{doc}",
        "grades": dict.fromkeys(range(5), "a grade: with its meaning"),
        "guidelines": "# One\n\n## Two\n\n- `a`\n- [b](https://trec.nist.gov)\n\n> c",
    }
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    with small_project(tmp_path / "p.unjudged", **given) as project, served(project) as serving:
        wide(page, width, 844)
        page.get(f"{serving.address}/join")
        until(page, lambda _: "lost its end" in text(page, "#state"))
        assert problems(page, axe) == []
        join(page, serving, project, "ann")
        until(page, lambda _: seen(page, "#progress"))
        assert problems(page, axe) == []
        judge(page, "1")
        press(page, "u", "n")
        page.switch_to.active_element.send_keys("a note", "\ue00c")
        press(page, "f", "g")
        assert problems(page, axe) == [], "with a note, a flag and what was said before"
        judge(page, "1")
        page.execute_script("document.getElementById('help').showModal()")
        assert problems(page, axe) == [], "with help"
        page.execute_script("document.getElementById('help').close()")
        (task,) = project.next("bob")
        project.record("bob", task.pair, "grade", grade=4)
        project.refresh()
        for path, ready in (("/lead", "#scores table"), ("/adjudicate", "#earlier")):
            page.get(f"{serving.address}{path}")
            until(page, lambda _, css=ready: page.find_elements("css selector", css) and seen(page, css))
            assert problems(page, axe) == [], path


def test_what_happened_is_said_to_those_who_listen(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    assert one(page, "#saved").get_attribute("role") == "status"
    assert one(page, "#banner").get_attribute("role") == "alert"
    tree = page.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    heard = [node for node in tree if not node["ignored"]]
    named = {(node["role"]["value"], " ".join(node.get("name", {}).get("value", "").split())) for node in heard}
    assert {
        ("banner", ""),
        ("complementary", "Topic and guidelines"),
        ("main", "Document"),
        ("region", "Your judgment"),
        ("group", "Grade"),
        ("button", "0 Not relevant"),
        ("button", "1 Relevant"),
        ("heading", "solar power"),
    } <= named


def test_every_button_can_be_reached_and_pressed_without_a_mouse(
    page: Browser, serving: Serving, project: Project
) -> None:
    keys = pytest.importorskip("selenium.webdriver").Keys
    join(page, serving, project, "ann")
    reached = []
    for _ in range(30):
        page.switch_to.active_element.send_keys(keys.TAB)
        reached.append(
            page.execute_script("const a = document.activeElement; return a.id || a.dataset.grade || a.tagName")
        )
    assert {"0", "1", "undo", "skip", "cannot", "flag", "write-note", "theme", "open-help"} <= set(reached)
    shown = doc(page)
    page.execute_script("document.querySelector('[data-grade=\"1\"]').focus()")
    press(page, keys.ENTER)
    until(page, lambda _: is_saved(page, shown))
    assert [row.grade for row in project.judgments()] == [1]
    assert page.execute_script("return document.activeElement.id") == "doc-title", "reading goes on with the next one"


@pytest.mark.parametrize("width", [390, 1400])
def test_no_page_is_wider_than_the_screen(page: Browser, tmp_path: Path, width: int) -> None:
    word = "w" * 300
    made = Project.create(
        tmp_path / "p.unjudged",
        None,
        {f"run-{word[:80]}": {"t1": {word: 1.0}}, "other": {"t1": {word: 1.0}}},
        topics={"t1": {"title": word, "description": word, "narrative": word}},
        texts={word: f"{word} {LONG}"},
        grades=dict.fromkeys(range(10), f"grade {word[:30]}: {word[:60]}"),
        guidelines=f"# {word}\n\n`{word}`\n\n```\n{word}\n```",
        assessors=["ann", "bob"],
        lead="ann",
        overlap=1.0,
    )
    with made as project, served(project) as serving:
        wide(page, width, 844)
        join(page, serving, project, "ann")
        assert fits(page)
        press(page, "g", "n")
        page.switch_to.active_element.send_keys(word, "\ue00c")
        assert fits(page)
        if width == 390:
            low = page.execute_script(
                "return Math.min(...[...document.querySelectorAll('#grades button')].map((b) => b.offsetHeight))"
            )
            assert low >= 44, "fingers find the buttons"
        judge(page, "1")
        (task,) = project.next("bob")
        project.record("bob", task.pair, "grade", grade=9, note=word)
        project.refresh()
        for path, ready in (("/lead", "#scores table"), ("/adjudicate", "#earlier")):
            page.get(f"{serving.address}{path}")
            until(page, lambda _, css=ready: page.find_elements("css selector", css) and seen(page, css))
            assert fits(page), path
