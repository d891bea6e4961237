"""What is installed: the version, the active core, and plugins."""

from __future__ import annotations

import warnings

from unjudged.errors import UnjudgedWarning
from unjudged.kernels import CORE
from unjudged.registry import find_plugins
from unjudged.version import __version__
from unjudged.wording import visible

__all__ = ["installed_lines", "version_words"]

_CORES = {"fast": "compiled core", "reference": "NumPy core, slower: no compiled core is installed"}


def version_words() -> str:
    """The version and the core."""
    return f"{__version__} ({_CORES[CORE]})"


def installed_lines() -> list[str]:
    """The version and the core, then a line for each plugin, also for those that cannot be used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)  # they are said here
        return [f"unjudged {version_words()}", *(visible(plugin.words()) for plugin in find_plugins())]
