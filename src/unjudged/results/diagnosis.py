"""What ``doctor`` returns: what was read, what is wrong with it, and how much of it is judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from unjudged.errors import Notice
from unjudged.kernels import CORE
from unjudged.notebook_repr import NotebookRepr
from unjudged.results.provenance import Provenance
from unjudged.results.tabular import to_frame
from unjudged.wording import counted, visible

__all__ = ["SEVERITIES", "Diagnosis", "Finding", "JudgedRow", "QrelsSummary", "RunSummary", "Severity"]

Severity = Literal["error", "warning", "note"]
"""``error``: ``score`` refuses the file, or numbers are wrong. ``warning``: they may mislead. ``note``: the rest."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One problem in one place. ``file`` and ``line`` are None for what is not in a file."""

    code: str
    severity: Severity
    count: int
    message: str
    example: str
    next_step: str
    file: str | None = None
    line: int | None = None
    run: str | None = None
    """Name of the run concerned; None for the judgments."""
    lines: tuple[int, ...] = ()
    """Where all of them are, in order, for findings that list them: documents that are there twice. At most 1,000."""

    @property
    def where(self) -> str:
        """``file:line``, or the run's name, or ``judgments``."""
        if self.file is None:
            return "judgments" if self.run is None else f"run {self.run}"
        return self.file if self.line is None else f"{self.file}:{self.line}"


class JudgedRow(NamedTuple):
    """Share judged of one run at one cut-off, in one of the definitions of :class:`unjudged.measures.Judged`."""

    run: str
    definition: str
    cutoff: int
    judged: float


@dataclass(frozen=True)
class QrelsSummary:
    """What was read as judgments."""

    source: str
    topics: int
    judged: int
    pooled: int
    """Pooled but not judged (grades below 0, unless the user says otherwise)."""
    grades: dict[float, int]
    kind: str
    """``plain``, ``strata`` or ``diversity``."""
    subtopics: int = 0
    """Subtopics of all topics together."""
    covered_subtopics: int = 0
    """Those that some document is relevant to; measures leave out the others."""


@dataclass(frozen=True)
class RunSummary:
    """What was read as a run."""

    name: str
    source: str
    topics: int
    documents: int
    judged_at: tuple[float, ...] = ()
    """Share judged at each of the first ranks, over the judged topics that the run has; empty where it has none."""


@dataclass(frozen=True, eq=False)
class Diagnosis(NotebookRepr):
    """Everything the doctor found."""

    findings: tuple[Finding, ...]
    """Errors first, then in the order of the checks."""
    judged: tuple[JudgedRow, ...]
    qrels: QrelsSummary | None
    """None when the judgments could not be read."""
    runs: tuple[RunSummary, ...]
    """The runs that could be read."""
    warnings: tuple[Notice, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def __repr__(self) -> str:
        lines = [visible(f"{one.severity} {one.code}: {one.where}: {one.message}") for one in self.findings[:20]]
        more = [f"... {len(self.findings) - 20:,} more"] if len(self.findings) > 20 else []
        return "\n".join(
            [f"{counted(len(self.findings), 'finding')} in {counted(len(self.runs), 'run')}", *lines, *more]
        )

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings and notes may be there."""
        return not self.count("error")

    def count(self, severity: Severity) -> int:
        """Number of findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def to_frame(self, backend: str | None = None, *, judged: bool = False) -> Any:
        """The findings, or the shares judged, as a data frame (pandas, polars or pyarrow)."""
        if judged:
            names: Sequence[str] = JudgedRow._fields
            return to_frame({name: [row[i] for row in self.judged] for i, name in enumerate(names)}, backend)
        return to_frame(self.findings_by_column(), backend)

    def findings_by_column(self) -> dict[str, list[Any]]:
        """The findings as columns; line numbers are text, ``5 9 12``."""
        columns = {name: [getattr(one, name) for one in self.findings] for name in Finding.__dataclass_fields__}
        return columns | {"lines": [" ".join(map(str, one.lines)) for one in self.findings]}

    def to_json(self) -> str:
        """The JSON document described in the docs: ``unjudged``, ``inputs``, ``read``, ``findings``, ``judged``."""
        content = {
            "read": {
                "qrels": None if self.qrels is None else asdict(self.qrels),
                "runs": [asdict(one) for one in self.runs],
            },
            "findings": [asdict(one) for one in self.findings],
            "judged": [row._asdict() for row in self.judged],
        }
        return self.provenance.document(content, self.warnings, core=CORE)
