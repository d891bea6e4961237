"""Builds the compiled core, and source archives that do not depend on when and where. The rest is in pyproject.toml.

The core is optional: without a C compiler the install succeeds and the NumPy core is used.
``UNJUDGED_NO_COMPILE=1`` leaves it out on purpose.
"""

import gzip
import os
import sys
import tarfile
import time
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

# Not through cythonize(), which forgets that an extension is optional; setuptools calls Cython by itself.
fast = Extension(
    "unjudged.kernels.fast",
    ["src/unjudged/kernels/fast.pyx"],
    depends=sorted(map(str, Path("src/unjudged/kernels").glob("*.pxi"))),  # what it includes
    # No fused multiply-add, which ARM has and NumPy does not use: both cores give the same sums.
    # No debug information (-g is Python's default): it is most of the file, and has the names of the builder's folders.
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g0"],
    optional=True,
)


class ReproducibleSdist(sdist):
    """A source archive whose bytes follow from files, their names and ``SOURCE_DATE_EPOCH``, as those of a wheel do."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, owner=None, group=None):  # noqa: A002
        """Write the folder *base_dir*; only tar.gz, which is what build front ends ask for."""
        if format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)
        when = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def plain(member):
            member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() else 0o644
            return member

        name = f"{base_name}.tar.gz"
        with (
            Path(name).open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=when) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted([Path(base_dir), *Path(base_dir).rglob("*")]):
                archive.add(path, recursive=False, filter=plain)
        return name


os.umask(0o022)  # a wheel has the modes of the files from which it is made
setup(
    ext_modules=[] if os.environ.get("UNJUDGED_NO_COMPILE") == "1" else [fast],
    cmdclass={"sdist": ReproducibleSdist},
)
