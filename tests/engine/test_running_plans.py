"""Plans give the same results wherever they run, and nothing is lost without a word."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from counting_work import plan_of

from unjudged.engine.execution import execute as execute_module
from unjudged.engine.execution.execute import Engine, run_plan
from unjudged.engine.execution.plan import Arrays, Block, Plan, digest_of
from unjudged.engine.execution.result_store import Store
from unjudged.errors import FileError, InputError, MissingExtraError, UnjudgedError

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def workers_can_import_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(HERE), *sys.path, os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


@pytest.fixture(scope="module", autouse=True)
def one_ray_for_all() -> Iterator[None]:
    """Starting Ray takes longer than all tests; the first that needs it starts it."""
    yield
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()


def started(engine: Engine) -> Engine:
    if engine.where == "ray":
        import ray

        if not ray.is_initialized():
            ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    return engine


def same(left: list[Arrays], right: list[Arrays]) -> bool:
    return all(
        one.keys() == other.keys() and all(one[name].tobytes() == other[name].tobytes() for name in one)
        for one, other in zip(left, right, strict=True)
    )


def engines() -> list[object]:
    needs = {"dask": "distributed", "ray": "ray"}
    out: list[object] = [Engine(jobs=2)]
    for where, package in needs.items():
        there = pytest.mark.skipif(importlib.util.find_spec(package) is None, reason=f"{package} is not installed")
        out.append(pytest.param(Engine(where, jobs=2), marks=[there, pytest.mark.slow], id=where))
    return out


def test_one_process_needs_no_workers() -> None:
    result = run_plan(plan_of([""] * 3), Engine(jobs=1))
    assert [one["sum"].item() for one in result] == [0, 44999850000.0, 2 * 44999850000.0]
    assert run_plan(plan_of([]), Engine(jobs=1)) == run_plan(plan_of([]), Engine(jobs=2)) == []


@pytest.mark.parametrize("engine", engines(), ids=str)
def test_results_are_the_same_everywhere(engine: Engine, tmp_path: Path) -> None:
    plan = plan_of([""] * 12)
    expected = run_plan(plan, Engine(jobs=1))
    seen = []
    result = run_plan(
        plan, engine, store=Store(tmp_path / "s"), progress=lambda items, total, words="": seen.append(total) or items
    )
    assert same(result, expected)
    assert seen == [12]


@pytest.mark.parametrize("engine", engines(), ids=str)
def test_a_worker_that_dies_is_replaced(engine: Engine, tmp_path: Path) -> None:
    plan = plan_of(["", f"die once {tmp_path / 'died'}", *[""] * 6])
    result = run_plan(plan, started(engine))
    assert (tmp_path / "died").exists()
    assert same(result, run_plan(plan_of([""] * 8), Engine(jobs=1)))


@pytest.mark.slow
@pytest.mark.parametrize("engine", engines(), ids=str)
def test_blocks_that_kill_every_worker_are_named(engine: Engine, tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    plan = plan_of([*[""] * 4, "die"])
    with pytest.raises(
        UnjudgedError, match=r"^workers died 3 times in succession \(\w+\); \d of 5 blocks are missing: .*b"
    ):
        run_plan(plan, started(engine), store=store)
    assert store.get(plan.key(plan.blocks[4])) is None
    mended = Plan(plan.work, plan.shared, (*plan.blocks[:4], Block((4, ""), "block 4")), plan.identity)
    assert same(run_plan(mended, engine, store=store), run_plan(plan_of([""] * 5), Engine(jobs=1)))


@pytest.mark.parametrize("engine", [Engine(jobs=1), *engines()], ids=str)
def test_an_error_of_the_work_is_raised_as_it_is(engine: Engine) -> None:
    with pytest.raises(ValueError, match=r"^block 2 cannot be computed$"):
        run_plan(plan_of(["", "", "fail", ""]), started(engine))


def test_what_is_in_the_store_is_not_computed_again(tmp_path: Path) -> None:
    store, plan = Store(tmp_path / "s"), plan_of([""] * 4)
    expected = run_plan(plan, Engine(jobs=1), store=store)
    failing = plan_of(["fail"] * 4)  # the same blocks by name: none is computed
    assert same(run_plan(failing, Engine(jobs=1), store=Store(tmp_path / "s")), expected)
    other = Plan(plan.work, plan.shared, plan.blocks, "another identity")
    assert other.key(plan.blocks[0]) != plan.key(plan.blocks[0])


def test_bad_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^an address is for --engine dask or ray; the local engine has none$"):
        run_plan(plan_of([""]), Engine(address="tcp://somewhere:1"))
    monkeypatch.setattr(execute_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"^--engine ray needs ray: pip install 'unjudged\[ray\]'$"):
        run_plan(plan_of([""]), Engine("ray"))


@pytest.mark.slow
@pytest.mark.parametrize(("where", "named"), [("dask", "Dask scheduler"), ("ray", "Ray cluster")])
def test_nobody_at_the_address(where: execute_module.Where, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[where])
    monkeypatch.setattr(execute_module, "_SECONDS_TO_CONNECT", 1)
    address = {"dask": "tcp://127.0.0.1:9", "ray": "127.0.0.1:9"}[where]
    with pytest.raises(InputError, match=rf"^no {named} answers at {address}: "):
        run_plan(plan_of([""]), Engine(where, address=address))


def test_digests_tell_things_apart() -> None:
    things = [
        1,
        1.0,
        "1",
        (1,),
        (1, 2),
        ((1,), 2),
        (1, (2,)),
        np.array([1]),
        np.array([1.0]),
        np.array([[1]]),
        None,
        b"1",
    ]
    assert len({digest_of(thing) for thing in things}) == len(things)
    assert digest_of(np.arange(6).reshape(2, 3).T) == digest_of(np.arange(6).reshape(2, 3).T.copy())


# ---- a full disk


def test_a_store_without_room_is_one_error_in_our_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """joblib would add a warning about tasks that were cancelled, and how to write a better iterator."""
    store, plan = Store(tmp_path / "s"), plan_of([""] * 12)
    put, kept = store.put, []

    def until_full(key: str, arrays: Arrays) -> None:
        if len(kept) == 3:
            raise FileError("x.block", "cannot be written: No space left on device")
        kept.append(key)
        put(key, arrays)

    monkeypatch.setattr(store, "put", until_full)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FileError) as caught:
            run_plan(plan, Engine(jobs=2), store=store)
    assert str(caught.value) == (
        "x.block: cannot be written: No space left on device; 3 of 12 blocks are kept: start again to go on from there"
    )
    monkeypatch.undo()
    assert sum(store.get(plan.key(block)) is not None for block in plan.blocks) == 3
    assert same(run_plan(plan, Engine(jobs=2), store=store), run_plan(plan, Engine(jobs=1)))


WITHOUT_SEMAPHORES = """
import _multiprocessing

