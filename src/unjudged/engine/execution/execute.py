"""Running a plan: in this process, in several, or on a Dask or Ray cluster through joblib's backends."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import socket
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from unjudged.engine.execution.plan import Arrays, Block, Plan
from unjudged.engine.execution.result_store import Store
from unjudged.engine.execution.worker_processes import (
    CAN_MAP,
    Mapped,
    in_processes,
    mapped,
    why_no_processes,
    without_last_words,
)
from unjudged.errors import FileError, InputError, MissingExtraError, UnjudgedError, UnjudgedWarning, some_of
from unjudged.limits import Choice, EngineName
from unjudged.progress import Progress, watched
from unjudged.threads import keep_freed_memory, worker_count

__all__ = ["Engine", "loading_code", "run_plan"]

_NEEDS = {"dask": "distributed", "ray": "ray"}

_TRIES = 3
"""How often blocks are tried whose workers die, while not a single one is finished in between."""
_SECONDS_TO_CONNECT = 10
_SECONDS_ALONE = 1.0
_WAVE = 4
"""Blocks for each worker that are handed out together where joblib gives no result before it has all of them."""


@dataclass(frozen=True)
class Engine:
    """Where blocks are worked on. The tables are the same, to the last bit, wherever that is."""

    where: EngineName = "local"
    address: str | None = None
    """Of a running cluster; without it, Dask and Ray start one on this machine."""
    jobs: int | None = None
    """Processes; one for each core unless given. A cluster that runs already has its own number."""

    def check(self) -> None:
        """Refuse what cannot be meant, or is not installed, before any work starts."""
        Choice(get_args(EngineName)).checked("engine", self.where)
        if self.where == "local" and self.address is not None:
            raise InputError("an address is for --engine dask or ray; the local engine has none")
        package = _NEEDS.get(self.where)
        if package is not None and importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, self.where, f"--engine {self.where}")


def run_plan(
    plan: Plan,
    engine: Engine | None = None,
    *,
    store: Store | None = None,
    progress: Progress | None = None,
    words: str = "",
) -> list[Arrays]:
    """The results of all blocks, in their order.

    Results that are in the *store* are taken from there, others are put there as they come. A block whose worker dies
    is tried again elsewhere; if that does not help, an error says which blocks are missing. *words* say what is done.
    """
    engine = engine or Engine()
    engine.check()
    keys = [plan.key(block) for block in plan.blocks]
    results: dict[int, Arrays] = {}
    if store is not None:
        results = {i: arrays for i, key in enumerate(keys) if (arrays := store.get(key)) is not None}
    missing = [i for i in range(len(keys)) if i not in results]
    # Closed in any case: what is still in the air ends here, and not whenever memory is cleared away.
    with contextlib.closing(_computed(plan, missing, engine)) as fresh:
        for i, arrays in watched(progress, fresh, len(missing), words):
            if store is not None:
                _keep(store, keys[i], arrays, f"{len(results):,} of {len(keys):,} blocks")
            results[i] = arrays
    return [results[i] for i in range(len(keys))]


def _keep(store: Store, key: str, arrays: Arrays, kept: str) -> None:
    try:
        store.put(key, arrays)
    except FileError as problem:
        raise FileError(problem.path, f"{problem.problem}; {kept} are kept: start again to go on from there") from None


@contextlib.contextmanager
def loading_code(engine: Engine, work: Callable[[Any, Any], Arrays]) -> Iterator[None]:
    """Processes that were asked for start and load the code of the work while this one does something else."""
    if engine.where != "local" or engine.jobs is None or engine.jobs < 2 or why_no_processes():
        yield
        return
    import joblib

    loading = in_processes(engine.jobs, (joblib.delayed(_nothing)(work) for _ in range(engine.jobs)))
    try:
        yield
    finally:
        with contextlib.suppress(Exception):  # a worker that dies here is replaced, or missed, when there are blocks
            list(loading)


def _nothing(work: Callable[[Any, Any], Arrays]) -> None:
    """Work that is done when it has come to a worker, since its code has then been loaded."""


def _computed(plan: Plan, wanted: Sequence[int], engine: Engine) -> Generator[tuple[int, Arrays]]:
    """Results of the wanted blocks as they come."""
    missing, tries = dict.fromkeys(wanted), 0
    if engine.where == "local":
        # Unless somebody asked for processes, they are only started for what takes longer than starting them.
        first = _SECONDS_ALONE if engine.jobs is None else 0.0
        alone = worker_count(engine.jobs, len(wanted)) == 1
        yield from _one_by_one(plan, missing, math.inf if alone else first)
        if missing and (why := why_no_processes()):
            text = f"no processes can be started ({why}): blocks are worked on one after the other"
            warnings.warn(f"{text}; processes need room in /dev/shm", UnjudgedWarning, stacklevel=2)
            yield from _one_by_one(plan, missing, math.inf)
    if not missing:
        return
    workers = worker_count(engine.jobs, len(missing))
    with _OPEN[engine.where](engine, workers) as send:
        while missing:
            failure = problem = None
            try:
                for i, result in send(plan, list(missing)):
                    if isinstance(result, Exception):
                        failure = result
                        break
                    del missing[i]
                    tries = 0
                    yield i, result
            except Exception as caught:
                # Errors of the work itself come as results, so this one is about a worker or the way to it.
                problem = caught
            if failure is not None:
                raise failure
            tries += 1
            if missing and tries == _TRIES:
                raise _lost([plan.blocks[i] for i in missing], len(wanted), problem) from None


def _one_by_one(plan: Plan, missing: dict[int, None], seconds: float) -> Iterator[tuple[int, Arrays]]:
    """Results of missing blocks that this process begins within so many seconds; they are missing no more."""
    began = time.monotonic()
    while missing and time.monotonic() - began < seconds:
        i = next(iter(missing))
        yield i, plan.work(plan.shared, plan.blocks[i].item)
        del missing[i]


def _lost(missing: Sequence[Block], wanted: int, problem: Exception | None) -> UnjudgedError:
    why = "no answer" if problem is None else getattr(problem, "strerror", None) or type(problem).__name__
    shown = some_of([block.words for block in missing], 3)
    return UnjudgedError(
        f"workers died {_TRIES} times in succession ({why}); {len(missing)} of {wanted} blocks are"
        f" missing: {shown}. What is done is kept where there is a --store: start again to go on"
    )


# ---- where blocks go: each opens a cluster and gives a function that sends blocks there


def _guarded(work: Callable[[Any, Any], Arrays], shared: Any, i: int, item: Any) -> tuple[int, Arrays | Exception]:
    """Work on one block in a worker. An error is a result, so that what joblib raises is about workers and no more."""
    try:
        keep_freed_memory()
        return i, work(shared.get() if isinstance(shared, Mapped | _InRay) else shared, item)
    except Exception as problem:
        return i, problem


def _calls(plan: Plan, wanted: Sequence[int], shared: Any) -> Iterator[Any]:
    import joblib

    for i in wanted:
        yield joblib.delayed(_guarded)(plan.work, shared, i, plan.blocks[i].item)


@contextlib.contextmanager
def _processes(engine: Engine, workers: int) -> Iterator[_Send]:
    """Processes on this machine."""

    def send(plan: Plan, wanted: Sequence[int]) -> Iterator[_Answer]:
        with mapped(plan.shared) if CAN_MAP else contextlib.nullcontext(plan.shared) as shared:
            yield from in_processes(workers, _calls(plan, wanted, shared))

    yield send


@contextlib.contextmanager
def _dask(engine: Engine, workers: int) -> Iterator[_Send]:
    import joblib
    from distributed import Client, LocalCluster
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            # With a single worker, joblib would do the work in this process instead.
            return max(2, int(super().effective_n_jobs(n_jobs)))

    def send(plan: Plan, wanted: Sequence[int]) -> Iterator[_Answer]:
        # Scattered for each call: data can be lost with the workers that had it.
        with joblib.parallel_config(backend=Backend(client=client, scatter=[plan.shared])):
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1)
            yield from without_last_words(parallel(_calls(plan, wanted, plan.shared)))

    with contextlib.ExitStack() as stack:
        where: Any = engine.address
        if where is None:
            here = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            where = stack.enter_context(here)
        try:
            client = stack.enter_context(Client(where, timeout=_SECONDS_TO_CONNECT))
        except (OSError, ValueError) as problem:
            raise InputError(f"no Dask scheduler answers at {engine.address}: {_first_line(problem)}") from None
        yield send


@contextlib.contextmanager
def _ray(engine: Engine, workers: int) -> Iterator[_Send]:
    import joblib
    import ray
    from ray.util.joblib import register_ray

    def send(plan: Plan, wanted: Sequence[int]) -> Iterator[_Answer]:
        shared = _InRay(ray.put(plan.shared))
        # Ray's backend gives results only when it has all, so that blocks go out in waves.
        with joblib.Parallel(count, backend="ray", batch_size=1) as parallel:
            for start in range(0, len(wanted), _WAVE * count):
                yield from parallel(_calls(plan, wanted[start : start + _WAVE * count], shared))

    register_ray()
    ours = not ray.is_initialized()
    try:
        _knock(engine.address)
        if ours:
            here = {"address": "local", "num_cpus": workers, "include_dashboard": False}
            ray.init(**({"address": engine.address} if engine.address else here), log_to_driver=False)
    except (OSError, ValueError) as problem:
        raise InputError(f"no Ray cluster answers at {engine.address}: {_first_line(problem)}") from None
    try:
        count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        yield send
    finally:
        if ours:
            ray.shutdown()


@dataclass(frozen=True)
class _InRay:
    """What all blocks share, in Ray's object store: one copy on each machine."""

    reference: Any

    def get(self) -> Any:
        import ray

        return ray.get(self.reference)


def _knock(address: str | None) -> None:
    """See whether somebody listens there: Ray itself tries for minutes before it gives up."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


_Answer = tuple[int, Arrays | Exception]
_Send = Callable[[Plan, Sequence[int]], Iterable[_Answer]]
_OPEN: dict[EngineName, Callable[[Engine, int], contextlib.AbstractContextManager[_Send]]] = {
    "local": _processes,
    "dask": _dask,
    "ray": _ray,
}
