"""A project: one file in which people judge documents, and what can be done with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Self

from unjudged.errors import InputError
from unjudged.io.sources import as_path
from unjudged.judging import assessors, assignment, lookups, recording
from unjudged.judging.agreement import agreement_of
from unjudged.judging.exporting import ExportFormat, export, exported
from unjudged.judging.importing import Imported, ImportFormat, import_file
from unjudged.judging.lock import Lock
from unjudged.judging.merging import merge
from unjudged.judging.outlook import Outlooks
from unjudged.judging.records import (
    Agreement,
    Assessor,
    FinalGrade,
    Guidelines,
    JudgmentRow,
    Kind,
    Merged,
    Progress,
    Recorded,
    Task,
)
from unjudged.judging.store import Store
from unjudged.limits import Whole

if TYPE_CHECKING:
    from unjudged.results.next_judgments import NextJudgments

__all__ = ["Project"]

_LONGEST_GUIDELINES = 1_000_000
_MOST_AT_ONCE = 1000
"""Documents that somebody may hold at once by asking for them."""


class Project:
    """A project file. All methods may be called from any thread; what they wrote is durable when they return.

    An *assessor* is one of :attr:`assessors` or a name. See ``docs/judge.md``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = as_path(path)
        if name is None:
            raise InputError(f"a project is a file, not {type(path).__name__}")
        self.path = name
        self._store = Store(name)
        self._held = assignment.Held()
        self._lock = Lock(name)
        self._outlook: NextJudgments | None = None
        with self._store.read() as connection:
            self.settings: Mapping[str, Any] = lookups.settings(connection)
            grades = connection.execute("SELECT grade, meaning FROM grades ORDER BY grade")
            self.grades: Mapping[int, str] = dict(grades.fetchall())
        self._link: str | None = self.settings.get("link")
        self._outlooks = Outlooks(self.settings, max(self.grades))

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        qrels: Any = None,
        runs: Any = (),
        *,
        topics: Any = None,
        texts: Any = None,
        link: str | None = None,
        strategy: Any = "decide",
        measure: Any = None,
        goal: str | Iterable[str] = (),
        labels: Any = None,
        grades: Mapping[int, str] | None = None,
        guidelines: str = "",
        overlap: float = 0.1,
        assessors: Sequence[str] = ("assessor",),
        lead: str | None = None,
        seed: int = 42,
        depth: int | None = None,
    ) -> Self:
        """Make a project of the documents that some run has within *depth*, and open it.

        *qrels*, *runs*, *topics*, *texts* and *labels*: as for :meth:`unjudged.Collection.next_judgments`; judgments
        that are there already are kept as imported ones. *link*: an address with ``{doc}`` in it, where a document can
        be looked at. *strategy*, *measure* and *goal*: what is judged first, and what for. *grades*: from 0 to 9, with
        their meaning; those up to the highest in *qrels* unless given. *overlap*: the share of documents that two
        assessors judge. *lead*: who also sees what the judgments say, and decides where assessors differ: the only
        assessor, or one named ``lead``, unless given.
        """
        from unjudged.judging.making import Plan, make

        name = as_path(path)
        if name is None:
            raise InputError(f"a project is a file, not {type(path).__name__}")
        plan = Plan.of(
            qrels=qrels,
            runs=runs,
            topics=topics,
            texts=texts,
            link=link,
            strategy=strategy,
            measure=measure,
            goal=goal,
            labels=labels,
            grades=grades,
            guidelines=guidelines,
            overlap=overlap,
            assessors=assessors,
            lead=lead,
            seed=seed,
            depth=depth,
        )
        make(name, plan)
        project = cls(name)
        if project.settings["runs"] is None:
            project._outlooks.runs = plan.runs
        if plan.labels is not None and project.settings["labels"] is None:
            project._outlooks.labels = plan.labels
        return project

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and let others serve it."""
        self._store.close()
        self._lock.release()

    def __repr__(self) -> str:
        return f"Project({self.path!r})"

    @property
    def read_only(self) -> bool:
        """Whether the file can only be read, as its folder or the file is."""
        return self._store.read_only

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several calls in one commit, which are durable together; one that fails takes no other with it."""
        with self._store.write():
            yield

    def lock(self, note: str = "") -> None:
        """Be the one process that serves this project, until it is closed or ends; *note* is for others who try."""
        self._lock.take(note)

    # ---- who judges

    @property
    def assessors(self) -> tuple[Assessor, ...]:
        """Who judges, and where imported judgments are from."""
        with self._store.read() as connection:
            return assessors.assessors(connection)

    def add_assessor(self, name: str, lead: bool = False) -> str:
        """Somebody more who judges; gives their token."""
        with self._store.write() as connection:
            number = assessors.add_assessor(connection, name, lead=lead)
            return assessors.new_token(connection, Assessor(number, name, lead))

    def new_token(self, name: str) -> str:
        """One more token of an assessor; those given out before stay good."""
        with self._store.write() as connection:
            return assessors.new_token(connection, assessors.find_assessor(connection, name))

    def revoke_tokens(self, name: str) -> None:
        """Make all tokens of an assessor useless."""
        with self._store.write() as connection:
            who = assessors.find_assessor(connection, name)
            connection.execute("DELETE FROM tokens WHERE assessor = ?", (who.id,))

    def assessor_of(self, token: str) -> Assessor | None:
        """Whose token it is, compared in constant time; None where it is nobody's."""
        with self._store.read() as connection:
            return assessors.assessor_of(connection, token)

    # ---- judging

    def next(self, assessor: Assessor | str, number: int = 1) -> tuple[Task, ...]:
        """What an assessor judges next: first what they hold already. It is theirs until they answer."""
        with self._store.write() as connection:
            who = assessors.find_assessor(connection, assessor)
            if not who.person:
                raise InputError(f"{who.name} is where judgments were imported from, and judges nothing here")
            number = Whole(1, _MOST_AT_ONCE).checked("the number of documents", number)
            return lookups.tasks(connection, assignment.give(connection, who.id, number, self._held), self._link)

    def release(self, assessor: Assessor | str) -> int:
        """Give what an assessor holds to others; how many documents that is."""
        with self._store.write() as connection:
            who = assessors.find_assessor(connection, assessor)
            asked = "SELECT pair FROM assignments WHERE assessor = ? AND state = 'held'"
            pairs = [pair for (pair,) in connection.execute(asked, (who.id,))]
            for pair in pairs:
                assignment.put(connection, pair, who.id, "late")
            return len(pairs)

    def record(
        self,
        assessor: Assessor | str,
        pair: int,
        kind: Kind,
        *,
        grade: int | None = None,
        note: str = "",
        flagged: bool = False,
        seconds: float | None = None,
        text_sha256: str | None = None,
        guidelines: int | None = None,
        key: str | None = None,
    ) -> Recorded:
        """Add what an assessor said: a ``grade``, ``skip``, ``cannot`` (judge), or ``withdraw``. The last counts.

        With a *key*, the same request is recorded once however often it comes.
        """
        said = recording.Said(kind, grade, note, flagged, seconds, text_sha256, guidelines, key)
        with self._store.write() as connection:
            who = assessors.find_assessor(connection, assessor)
            return recording.record(connection, who.id, pair, said)

    def undo(self, assessor: Assessor | str, key: str | None = None) -> Task | None:
        """Take back the last judgment of an assessor that counts.

        They hold the document again, before all others, and see what they said. With a *key*, the same request takes
        back one judgment however often it comes.
        """
        with self._store.write() as connection:
            undone = recording.undo(connection, assessors.find_assessor(connection, assessor).id, key)
            if undone is None:
                return None
            pair, judgment = undone
            (task,) = lookups.tasks(connection, [pair], self._link)
            return Task(**{**vars(task), "earlier": (lookups.said_in(connection, judgment),)})

    def adjudicate(
        self, assessor: Assessor | str, pair: int, grade: int, note: str = "", *, key: str | None = None
    ) -> Recorded:
        """The lead's decision on a document, which counts from now on, whatever others said or say."""
        said = recording.Said("adjudicate", grade, note, key=key)
        with self._store.write() as connection:
            who = assessors.find_assessor(connection, assessor)
            return recording.adjudicate(connection, who.id, pair, said)

    def set_guidelines(self, markdown: str) -> int:
        """Change the guidelines; those of before stay in the file with the judgments that were made by them."""
        text = recording.written_text("the guidelines", markdown, _LONGEST_GUIDELINES)
        with self._store.write() as connection:
            connection.execute("INSERT INTO guidelines (markdown, at) VALUES (?, ?)", (text, recording.now()))
            return lookups.guidelines(connection).version

    # ---- looking

    def guidelines(self, version: int | None = None) -> Guidelines:
        """A version of the guidelines, the last unless one is asked for."""
        with self._store.read() as connection:
            return lookups.guidelines(connection, version)

    def history(self, topic: str | None = None, doc: str | None = None) -> tuple[JudgmentRow, ...]:
        """All that was ever said of a document, or of all, in order."""
        with self._store.read() as connection:
            if topic is None or doc is None:
                return lookups.history(connection)
            return lookups.history(connection, lookups.pair_of(connection, topic, doc))

    def progress(self, assessor: Assessor | str | None = None) -> Progress:
        """How far the work is; with an assessor, of their own number and speed only."""
        with self._store.read() as connection:
            who = None if assessor is None else assessors.find_assessor(connection, assessor).id
            return lookups.progress(connection, who)

    def agreement(self) -> Agreement:
        """How far assessors agree on what several graded."""
        with self._store.read() as connection:
            return agreement_of(connection, list(self.grades))

    def disagreements(self, number: int | None = None) -> tuple[Task, ...]:
        """Documents whose judges differ, or could not judge, and that wait for the lead; with what was said."""
        with self._store.read() as connection:
            return lookups.disputed(connection, self._link, number)

    def judgments(self) -> tuple[FinalGrade, ...]:
        """What counts for each judged document."""
        with self._store.read() as connection:
            return tuple(lookups.final_grades(connection))

    # ---- what the judgments say

    def outlook(self) -> NextJudgments | None:
        """What was found in this process when it was refreshed last; None before."""
        return self._outlook

    def refresh(self, computed: NextJudgments | None = None) -> NextJudgments:
        """What the judgments say now: scores with bounds, pairs of runs decided, judgments to go, recall.

        What is open is put in the order in which the strategy asks for it, unless the file can only be read.
        *computed*: what another process has found for the same file.
        """
        result = self.compute_outlook() if computed is None else computed
        if not self.read_only and not self.settings["sampled"]:
            with self._store.write() as connection:
                assignment.put_first(connection, [(row.topic, row.doc) for row in result.judgments()])
        self._outlook = result
        return result

    def compute_outlook(self) -> NextJudgments:
        """The same, but all stays as it is."""
        grades: dict[str, dict[str, int]] = {}
        for row in self.judgments():
            grades.setdefault(row.topic, {})[row.doc] = row.grade
        return self._outlooks.compute(grades)

    @property
    def is_in_file(self) -> bool:
        """Whether another process can compute the same: runs and labels are files, not in this one's memory."""
        return not self._outlooks.in_memory

    # ---- in and out

    def export(self, path: str | os.PathLike[str], format: ExportFormat | None = None) -> None:  # noqa: A002
        """Write what counts as judgments (``qrels``) or JSON lines, or the whole history as CSV; by the ending."""
        with self._store.read() as connection:
            export(connection, os.fspath(path), format, self.path)

    def exported(self, format: ExportFormat = "qrels") -> str:  # noqa: A002
        """What an export would write."""
        with self._store.read() as connection:
            return exported(connection, format)

    def import_judgments(
        self,
        source: Any,
        assessor: str | None = None,
        format: ImportFormat | None = None,  # noqa: A002
    ) -> Imported:
        """Add judgments of elsewhere: qrels, JSON lines, an export of Label Studio, Argilla or Quepid.

        They are in the name of *assessor*, or of those whom the file names, or of the file. What was imported before
        is known and not added again.
        """
        with self._store.write() as connection:
            return import_file(connection, source, assessor, format, self.grades)

    def merge(self, other: str | os.PathLike[str]) -> Merged:
        """Bring in what another project file has, with the conflicts; that file stays as it is."""
        path = os.fspath(other)
        if os.path.exists(path) and os.path.samefile(path, self.path):  # noqa: PTH110,PTH121
            raise InputError(f"{path}: this is the project itself")
        with closing(Store(path)) as there, there.read() as its, self._store.write() as connection:
            return merge(connection, its, path)
