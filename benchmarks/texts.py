"""Speed and memory of reading text: a gigabyte of generated documents, of which 2% are wanted.

    python -B benchmarks/texts.py --megabytes 1000

Makes the text in a temporary folder (and removes it), reads it in a new process on one core and one thread for each
case, and prints a table as Markdown; benchmarks/TEXTS.md keeps what was measured.

The words follow Zipf's law over five million different ones, so that the vocabulary grows with the text as it does on
the web: about three million distinct words in a gigabyte.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

VOCABULARY = 5_000_000
ZIPF = 1.1
WORDS_PER_DOCUMENT = 70
WANTED_OF = 50  # one of so many documents is wanted: 2%
SEED = 7

CASES = {
    "JSON lines": ("docs.jsonl", {}),
    "TSV": ("docs.tsv", {}),
    "TSV, stemmed, without stop words": ("docs.tsv", {"stem": "english", "stop_words": "english"}),
    "TSV with é and “”": ("marked.tsv", {}),
    "TSV, collection from a file of term counts": ("docs.tsv", {"term_counts": "counts"}),
    "TSV, from the cache": ("docs.tsv", {"cache": "cache"}),
}


def generate(folder: Path, megabytes: int, names: Iterable[str]) -> int:
    """The same documents in each of the named files. Gives their number."""
    rng = np.random.default_rng(SEED)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", dtype="S1")
    lengths = rng.integers(2, 11, VOCABULARY)
    spelling = letters[rng.integers(0, 26, (VOCABULARY, 10))].view("S10").ravel()
    words = np.array([word[:length] for word, length in zip(spelling.tolist(), lengths.tolist(), strict=True)])
    probabilities = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1) ** ZIPF)
    probabilities /= probabilities[-1]
    documents = size = 0
    with ExitStack() as stack:
        files = {name: stack.enter_context((folder / name).open("wb")) for name in names}
        while size < megabytes * 1_000_000:
            chosen = words[np.searchsorted(probabilities, rng.random(WORDS_PER_DOCUMENT * 10_000))].tolist()
            for start in range(0, len(chosen), WORDS_PER_DOCUMENT):
                text = b" ".join(chosen[start : start + WORDS_PER_DOCUMENT]).capitalize() + b"."
                for name, file in files.items():
                    file.write(FORMATS[name](documents, text))
                size += len(text) + 8
                documents += 1
    (folder / "counts").write_bytes(b"".join(b"%b 1\n" % word for word in set(words[:200_000].tolist())))
    return documents


FORMATS: dict[str, Callable[[int, bytes], bytes]] = {
    "docs.jsonl": lambda number, text: b'{"id": "d%d", "text": "%b"}\n' % (number, text),
    "docs.tsv": lambda number, text: b"d%d\t%b\n" % (number, text),
    "marked.tsv": lambda number, text: b"d%d\t\xe2\x80\x9c%b\xe2\x80\x9d\n" % (number, text.replace(b"q", b"\xc3\xa9")),
}


def measure(folder: Path, case: str, documents: int) -> None:
    """One measurement: seconds of processor time, wall-clock seconds, highest resident MB, documents and terms kept."""
    import unjudged as uj

    name, how = CASES[case]
    how = {key: str(folder / value) if key in {"term_counts", "cache"} else value for key, value in how.items()}
    wanted = {f"d{i}" for i in range(0, documents, WANTED_OF)}
    wall, cpu = time.perf_counter(), time.process_time()
    texts = uj.read_texts(folder / name, wanted, **how)
    # Not ru_maxrss, which a new process inherits from the one that started it.
    status = Path("/proc/self/status").read_text()
    memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
    print(time.process_time() - cpu, time.perf_counter() - wall, memory, len(texts), len(texts.words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--only", action="append", choices=list(CASES), help="only this case; repeat for more")
    parser.add_argument("--reference", action="store_true", help="also the NumPy core, which is three times slower")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--documents", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        measure(given.folder, given.case, given.documents)
        return
    core = f"{min(os.sched_getaffinity(0))}"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(prefix="unjudged-texts-") as name:
        folder = Path(name)
        chosen = given.only or list(CASES)
        documents = generate(folder, given.megabytes, {CASES[case][0] for case in chosen})
        print(f"{documents:,} documents; load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        print("| what | core | file, MB | processor, s | MB/s | wall clock, s | resident, MB | kept | terms |")
        print("|---|---|---|---|---|---|---|---|---|")
        cases = [(case, "fast") for case in chosen] + ([("JSON lines", "reference")] if given.reference else [])
        for case, which in cases:
            command = [sys.executable, "-B", __file__, "--folder", name, "--documents", str(documents), "--case", case]
            command = ["taskset", "-c", core, *command]
            if "cache" in CASES[case][1]:
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)  # fills it
            out = subprocess.check_output(command, env={**environment, "UNJUDGED_CORE": which}).split()
            cpu, wall, memory = map(float, out[:3])
            size = (folder / CASES[case][0]).stat().st_size / 1e6
            kept, terms = int(out[3]), int(out[4])
            print(
                f"| {case} | {which} | {size:,.0f} | {cpu:.1f} | {size / cpu:.0f} | {wall:.1f} | {memory:,.0f}"
                f" | {kept:,} | {terms:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
