"""Array kernels: arrays in, arrays out, nothing else.

There are two cores with the same names and signatures:

* :mod:`unjudged.kernels.reference` in NumPy, which always works and says what is meant;
* :mod:`unjudged.kernels.fast` in Cython, used when it was compiled at install time.

``UNJUDGED_CORE=reference`` or ``UNJUDGED_CORE=fast`` chooses one by hand (the tests run both).

Shared vocabulary
-----------------
*text*: ``uint8`` array of bytes. *fields*: ``starts`` and ``ends``, positions in a text (end is exclusive).
*ids*: a packed column of byte strings: ``blob`` (``uint8``) and ``offsets`` (``int64``, one more than there are ids).
*row_offsets*: ``int64``, where each ranking (or topic) starts in a column, plus the end.
*copies*: ``uint8`` (documents, images), how often each document is in each image of a corpus.

There are two. `hash_ids` is a fixed function, because draws are made of it: to change it is to change numbers.
Look-ups (`index_ids`, `find_duplicates`) use another with a secret drawn for each index, which the index carries to
other processes; nothing that is shown depends on it.

`kernels/fast.pyx`, which includes a `.pxi` file for each subject, is optional: `setup.py` builds it where a C compiler
is at hand, and the install succeeds without.
The tests run over both cores. It is built without debug information, and `setup.py` writes source archives without
times and owners, so that archives can be compared byte by byte. `unjudged --version` and `unjudged doctor` say which
core is active; `UNJUDGED_CORE=reference` chooses the NumPy core by hand. What each core costs is in
`benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING

from unjudged.errors import InputError
from unjudged.kernels import reference

if TYPE_CHECKING:
    from unjudged.kernels.reference import *  # noqa: F403  # the compiled core has the same names and types


def _choose() -> ModuleType:
    wanted = os.environ.get("UNJUDGED_CORE", "")
    if wanted not in {"", "fast", "reference"}:
        raise InputError(f"UNJUDGED_CORE is 'fast' or 'reference', not {wanted!r}")
    if wanted == "reference":
        return reference
    try:
        from unjudged.kernels import fast
    except ImportError:
        if wanted == "fast":
            raise InputError(
                "UNJUDGED_CORE=fast, but the compiled core is not installed;"
                " reinstall unjudged where a C compiler is available"
            ) from None
        return reference
    return fast


_core = _choose()
CORE = "reference" if _core is reference else "fast"
"""The active core: ``"fast"`` (compiled) or ``"reference"`` (NumPy)."""
globals().update({name: getattr(_core, name) for name in reference.__all__})
