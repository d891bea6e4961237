"""What notebooks ask a result for: itself as HTML. Results only know that they can be shown; `reports` knows how."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["Bundle", "NotebookRepr", "set_notebook_repr"]

Bundle = dict[str, str]
"""The same thing in several forms, by MIME type; whoever shows it takes the best that it understands."""

_make_bundle: Callable[[object], Bundle]


def set_notebook_repr(make_bundle: Callable[[object], Bundle]) -> None:
    """Let this function say how things are shown: it belongs to a layer that this one must not know."""
    global _make_bundle
    _make_bundle = make_bundle


class NotebookRepr:
    """Something that notebooks show as a table. Jupyter asks for the bundle, others for HTML."""

    def _repr_mimebundle_(self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None) -> Bundle:
        """Text and HTML. Whoever asks leaves out what it does not want, so both arguments may be ignored."""
        return _make_bundle(self)

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]
