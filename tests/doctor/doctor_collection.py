"""A small sound collection, and ways to spoil it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import unjudged as uj
from unjudged.results.diagnosis import Diagnosis, Finding

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 2\n2 0 d 0\n"
RUN = "1 Q0 a 1 2.0 mine\n1 Q0 b 2 1.0 mine\n2 Q0 d 1 2.0 mine\n2 Q0 c 2 1.0 mine\n"
OTHER = "1 Q0 b 1 2.0 other\n1 Q0 a 2 1.0 other\n2 Q0 c 1 2.0 other\n2 Q0 d 2 1.0 other\n"


@dataclass(frozen=True)
class Collection:
    """Files in a folder, under names that messages can be compared with."""

    folder: Path

    def write(self, qrels: str = QRELS, runs: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
        """Write ``qrels`` and the runs (``{name: text}``); returns their paths."""
        runs = {"mine": RUN} if runs is None else runs
        for name, text in {"qrels": qrels, **runs}.items():
            (self.folder / name).write_text(text)
        return str(self.folder / "qrels"), [str(self.folder / name) for name in runs]

    def diagnose(
        self,
        qrels: str = QRELS,
        runs: Mapping[str, str] | None = None,
        *,
        cutoffs: tuple[int, ...] = (),
        texts: Mapping[str, str] | None = None,
    ) -> Diagnosis:
        """Write and examine."""
        path, paths = self.write(qrels, runs)
        return uj.doctor(path, paths, cutoffs=cutoffs, texts=texts)


def lines(diagnosis: Diagnosis, code: str) -> list[str]:
    """The findings of one code, each as one line of text: severity, count, place, message, example."""
    return [_line(one) for one in diagnosis.findings if one.code == code]


def _line(one: Finding) -> str:
    place = "-" if one.file is None else Path(one.file).name
    place += "" if one.line is None else f":{one.line}"
    return f"{one.severity} {one.count} {place} | {one.message} | {one.example}"
