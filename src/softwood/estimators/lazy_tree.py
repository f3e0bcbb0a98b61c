"""The tree of a stream of rows, made when somebody wants it."""

from __future__ import annotations

from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.stream import Stream
from softwood.tree import Provenance, Schema, Tree
from softwood.tree.once import computed_once


class LazyTree:
    """The tree of a stream, made when first asked for: who learns row by row may not want it.

    budding tree : what the stream began from, in double precision, while it has seen no more rows.
    """

    def __init__(self, stream: Stream, schema: Schema, origin: Provenance, params: BuddingParams | None) -> None:
        self.stream, self.schema, self.origin, self.params = stream, schema, origin, params

    @computed_once
    def tree(self) -> Tree:
        return self.stream.tree(self.schema, self.params).with_provenance(self.origin)
