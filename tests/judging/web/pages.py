"""How tests use the page: what they press, and what they look at."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from unjudged.judging import Project
from unjudged.judging.serving import Serving

from .served import SECONDS

Browser = Any

LONG = "\n\n".join(
    f"Paragraph {i} is about nothing of that kind, and is long enough to fill a line." for i in range(80)
)
NETWORK = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


def forget(browser: Browser) -> None:
    """Be nobody. The page is left first: what it still asks for would be refused without its cookie."""
    browser.execute_script("try { localStorage.clear(); } catch {}")
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})


def wide(browser: Browser, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def until(browser: Browser, condition: Callable[[Browser], Any], what: str = "") -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, SECONDS, poll_frequency=0.05).until(condition, what)


def one(page: Browser, css: str) -> Any:
    return page.find_element("css selector", css)


def text(page: Browser, css: str) -> str:
    return str(page.execute_script("return document.querySelector(arguments[0]).textContent", css))


def join(page: Browser, serving: Serving, project: Project, name: str) -> None:
    """Open the link of an assessor."""
    if page.current_url.startswith("http"):
        forget(page)
    for log in ("browser", "performance"):
        page.get_log(log)
    page.get(serving.link(project.new_token(name)))
    until(page, lambda _: page.current_url == f"{serving.address}/", "the link leads to the page")
    until(page, lambda _: seen(page, "#shown") or "Nothing" in text(page, "#waiting"), "a document is shown")


def seen(page: Browser, css: str) -> bool:
    return bool(page.execute_script("return document.querySelector(arguments[0]).checkVisibility()", css))


def press(page: Browser, *keys: str) -> None:
    """Keys, each pressed once somebody could have seen the document."""
    for key in keys:
        until(page, lambda _: page.execute_script("return performance.now() - desk.shownAt > BOUNCE"))
        page.switch_to.active_element.send_keys(key)


def rows(page: Browser, css: str) -> list[list[str]]:
    """The cells of a table."""
    script = """
        const rows = [...document.querySelectorAll(`${arguments[0]} tbody tr`)];
        return rows.map((row) => [...row.cells].map((cell) => cell.innerText));
    """
    return list(page.execute_script(script, css))


def doc(page: Browser) -> str:
    return str(page.execute_script("return desk.tasks.length ? desk.tasks[0].doc : ''"))


def judge(page: Browser, key: str, *, says: str | None = None) -> str:
    """Press a key, and wait until the server has confirmed it; gives the document that was shown."""
    shown = doc(page)
    press(page, key)
    until(page, lambda _: is_saved(page, shown), f"{shown} is saved")
    if says is not None:
        assert text(page, "#saved") == says.format(doc=shown)
    return shown


def is_saved(page: Browser, shown: str) -> bool:
    script = "return outbox.entries.length === 0 && !outbox.sending && document.getElementById('saved').textContent"
    return str(page.execute_script(script)).endswith(shown)


def errors(page: Browser) -> list[str]:
    return [entry["message"] for entry in page.get_log("browser")]


def requests(page: Browser) -> list[dict[str, Any]]:
    """What the page asked for."""
    entries = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"]
    return [one["request"] for one in sent if one["documentURL"].startswith("http")]


def fits(page: Browser) -> bool:
    return bool(page.execute_script("return document.documentElement.scrollWidth <= window.innerWidth"))
