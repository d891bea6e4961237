"""The same hostile cases every time, a few of each kind; and what the fuzzer says about mistakes that are planted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import oracles
import peers
import pytest
from kinds import Kind, in_file

import fuzz
import unjudged as uj
from unjudged.errors import InputError
from unjudged.kernels import reference

SEED = "unjudged"
CASES = 24
"""Of each kind, times its weight. All together must not take longer than 15 seconds on one core."""


@pytest.mark.parametrize("name", fuzz.EVERY)
def test_every_case_ends_with_a_result_or_one_clear_error(name: str, tmp_path: Path) -> None:
    kind = fuzz.EVERY[name]
    if kind.needs:
        pytest.importorskip(kind.needs)
    for number in range(CASES * kind.weight):
        data = fuzz.Case(name, SEED, number).data()
        result = fuzz.finding(kind, data, tmp_path)
        assert result is None, f"{result}\nwith {data[:2000]!r} (case {number})"


class TestCases:
    def test_the_same_seed_makes_the_same_cases(self) -> None:
        one, again, other = ([case.data() for case in islice(fuzz.cases(seed), 150)] for seed in ("1", "1", "2"))
        assert one == again != other

    def test_workers_share_the_cases(self) -> None:
        shared = [list(islice(fuzz.cases("1", first=first, step=2), 50)) for first in (0, 1)]
        assert sorted(shared[0] + shared[1], key=lambda case: case.number) == list(islice(fuzz.cases("1"), 100))

    @pytest.mark.parametrize("name", ["qrels", "run", "strata", "texts-jsonl", "measure", "hole-model", "degradation"])
    def test_many_cases_are_valid_and_many_are_not(self, name: str, tmp_path: Path) -> None:
        kind, refused = fuzz.EVERY[name], 0
        for number in range(100):
            try:
                kind.use(fuzz.Case(name, SEED, number).data(), tmp_path)
            except InputError:
                refused += 1
            except uj.UnjudgedWarning:
                pass
        assert 10 <= refused <= 90


def planted(use: Callable[[str], object]) -> Kind:
    return Kind("planted", lambda rng: b"", in_file(use))


def raises(error: Exception) -> Kind:
    def use(path: str) -> object:
        raise error

    return planted(use)


class TestWhatIsFound:
    def test_an_exception_of_another_kind(self, tmp_path: Path) -> None:
        result = fuzz.finding(raises(KeyError("d1")), b"", tmp_path)
        assert str(result).startswith("planted: KeyError at ")

    @pytest.mark.parametrize("message", ["one\ntwo", "a\x1b[31m", "\u202eabc", "a\0"])
    def test_a_message_that_is_not_one_printable_line(self, tmp_path: Path, message: str) -> None:
        result = fuzz.finding(raises(InputError(message)), b"", tmp_path)
        assert str(result).startswith("planted: not printable, from ")

    def test_a_clear_error_is_no_finding(self, tmp_path: Path) -> None:
        assert fuzz.finding(raises(InputError("d1: no such document")), b"", tmp_path) is None

    def test_a_warning_of_numpy(self, tmp_path: Path) -> None:
        result = fuzz.finding(planted(lambda path: np.float64(1) / np.float64(0)), b"", tmp_path)
        assert str(result).startswith("planted: RuntimeWarning at ")

    def test_an_answer_that_is_another_one_the_second_time(self, tmp_path: Path) -> None:
        answers = iter(range(9))
        result = fuzz.finding(planted(lambda path: next(answers)), b"", tmp_path)
        assert str(result) == "planted: the cores differ: ...'0' and ...'1'"

    def test_a_core_that_ranks_in_another_way(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run = b"1 Q0 a 1 0.5 mine\n1 Q0 b 2 0.5 mine\n"
        assert fuzz.finding(fuzz.EVERY["run"], run, tmp_path) is None
        monkeypatch.setattr(reference, "order_rankings", lambda *columns: None)
        result = fuzz.finding(fuzz.EVERY["run"], run, tmp_path)
        assert str(result).startswith("run: the cores differ: ")

    @pytest.mark.parametrize(("value", "what"), [(np.inf, "an infinite score"), (np.nan, "AP is undefined")])
    def test_a_score_that_is_no_number(self, tmp_path: Path, value: float, what: str) -> None:
        def score(path: str) -> object:
            scores = uj.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["AP", "Judged@5"])
            scores.values[0, 0, 0, 0] = value
            return scores

        assert str(fuzz.finding(planted(score), b"", tmp_path)).startswith(f"planted: {what}: ")

    def test_an_undefined_score_where_the_documentation_says_so(self, tmp_path: Path) -> None:
        kind = planted(lambda path: uj.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["Accuracy"], jobs=1))
        assert fuzz.finding(kind, b"", tmp_path) is None
        assert "Accuracy" in oracles.UNDEFINED

    def test_a_value_that_pytrec_eval_does_not_have(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("pytrec_eval")
        data = b"1 0 a 1\n1 0 b 0\n%%\n1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n"
        kind = fuzz.EVERY["pytrec_eval"]
        assert fuzz.finding(kind, data, tmp_path) is None
        wrong = peers.scored(data, tmp_path)
        wrong.values["1"]["map"] += 2e-9
        monkeypatch.setattr(oracles, "CORES", [reference])
        result = fuzz.finding(Kind("pytrec_eval", kind.make, lambda data, folder: wrong, peers.check), data, tmp_path)
        assert str(result).startswith("pytrec_eval: map of topic '1'")


PLANTED = """
import os, sys, time
sys.path.insert(0, {folder!r})
import fuzz
from kinds import Kind

