"""``unjudged doctor``: are my files sound? One function per check; importing this package registers all of them."""

from __future__ import annotations

# The order of these imports is the order in which findings of one severity are shown.
from unjudged.studies.doctor import file_checks, qrels_checks, run_checks, order_checks, copied_runs  # isort: skip
from unjudged.studies.doctor.check import CHECKS, Check
from unjudged.studies.doctor.study import doctor

__all__ = ["CHECKS", "Check", "copied_runs", "doctor", "file_checks", "order_checks", "qrels_checks", "run_checks"]
