"""Builds the compiled core. Everything else is in pyproject.toml.

The core is optional: without a C compiler the install succeeds and the NumPy core is used.
``UNJUDGED_NO_COMPILE=1`` leaves it out on purpose.
"""

import os
import sys

from setuptools import Extension, setup

# Not through cythonize(), which forgets that an extension is optional; setuptools calls Cython by itself.
fast = Extension(
    "unjudged.kernels.fast",
    ["src/unjudged/kernels/fast.pyx"],
    # No fused multiply-add, which ARM has and NumPy does not use: both cores give the same sums.
    extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off"],
    optional=True,
)

setup(ext_modules=[] if os.environ.get("UNJUDGED_NO_COMPILE") == "1" else [fast])
