"""What is in the wheel and in the sdist, and that the same files give the same bytes."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from unjudged.version import __version__

from .conftest import EPOCH, ROOT, build, copy_source, project, run, source_files

pytestmark = pytest.mark.slow


def tracked() -> set[str]:
    """Files of the package in the repository."""
    return {name.removeprefix("src/") for name in source_files("src")}


def test_the_wheel_has_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    compiled = {name for name in names if re.fullmatch(r"unjudged/kernels/fast\..*\.(so|pyd)", name)}
    about = {name for name in names if name.startswith(f"unjudged-{__version__}.dist-info/")}
    assert names - compiled - about == {name for name in tracked() if not name.endswith((".pyx", ".pxi"))}
    assert len(compiled) == 1
    assert {"unjudged/py.typed", "unjudged/kernels/fast.pyi", "unjudged/reports/page/page.html"} <= names
    assert f"unjudged-{__version__}.dist-info/licenses/LICENSE" in about


def test_the_sdist_has_what_it_takes_to_build_and_nothing_else(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members if member.isfile()}
    made = {name for name in names if name.startswith("src/unjudged.egg-info/")} | {"PKG-INFO", "setup.cfg"}
    about = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"}
    assert names - made == {f"src/{name}" for name in tracked()} | about
    assert {(member.uid, member.gid, member.uname, member.gname) for member in members} == {(0, 0, "", "")}


def test_the_compiled_core_names_no_folder_of_the_builder(wheel: Path, archives: Path) -> None:
    content = zipfile.ZipFile(wheel)
    (core,) = (name for name in content.namelist() if name.endswith(".so"))
    for folder in (str(archives.parent), str(ROOT), "build-via-sdist"):
        assert folder.encode() not in content.read(core)


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    return Parser().parsestr(zipfile.ZipFile(wheel).read(f"unjudged-{__version__}.dist-info/METADATA").decode())


def test_the_metadata(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("unjudged", __version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(metadata.get_all("Provides-Extra") or ()) == project()["optional-dependencies"].keys()
    classifiers = metadata.get_all("Classifier") or ()
    assert "Typing :: Typed" in classifiers
    assert f"Programming Language :: Python :: {metadata['Requires-Python'].removeprefix('>=')}" in classifiers


def test_the_description_renders(wheel: Path, sdist: Path) -> None:
    pytest.importorskip("twine")
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_another_build_elsewhere_and_at_another_time_has_the_same_bytes(
    wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    source = copy_source(tmp_path / "a folder" / "with-another-name")
    for path in source.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    build(source, tmp_path / "out", umask=0o077)
    for first in (wheel, sdist):
        again = tmp_path / "out" / first.name
        assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(first.read_bytes()).digest(), first.name


@pytest.fixture(scope="module")
def manylinux(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as `make dist` leaves it; and another, made under another umask."""
    if sys.platform != "linux" or shutil.which("make") is None:
        pytest.skip("needs Linux and make")
    pytest.importorskip("auditwheel", reason="auditwheel is not installed: pip install --group dist")
    folder = tmp_path_factory.mktemp("manylinux")
    for name, umask in (("first", 0o022), ("again", 0o077)):
        (folder / name).mkdir()
        shutil.copy(wheel, folder / name)
        done = subprocess.run(
            ["make", "-C", ROOT, "manylinux", f"BIN={Path(sys.executable).parent}", f"DIST={folder / name}"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            umask=umask,
        )
        assert done.returncode == 0, done.stderr
    return folder


def test_linux_wheels_are_for_many_systems_and_still_have_the_same_bytes(manylinux: Path, wheel: Path) -> None:
    (first,), (again,) = (list((manylinux / name).iterdir()) for name in ("first", "again"))
    assert first.name == again.name and "-manylinux" in first.name
    assert first.read_bytes() == again.read_bytes()
    before, after = zipfile.ZipFile(wheel), zipfile.ZipFile(first)
    assert {name for name in after.namelist() if not name.endswith("/")} == set(before.namelist())
    changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
    assert changed == {f"unjudged-{__version__}.dist-info/{name}" for name in ("WHEEL", "RECORD")}  # nothing was added


def test_a_wheel_for_many_systems_installs(manylinux: Path, tmp_path: Path) -> None:
    (wheel,) = (manylinux / "first").iterdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "site", wheel]
    assert run(pip).returncode == 0
    output = run([sys.executable, "-m", "unjudged", "--version"], PYTHONPATH=str(tmp_path / "site"), UNJUDGED_CORE="")
    assert output.stdout == f"unjudged {__version__} (compiled core)\n"


def test_the_sdist_installs_without_a_compiler(sdist: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "site", sdist]
    assert run(pip, CC="/bin/false").returncode == 0
    output = run([sys.executable, "-m", "unjudged", "--version"], PYTHONPATH=str(tmp_path / "site"), UNJUDGED_CORE="")
    assert output.stdout == f"unjudged {__version__} (NumPy core, slower: no compiled core is installed)\n"
