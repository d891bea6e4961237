"""Times `unjudged score` on one run as TREC's columns, CSV, TSV, and CSV with spaces and quotes; writes SEPARATED.md.

    python -B benchmarks/separated.py                       # a CSV of 1 GB; files are temporary
    python -B benchmarks/separated.py --megabytes 100       # a smaller one

Processor time is the lowest of the repetitions, in which files take turns; the speed is that of the same rows as TREC's
columns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from cold import once
from environments import HERE, machine

DEPTH, SEED = 1000, 7919
LEAST, ROOM = 0.5, 200.0
"""Of TREC's speed, and megabytes."""
HEADER = "query_id{0}doc_id{0}score\n"
FORMS: dict[str, tuple[str, Callable[[int, str, str], str]]] = {
    "TREC's columns": ("", lambda topic, doc, score: f"{topic} Q0 {doc} 1 {score} run\n"),
    "CSV": (HEADER.format(","), lambda topic, doc, score: f"{topic},{doc},{score}\n"),
    "TSV": (HEADER.format("\t"), lambda topic, doc, score: f"{topic}\t{doc}\t{score}\n"),
    "CSV, spaces": (HEADER.format(","), lambda topic, doc, score: f"query {topic},doc {doc},{score}\n"),
    "CSV, quotes": (HEADER.format(","), lambda topic, doc, score: f'"{topic}","{doc}","{score}"\n'),
}


def documents(topic: int) -> Iterator[tuple[str, str]]:
    """Different documents, best first."""
    for rank in range(DEPTH):
        yield f"D{(topic * DEPTH + rank) * SEED % 10**9:09d}", f"{20 - rank / 60:.6f}"


def write(folder: Path, form: str, topics: int) -> tuple[Path, Path]:
    """Judgments of every tenth document of the first 1,000 topics, and a run, in the same form."""
    header, line = FORMS[form]
    name = "".join(filter(str.isalpha, form))
    qrels, run = folder / f"{name}.qrels", folder / f"{name}.run"
    with run.open("w") as out:
        out.write(header)
        for topic in range(topics):
            out.writelines(line(topic, doc, score) for doc, score in documents(topic))
    with qrels.open("w") as out:
        out.write(header)
        for topic in range(min(topics, 1000)):
            rows = [(doc, str(rank % 3)) for rank, (doc, _) in enumerate(documents(topic)) if rank % 10 == 0]
            if header:
                out.writelines(line(topic, doc, grade) for doc, grade in rows)
            else:
                out.writelines(f"{topic} 0 {doc} {grade}\n" for doc, grade in rows)
    return qrels, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1000, help="of the CSV")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    topics = max(1, options.megabytes * 10**6 // (DEPTH * 26))
    found: dict[str, list[tuple[float, float, float]]] = {form: [] for form in FORMS}
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        files = {form: write(Path(folder), form, topics) for form in FORMS}
        for _ in range(options.repeat):
            for form, (qrels, run) in files.items():
                sizes[form] = run.stat().st_size / 1e6
                call = [sys.executable, "-m", "unjudged", "score", str(qrels), str(run), "-m", "nDCG@10", "--quiet"]
                found[form].append(once([*call, "--holes", "nonrelevant"]))
    trec = min(cpu for _, cpu, _ in found["TREC's columns"])
    rows, missed = [], False
    for form, times in found.items():
        cpu, room = min(one[1] for one in times), max(one[2] for one in times)
        fine = trec / cpu >= LEAST and room <= ROOM
        missed |= not fine
        cells = [form, f"{sizes[form]:,.0f}", f"{cpu:.2f}", f"{trec / cpu:.2f}", f"{room:.0f}"]
        rows.append(f"| {' | '.join([*cells, 'met' if fine else '**missed**'])} |")
    made = f"{datetime.now(UTC):%Y-%m-%d} ({machine()})"
    text = (
        "# CSV and TSV beside TREC's columns\n\n"
        f"Written by `python -B benchmarks/separated.py` on {made}: `unjudged score --holes nonrelevant -m nDCG@10` on"
        f" one run of {topics:,} topics with {DEPTH:,} documents. Processor time is the lowest of {options.repeat}; the"
        f" speed is that of the same rows as TREC's columns, of which it has to be {LEAST:g}; memory is the highest of"
        f" the process, at most {ROOM:.0f} MB.\n\n"
        "| file | MB | processor, s | speed | memory, MB | |\n| --- | ---: | ---: | ---: | ---: | --- |\n"
    )
    (HERE / "SEPARATED.md").write_text(text + "\n".join(rows) + "\n", encoding="utf-8")
    print("\n".join(rows))
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