def full(*args, **kwargs):
    raise OSError(28, "No space left on device")

_multiprocessing.SemLock = full
from counting_work import plan_of
from unjudged.engine.execution.execute import Engine, loading_code, run_plan

plan = plan_of([""] * 3)
with loading_code(Engine(jobs=2), plan.work):
    pass
print([one["sum"].item() for one in run_plan(plan, Engine(jobs=2))])
"""


def test_no_room_for_processes_is_one_warning_in_our_words(tmp_path: Path) -> None:
    """joblib would say that it works in serial mode, and then use threads."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_SEMAPHORES], capture_output=True, text=True, check=True)
    assert done.stdout == "[0.0, 44999850000.0, 89999700000.0]\n"
    assert [line.partition("UnjudgedWarning: ")[2] for line in done.stderr.splitlines() if "Warning" in line] == [
        "no processes can be started (No space left on device): blocks are worked on one after the other;"
        " processes need room in /dev/shm"
    ]


def test_processes_that_cannot_start_later_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(workers: int, calls: object) -> Iterator[object]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(execute_module, "in_processes", full)
    with pytest.raises(UnjudgedError, match=r"^workers died 3 times in succession \(No space left on device\); 2 of 2"):
        run_plan(plan_of([""] * 2), Engine(jobs=2))
