"""The wheel with each extra in a new environment: what was one line without it works, and so does the demo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unjudged.demo.collection import write_collection

from .conftest import run
from .extras import ROWS, Row

pytestmark = pytest.mark.slow

# Writes what the row reads, with the packages that the extra brings.
MAKE = {
    "parquet": (
        "import pyarrow as pa, pyarrow.parquet as pq\n"
        "rows = [line.split() for line in open('qrels.txt')]\n"
        "columns = {'query_id': [r[0] for r in rows], 'doc_id': [r[2] for r in rows]}\n"
        "pq.write_table(pa.table(columns | {'relevance': [int(r[3]) for r in rows]}), 'qrels.parquet')"
    ),
    "zstd": (
        "import zstandard\nopen('run.zst', 'wb').write(zstandard.compress(open('runs/birch-keyword.run', 'rb').read()))"
    ),
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.extra)
def test_with_the_extra_it_works(row: Row, environment: Callable[..., Path], wheel: Path, tmp_path: Path) -> None:
    programs = environment(row.extra, f"{wheel}[{row.extra}]")
    demo = run([programs / "unjudged", "demo", tmp_path / "walk"])
    assert demo.returncode == 0, demo.stderr
    folder = write_collection(tmp_path / "demo").directory
    made = run([programs / "python", "-c", MAKE.get(row.extra, "")], cwd=folder)
    assert made.returncode == 0, made.stderr
    arguments = list(row.arguments)
    if row.extra == "datasets":  # nothing is downloaded here; what ir_datasets answers shows that it was asked
        arguments[arguments.index("ir_datasets:vaswani")] = "ir_datasets:no-such-dataset"
    done = run([programs / "python", *arguments], cwd=folder)
    if row.extra == "datasets":
        assert done.stderr == (
            "unjudged: ir_datasets:no-such-dataset: ir_datasets has no such dataset"
            " (`ir_datasets list` lists them all)\n"
        )
        return
    assert done.returncode == 0, done.stderr
    assert row.says not in done.stderr


def test_all_extras_together(environment: Callable[..., Path], wheel: Path) -> None:
    programs = environment("all", f"{wheel}[all]")
    missing = [module for row in ROWS for module in row.modules]
    code = f"import importlib.util as u; print([one for one in {missing!r} if u.find_spec(one) is None])"
    assert run([programs / "python", "-c", code]).stdout == "[]\n"
    assert run([programs / "python", "-m", "pip", "check"]).returncode == 0
