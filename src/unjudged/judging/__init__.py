"""Judging by people: a project is one file that knows what to judge, who judges it, and what they said.

>>> from unjudged.judging import Project
"""

from __future__ import annotations

from unjudged.judging.importing import Imported
from unjudged.judging.outlook import OutlookWorker
from unjudged.judging.project import Project
from unjudged.judging.records import (
    Agreement,
    Assessor,
    Conflict,
    FinalGrade,
    Guidelines,
    JudgmentRow,
    Merged,
    Progress,
    Recorded,
    Task,
)

__all__ = [
    "Agreement",
    "Assessor",
    "Conflict",
    "FinalGrade",
    "Guidelines",
    "Imported",
    "JudgmentRow",
    "Merged",
    "OutlookWorker",
    "Progress",
    "Project",
    "Recorded",
    "Task",
]