fuzz.LONGEST = 0.5
fuzz.EVERY.clear()
for name, use in (("dies", lambda data, folder: os.abort()), ("waits", lambda data, folder: time.sleep(600))):
    fuzz.EVERY[name] = Kind(name, lambda rng: b"", use)

if __name__ == "__main__":
    worker = fuzz.Worker("1", "", 0, 1)
    for _ in range(2):
        while (lost := worker.lost()) is None:
            time.sleep(0.01)
        print(lost[0].number, lost[1])
    worker.end()
"""


@pytest.mark.slow
def test_workers_that_die_or_wait_for_ever_are_found(tmp_path: Path) -> None:
    script = tmp_path / "planted.py"
    script.write_text(PLANTED.format(folder=str(Path(__file__).parent)))
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=True)
    assert result.stdout == "0 dies: the process ended with -6\n1 waits: no end\n"


@pytest.mark.parametrize("case", sorted((Path(__file__).parent / "found").iterdir()), ids=lambda path: path.name)
def test_what_was_found_before_is_mended(case: Path) -> None:
    """In a process of its own, because some of these ended it."""
    command = [sys.executable, Path(__file__).parent / "fuzz.py", "--replay", case]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (result.returncode, result.stdout) == (0, f"{case}: nothing is wrong\n")


class TestFailures:
    def test_are_made_smaller(self) -> None:
        lines = b"".join(b"line %d\n" % i for i in range(50))
        assert fuzz.smaller(lines, lambda data: b"7" in data) == b"7"

    def test_stay_as_they_are_where_everything_matters(self) -> None:
        assert fuzz.smaller(b"a\nb\n", lambda data: data == b"a\nb\n") == b"a\nb\n"

    def test_take_a_limited_number_of_tries(self) -> None:
        tries = []
        data = Random(1).randbytes(5000)
        fuzz.smaller(data, lambda data: bool(tries.append(data)))
        assert len(tries) == fuzz.TRIES

    def test_are_saved_with_how_to_try_them_again(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = fuzz.save(tmp_path / "failures", "texts-jsonl", b'{"id": ', "seed 1, case 2: \x1b")
        (line,) = (tmp_path / "failures" / "README.md").read_text().splitlines()
        assert line.endswith(rf"fuzz.py --replay {path}`: seed 1, case 2: \x1b")
        assert fuzz.replay(path) == 0
        assert capsys.readouterr().out == f"{path}: nothing is wrong\n"

    def test_fail_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(fuzz.EVERY, "planted", raises(KeyError("d1")))
        path = fuzz.save(tmp_path, "planted", b"", "")
        assert fuzz.replay(path) == 1
        assert "planted: KeyError at" in capsys.readouterr().out

    def test_of_a_kind_that_is_not_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert fuzz.replay(tmp_path / "other-12345678") == 2
        assert "the name does not begin with a kind of case: qrels, " in capsys.readouterr().out
