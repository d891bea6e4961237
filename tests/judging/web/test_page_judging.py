"""Judging in a real browser: by keys, with and without a connection, alone and with others."""

from __future__ import annotations

from pathlib import Path

import pytest

import unjudged as uj
from unjudged.judging import Project
from unjudged.judging.serving import Serving

from .pages import (
    NETWORK,
    Browser,
    doc,
    errors,
    is_saved,
    join,
    judge,
    one,
    press,
    rows,
    seen,
    text,
    until,
)
from .served import served, small_project

# ---- judging


def test_everything_is_done_with_the_keyboard_alone(page: Browser, serving: Serving, project: Project) -> None:
    keys = pytest.importorskip("selenium.webdriver").Keys
    join(page, serving, project, "ann")
    first = judge(page, "1", says="Saved: 1, relevant for {doc}")
    press(page, "n")
    page.switch_to.active_element.send_keys("0 is what I say x", keys.ESCAPE)  # keys are letters in a note
    press(page, "f")
    assert one(page, "#flag").get_attribute("aria-pressed") == "true"
    second = judge(page, "0", says="Saved: 0, not relevant for {doc}")
    assert one(page, "#flag").get_attribute("aria-pressed") == "false", "a flag is for one document"
    skipped = judge(page, "s", says="Skipped: {doc}")
    cannot = judge(page, "x", says="Saved: cannot be judged for {doc}")
    press(page, "7")  # is no grade here
    assert len({first, second, skipped, cannot, doc(page)}) == 5
    rows = {row.doc: row for row in project.history()}
    assert [rows[one].kind for one in (first, second, skipped, cannot)] == ["grade", "grade", "skip", "cannot"]
    assert (rows[second].grade, rows[second].note, rows[second].flagged) == (0, "0 is what I say x", True)
    assert rows[first].text_sha256 and rows[first].guidelines == 1
    press(page, "u")
    assert doc(page) == cannot
    press(page, "u", "u")
    assert doc(page) == second
    assert one(page, "#note").get_attribute("value") == "0 is what I say x", "what was said is there again"
    assert text(page, "#earlier").startswith("You said: 0, not relevant: 0 is what")
    judge(page, "1")
    press(page, "?")
    assert one(page, "#help").get_attribute("open") is not None
    press(page, "1")  # judges nothing while help is open
    page.switch_to.active_element.send_keys(keys.ESCAPE)
    until(page, lambda _: not one(page, "#help").get_attribute("open"))
    assert {row.doc: row.grade for row in project.judgments()} == {first: 1, second: 1}
    assert [row.kind for row in project.history() if row.doc == second] == ["grade", "withdraw", "grade"]
    assert errors(page) == []


