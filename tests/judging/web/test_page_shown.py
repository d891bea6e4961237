"""What the page shows to whom, in a real browser, and that hostile text does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged.judging import Project
from unjudged.judging.serving import Serving

from .pages import (
    LONG,
    Browser,
    doc,
    errors,
    join,
    judge,
    one,
    press,
    requests,
    seen,
    text,
    until,
    wide,
)
from .served import served

BEST = "Of solar power plants, this paragraph says most: the power of solar cells."

# ---- joining


def test_a_link_becomes_a_cookie_that_scripts_cannot_read(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    asked = requests(page)
    cookie = page.get_cookie(f"unjudged-{serving.port}")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert page.execute_script("return document.cookie") == ""
    assert not [one["url"] for one in asked if cookie["value"] in one["url"] + one["headers"].get("Referer", "")]
    page.back()
    assert cookie["value"] not in page.current_url
    assert all(one["url"].startswith((serving.address, "data:")) for one in asked), "nobody else is asked"
    assert errors(page) == []


def test_a_wrong_link_and_no_link_say_so(page: Browser, serving: Serving) -> None:
    page.get(serving.link("wrong"))
    until(page, lambda _: "not valid" in text(page, "#state"))
    assert text(page, "#state").startswith("This link is not valid (any more); ask whoever gave it to you")
    assert page.current_url == f"{serving.address}/join"
    page.get(serving.address)
    until(page, lambda _: "does not know you" in text(page, "#waiting"))
    page.get(f"{serving.address}/join")
    until(page, lambda _: "has lost its end" in text(page, "#state"))


# ---- what is shown


def test_a_topic_stands_beside_a_document_and_grades_say_what_they_mean(page: Browser, tmp_path: Path) -> None:
    topics = {"t1": {"title": "solar power", "description": "A description.", "narrative": "One.\n\nTwo."}}
    given = {
        "topics": topics,
        "grades": {0: "no: not about it", 1: "some", 2: "all: answers it"},
        "guidelines": "# Rules\n\n1. **Read** it\n2. See [here](https://trec.nist.gov/)",
    }
    made = Project.create(
        tmp_path / "p", None, {"r": {"t1": {"d1": 1.0}}}, texts={"d1": "On solar power."}, assessors="ann", **given
    )
    with made as project, served(project) as serving:
        join(page, serving, project, "ann")
        assert text(page, "#topic-title") == "solar power"
        assert text(page, "#topic-text") == "DescriptionA description.NarrativeOne.Two."
        assert text(page, "#doc-text") == "On solar power."
        buttons = page.find_elements("css selector", "#grades button")
        assert [button.text.replace("\n", " ") for button in buttons] == [
            "0 no not about it",
            "1 some",
            "2 all answers it",
        ]
        marks = [mark.text for mark in page.find_elements("css selector", "#doc-text mark")]
        assert marks == ["solar", "power"]
        assert one(page, "#guidelines h3").text == "Rules"
        assert [item.text for item in page.find_elements("css selector", "#guidelines ol li")] == [
            "Read it",
            "See here",
        ]
        link = one(page, "#guidelines a")
        assert (link.get_attribute("href"), link.get_attribute("rel")) == (
            "https://trec.nist.gov/",
            "noopener noreferrer",
        )
        left, right = one(page, "#topic-title").rect, one(page, "#shown").rect
        assert left["x"] + left["width"] <= right["x"], "side by side"
    assert errors(page) == []


@pytest.mark.parametrize("width", [390, 1400])
def test_a_long_document_begins_at_its_best_passage(page: Browser, tmp_path: Path, width: int) -> None:
    long = f"A solar panel.\n\n{LONG}\n\n{BEST}\n\n{LONG}"
    texts = {"d1": long, "d2": f"{BEST}\n\n{LONG}"}
    run = {"r": {"t1": {"d1": 2.0, "d2": 1.0}}}
    made = Project.create(tmp_path / "p", None, run, topics={"t1": "Solar power plants"}, texts=texts, assessors="ann")
    with made as project, served(project) as serving:
        wide(page, width, 844)
        join(page, serving, project, "ann")
        marked = "return document.querySelector('mark.here')?.parentNode.textContent"
        where = """
            const box = document.querySelector('mark.here').getBoundingClientRect();
            return box.top > 0 && box.bottom < document.getElementById('bar').getBoundingClientRect().top;
        """
        assert page.execute_script(marked) == BEST
        assert page.execute_script(where), "it is in sight"
        press(page, "t")
        assert page.execute_script("return document.getElementById('doc-title').getBoundingClientRect().top") > 0
        press(page, "b")
        assert page.execute_script(where)
        judge(page, "1")
        assert doc(page) == "d2"
        assert page.execute_script(marked) is None, "what is best is at the top"


def test_words_are_marked_in_any_form_and_script(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    script = """
        const holder = document.createElement('div');
        showText(holder, arguments[1], termsOf(arguments[0]));
        return [...holder.querySelectorAll('mark')].map((mark) => mark.textContent);
    """
    for topic, document, marks in [
        ("running shoes", "He RUNS; a Shoe, shoes' laces, run-of-the-mill.", ["RUNS", "Shoe", "shoes'", "run"]),
        ("evaluation of retrieval", "Evaluating, evaluated: retrieve!", ["Evaluating", "evaluated", "retrieve"]),
        ("cafés in Zürich", "A cafe in ZURICH.", ["cafe", "ZURICH"]),
        ("the who", "Who is the doctor?", ["Who", "the"]),
        ("太陽光発電", "日本の太陽光発電所", ["太陽光発電"]),
        ("a.b*c (d", "a.b*c (d", ["b", "c", "d"]),
        ("", "nothing", []),
    ]:
        assert page.execute_script(script, topic, document) == marks, topic


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    '"><svg onload=window.hacked=1>',
    "javascript:window.hacked=1",
    "{{constructor.constructor('window.hacked=1')()}}",
    "</textarea><iframe srcdoc='<script>parent.hacked=1</script>'>",
    "\N{RIGHT-TO-LEFT OVERRIDE}\x1b[2J\x00<b>",
]


def test_hostile_text_does_nothing(page: Browser, tmp_path: Path) -> None:
    """In each place where text comes from somebody: it is shown as it was written, and nothing of it runs."""
    nasty = " ".join(HOSTILE)
    docs = [f"d{i}" for i in range(3)]
    made = Project.create(
        tmp_path / "p.unjudged",
        None,
        {nasty: {"t1": dict.fromkeys(docs, 1.0)}},
        topics={"t1": {"title": nasty, "description": nasty, "narrative": nasty}},
        texts=dict.fromkeys(docs, nasty),
        grades={0: HOSTILE[0], 1: HOSTILE[1]},
        guidelines=f"# {nasty}\n\n- [x](javascript:window.hacked=1) [y](data:text/html,x) **{nasty}**\n\n{nasty}",
        assessors=["ann", "<img src=x onerror=window.hacked=1>"],
        lead="ann",
        overlap=1.0,
    )
    with made as project, served(project) as serving:
        join(page, serving, project, "ann")
        shown = text(page, "#doc-text")
        assert shown == nasty
        assert text(page, "#topic-title") == nasty
        assert not page.find_elements("css selector", "#doc-text :not(p, mark)")
        assert not page.find_elements(
            "css selector", "main script, main img, main svg, main iframe, aside img, aside script"
        )
        assert [link.get_attribute("href") for link in page.find_elements("css selector", "#guidelines-text a")] == []
        press(page, "n")
        page.switch_to.active_element.send_keys("<img src=x onerror=window.hacked=1>", "\ue00c")
        judge(page, "1")
        for other in project.next("<img src=x onerror=window.hacked=1>", 3):
            project.record("<img src=x onerror=window.hacked=1>", other.pair, "grade", grade=0, note=HOSTILE[2])
        project.refresh()
        page.get(f"{serving.address}/lead")
        until(page, lambda _: "<img src=x" in text(page, "#disputed") and nasty[:20] in text(page, "#scores"))
        page.get(f"{serving.address}/adjudicate")
        until(page, lambda _: seen(page, "#earlier"))
        assert HOSTILE[2] in text(page, "#earlier")
        assert page.execute_script("return window.hacked") is None
    assert errors(page) == []


def test_the_policy_lets_no_other_script_run(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("""
        const script = document.createElement('script');
        try { script.textContent = 'window.hacked = 1'; } catch {}
        document.body.append(script);
        try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hacked = 1">'); } catch {}
        const image = document.createElement('img');
        image.src = 'https://example.org/x.png';
        document.body.append(image);
    """)
    assert page.execute_script("return window.hacked") is None
    said = " ".join(errors(page))
    assert "img-src" in said
    assert "TrustedHTML" in said or "Trusted" in said or "script-src" in said


def test_documents_without_texts_have_links(page: Browser, tmp_path: Path) -> None:
    made = Project.create(
        tmp_path / "p", None, {"r": {"t1": {"a b/ü?": 1.0}}}, link="https://docs.example/{doc}?x", assessors="ann"
    )
    with made as project, served(project) as serving:
        join(page, serving, project, "ann")
        link = one(page, "#doc-link a")
        assert link.get_attribute("href") == "https://docs.example/a%20b%2F%C3%BC%3F?x"
        assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener noreferrer")
        assert text(page, "#doc-text") == "The text of this document is not in the project."


# ---- looks


def test_both_colour_schemes_and_a_switch_that_is_remembered(page: Browser, serving: Serving, project: Project) -> None:
    def colours() -> list[str]:
        script = "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
        return list(page.execute_script(script))

    def scheme(name: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    scheme("light")
    join(page, serving, project, "ann")
    light = colours()
    scheme("dark")
    dark = colours()
    assert dark != light
    one(page, "#theme").click()
    assert colours() == light
    page.refresh()
    until(page, lambda _: seen(page, "#shown"))
    assert colours() == light
    assert one(page, "#theme").text == "Dark"
