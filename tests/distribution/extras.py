"""What needs which extra, and the line that says so where it is missing. A new extra needs a row here."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """How to use what an extra is for, in a folder with the demo collection, and what that says without it."""

    extra: str
    modules: tuple[str, ...]
    """The modules that are missing without it."""
    arguments: tuple[str, ...]
    """Of ``python``."""
    says: str


def _cli(*arguments: str) -> tuple[str, ...]:
    return ("-m", "unjudged", *arguments)


_ONE = ("qrels.txt", "runs/birch-keyword.run")
_TEXTS = ("diversity.qrels", "runs/birch-keyword.run", "-m", "ABSRB@5", "--texts", "docs.jsonl")

UNREAD = {"qrels.parquet": b"PAR1", "run.zst": b"\x28\xb5\x2f\xfd"}
"""Files that begin as such files do; nobody gets as far as to read more of them."""

ROWS = (
    Row(
        "report",
        ("altair", "vl_convert"),
        _cli("score", *_ONE, "--plot", "chart.svg"),
        "drawing a chart needs altair and vl-convert-python: pip install 'unjudged[report]'",
    ),
    Row(
        "parquet",
        ("pyarrow",),
        _cli("score", "qrels.parquet", "runs/birch-keyword.run"),
        "reading Parquet files needs pyarrow: pip install 'unjudged[parquet]'",
    ),
    Row(
        "datasets",
        ("ir_datasets",),
        _cli("score", "ir_datasets:vaswani", "runs/birch-keyword.run"),
        "ir_datasets:vaswani needs ir_datasets: pip install 'unjudged[datasets]'",
    ),
    Row(
        "dask",
        ("distributed",),
        _cli("reuse", "truth.qrels", "runs", "--engine", "dask", "--degrade", "KeepFraction(50%)"),
        "--engine dask needs distributed: pip install 'unjudged[dask]'",
    ),
    Row(
        "ray",
        ("ray",),
        _cli("reuse", "truth.qrels", "runs", "--engine", "ray", "--degrade", "KeepFraction(50%)"),
        "--engine ray needs ray: pip install 'unjudged[ray]'",
    ),
    Row(
        "ir-measures",
        ("ir_measures",),
        ("-c", "import unjudged.compat.ir_measures"),
        "unjudged.compat.ir_measures needs ir_measures: pip install 'unjudged[ir-measures]'",
    ),
    Row(
        "pyterrier",
        ("pyterrier", "ir_measures"),
        ("-c", "import unjudged.compat.pyterrier"),
        "unjudged.compat.pyterrier needs PyTerrier: pip install 'unjudged[pyterrier]'",
    ),
    Row(
        "text",
        ("Stemmer",),
        _cli("score", *_TEXTS, "--stem", "english"),
        "stemming needs PyStemmer: pip install 'unjudged[text]'",
    ),
    Row(
        "zstd",
        ("zstandard",),
        _cli("score", "qrels.txt", "run.zst"),
        "reading .zst files needs zstandard: pip install 'unjudged[zstd]'",
    ),
    Row(
        "judge",
        ("starlette", "uvicorn"),
        _cli("judge", "work.unjudged", "--runs", "runs", "--no-browser"),
        "a page to judge on needs uvicorn: pip install 'unjudged[judge]'",
    ),
)
