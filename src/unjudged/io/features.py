"""Features of documents: any numbers that may say which are relevant, such as a reranker's scores or similarities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.data.run import Run
from unjudged.io.reading import RunSource, expand_runs, name_of_table, table_or_file
from unjudged.io.sources import as_path, unique_names
from unjudged.io.tables import run_from_table
from unjudged.io.trec import read_feature_file

__all__ = ["FeatureSource", "expand_features"]


@dataclass(frozen=True)
class FeatureSource(RunSource):
    """A feature that has not been read yet. What it says is read as the scores of a run are."""

    def _read(self, threads: int) -> Run:
        if isinstance(self.source, Run):
            return self.source.renamed(self.called)
        with table_or_file(self.source, "a feature", "scoreddocs") as (table, path, _):
            if table is None:
                return read_feature_file(path, threads=threads).renamed(self.called)
            return run_from_table(table, name=self.called, label=path or self.called)

    @property
    def called(self) -> str:
        """What messages and tables call it."""
        if self.name is not None:
            return self.name
        if isinstance(self.source, Run):
            return self.source.name
        return name_of_table(self.source) if as_path(self.source) is not None else "feature"


def expand_features(given: Any) -> Sequence[FeatureSource]:
    """What a user calls features, as a list: one or several, as runs may be given; each with a name of its own."""
    sources = [FeatureSource(one.source, one.name) for one in expand_runs(given, "features")]
    names = unique_names([(one.called, one.path or "") for one in sources])
    return [FeatureSource(one.source, name) for one, name in zip(sources, names, strict=True)]
