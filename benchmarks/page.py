"""Speed, memory and size of a report, and how long a browser takes to open it: all runs of DL19 and of TREC-8.

    python -B benchmarks/page.py ../shared/data

Each report is made by a new process, with the processes that it starts; opening is the time from navigation to the end
of the load event, in Chromium without a window, the middle of five. Needs selenium and chromedriver. Prints a table as
Markdown; benchmarks/PAGE.md keeps what was measured.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLLECTIONS = {
    "dl19": ("2019qrels-pass.txt", "runs_teams.tsv", "topics.filtered.dl19.txt", "qrels_text.dl19.gz"),
    "trec8": ("trec8.qrels", "runs-pids", "topics.adhoc.401-450.txt", None),
}


def make(folder: Path, page: Path) -> tuple[float, float]:
    """Wall-clock seconds, and the highest resident memory of a process in MB."""
    qrels, groups, topics, texts = COLLECTIONS[folder.name]
    command = [sys.executable, "-m", "unjudged", "report", folder / qrels, folder / "runs", "-o", page, "--quiet"]
    command += ["--groups", folder / groups, "--topics", folder / topics]
    command += [] if texts is None else ["--texts", folder / texts]
    began = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def open_seconds(page: Path, profile: str) -> tuple[float, float]:
    """Seconds to open a page, and to show another measure."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}"):
        options.add_argument(option)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    opening, switching = [], []
    for _ in range(5):
        browser.get(page.as_uri())
        opening.append(
            browser.execute_script("const t = performance.timing; return t.loadEventEnd - t.navigationStart")
        )
        switching.append(
            browser.execute_script("""
                const [select, began] = [document.getElementById('measure'), performance.now()];
                select.value = '1';
                select.dispatchEvent(new Event('change'));
                document.body.getBoundingClientRect();
                return performance.now() - began;
            """)
        )
    browser.quit()
    return statistics.median(opening) / 1000, statistics.median(switching) / 1000


def main() -> None:
    shared = Path(sys.argv[1])
    print("| collection | made in, s | memory, MB | page, MB | opened in, s | other measure, s |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in COLLECTIONS:
            page = Path(scratch) / f"{name}.html"
            wall, memory = make(shared / name, page)
            opened, switched = open_seconds(page, f"{scratch}/{name}")
            size = page.stat().st_size / 1e6
            print(f"| {name} | {wall:.1f} | {memory:.0f} | {size:.1f} | {opened:.2f} | {switched:.2f} |")


if __name__ == "__main__":
    main()