def test_keys_can_be_switched_off(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    press(page, "?")
    one(page, "#keys-on").click()
    one(page, "#close-help").click()
    press(page, "1", "x", "s")
    page.refresh()
    until(page, lambda _: seen(page, "#shown"))
    press(page, "1")
    shown = doc(page)
    assert project.history() == ()
    one(page, "[data-grade='1']").click()
    until(page, lambda _: is_saved(page, shown))


def test_a_key_that_bounces_or_is_held_judges_nothing(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    until(page, lambda _: page.execute_script("return performance.now() - desk.shownAt > BOUNCE"))
    shown = doc(page)
    page.execute_script("""
        const key = { key: '1', bubbles: true, cancelable: true };
        const down = (options) => document.body.dispatchEvent(new KeyboardEvent('keydown', { ...key, ...options }));
        down({ ctrlKey: true });
        down({ altKey: true });
        down({ repeat: true });
        down({});
        down({});
        down({ repeat: true });
    """)
    until(page, lambda _: is_saved(page, shown))
    assert len(project.history()) == 1


def test_seconds_are_counted_while_the_page_is_seen(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("""
        window.clock = 1000;
        performance.now = () => window.clock;
        watch.restart();
        desk.shownAt = 0;
        const hide = (hidden) => {
          Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        };
        window.clock += 4000;
        hide(true);
        window.clock += 60000;
        hide(false);
        window.clock += 2500;
    """)
    judge(page, "1")
    assert [row.seconds for row in project.history()] == [6.5]


def test_progress_is_shown(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    until(page, lambda _: text(page, "#all-count") == "0 of 10")
    assert text(page, "#topic-count") == "0 of 5"
    judge(page, "1")
    until(page, lambda _: text(page, "#all-count") == "1 of 10")
    assert text(page, "#pace").startswith("1 by you, ")
    for _ in range(9):
        judge(page, "0")
    until(page, lambda _: "Nothing is left for you to judge" in text(page, "#waiting"))
    assert not seen(page, "#grades")
    press(page, "u")
    until(page, lambda _: seen(page, "#shown"))
    until(page, lambda _: len(project.judgments()) == 9)


def test_what_was_judged_before_the_page_was_opened_can_be_undone(
    page: Browser, serving: Serving, project: Project
) -> None:
    (task,) = project.next("ann")
    project.record("ann", task.pair, "grade", grade=1, note="before")
    join(page, serving, project, "ann")
    press(page, "u")
    until(page, lambda _: doc(page) == task.doc)
    assert one(page, "#note").get_attribute("value") == "before"
    press(page, "u")
    until(page, lambda _: text(page, "#saved") == "There is nothing to undo")
    assert [row.kind for row in project.history()] == ["grade", "withdraw"]


# ---- no connection


def test_a_judgment_is_kept_until_there_is_a_connection(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("RETRY.fill(50)")
    page.execute_cdp_cmd("Network.emulateNetworkConditions", NETWORK)
    first, _ = doc(page), press(page, "1")
    second, _ = doc(page), press(page, "0")
    until(page, lambda _: "No connection" in text(page, "#banner"))
    assert text(page, "#banner") == (
        "No connection: 2 judgments not saved yet, kept in this browser. It is tried again until the server has them;"
        " you can go on with what is loaded."
    )
    assert "Saved" not in text(page, "#saved")
    assert project.history() == ()
    assert text(page, "#waiting") == "The next document comes when there is a connection again."
    page.execute_cdp_cmd("Network.emulateNetworkConditions", NETWORK | {"offline": False})
    until(page, lambda _: is_saved(page, second))
    assert {row.doc: row.grade for row in project.judgments()} == {first: 1, second: 0}
    assert "No connection" not in text(page, "#banner")
    until(page, lambda _: seen(page, "#shown"))


def test_a_judgment_whose_answer_was_lost_is_recorded_once(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("""
        RETRY.fill(50);
        const fetched = window.fetch;
        window.lost = 0;
        window.fetch = async (path, asked) => {
          const answer = await fetched(path, asked);
          if (path === '/api/record' && window.lost < 3) {
            window.lost += 1;
            throw new TypeError('the answer is lost');
          }
          return answer;
        };
    """)
    shown = judge(page, "1")
    assert page.execute_script("return window.lost") == 3
    assert [(row.doc, row.grade) for row in project.history()] == [(shown, 1)]


def test_what_could_not_be_sent_is_sent_by_the_next_page(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("window.fetch = () => Promise.reject(new TypeError('gone'))")
    shown, _ = doc(page), press(page, "1")
    until(page, lambda _: "not saved yet" in text(page, "#saved"))
    assert project.history() == ()
    page.execute_script("window.onbeforeunload = null; location.href = '/lead'")
    alert = until(page, lambda _: accepted(page))
    assert alert
    page.get(serving.address)
    until(page, lambda _: [row.doc for row in project.history()] == [shown])
    until(page, lambda _: page.execute_script("return Object.keys(localStorage).length") == 0)


def accepted(page: Browser) -> bool:
    """The browser asks whether to leave what is not sent; yes."""
    from selenium.common.exceptions import NoAlertPresentException

    try:
        page.switch_to.alert.accept()
    except NoAlertPresentException:
        return not page.current_url.endswith("/")
    return True


def test_what_the_server_refuses_is_said_and_not_sent_again(page: Browser, serving: Serving, project: Project) -> None:
    join(page, serving, project, "ann")
    page.execute_script("desk.tasks[0].guidelines = 99")
    shown, _ = doc(page), press(page, "1")
    until(page, lambda _: "Not recorded" in text(page, "#banner"))
    assert text(page, "#banner") == f"Not recorded for {shown}: There is no version 99 of the guidelines."
    until(page, lambda _: page.execute_script("return desk.tasks.some((task) => task.doc === arguments[0])", shown))
    assert project.history() == ()


# ---- a whole session


def test_two_assessors_judge_differ_and_the_lead_decides(page: Browser, tmp_path: Path) -> None:
    given = {"docs": 2, "overlap": 1.0, "assessors": ["ann", "bob"], "lead": "lead"}
    with small_project(tmp_path / "p.unjudged", **given) as project, served(project) as serving:
        join(page, serving, project, "ann")
        ann = [judge(page, key) for key in "1100"]
        press(page, "u")
        judge(page, "1")
        until(page, lambda _: "Nothing is left for you" in text(page, "#waiting"))
        join(page, serving, project, "bob")
        bob = [judge(page, "1") for _ in range(4)]
        assert sorted(ann) == sorted(bob) == ["t1-d0", "t1-d1", "t2-d0", "t2-d1"]
        assert not seen(page, "#to-lead")
        disputed = ann[2]
        join(page, serving, project, "lead")
        one(page, "#to-lead").click()
        until(page, lambda _: "1 document waits for you" in text(page, "#disputed-about"))
        until(page, lambda _: page.find_elements("css selector", "#scores table"))
        assert "On 4 documents that several graded" in text(page, "#agreement-about")
        assert "the same grade for 75.0%" in text(page, "#agreement-about")
        assert rows(page, "#disputed") == [
            ["solar power" if disputed < "t2" else "wind power", disputed, "ann: 0, not relevant\nbob: 1, relevant"]
        ]
        assert [row[:2] for row in rows(page, "#people")] == [["ann", "4"], ["bob", "4"], ["lead", "0"]]
        one(page, "#decide").click()
        until(page, lambda _: doc(page) == disputed)
        assert text(page, "#earlier") == "ann: 0, not relevantbob: 1, relevant"
        judge(page, "0", says="Saved: 0, not relevant for {doc}")
        until(page, lambda _: "Nothing waits for a decision" in text(page, "#waiting"))
        one(page, "#to-lead").click()
        until(page, lambda _: "Nothing waits for you" in text(page, "#disputed-about"))
        until(page, lambda _: "You can stop" in text(page, "#stop"))
        exported = page.execute_async_script(
            "const done = arguments[0]; fetch('/api/lead/export?format=qrels').then((a) => a.text()).then(done)"
        )
        path = tmp_path / "qrels.txt"
        path.write_text(exported)
        qrels = uj.read_qrels(path)
        assert {(row.split()[2], row.split()[3]) for row in exported.splitlines()} == {
            (name, "0" if name == disputed else "1") for name in ann
        }
        assert qrels is not None
    assert errors(page) == []
