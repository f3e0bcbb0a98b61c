"""The tree of a stream of rows, made when somebody wants it."""

from __future__ import annotations

from softwood.kernels.growth import UNCONSTRAINED, Signs
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.stream import Stream
from softwood.learners.soft.monotone_tree import hold_to_signs
from softwood.tree import Provenance, Schema, Tree
from softwood.tree.once import computed_once


class LazyTree:
    """The tree of a stream, made when first asked for: who learns row by row may not want it.

    params : what the stream began from, in double precision, while it has seen no more rows.
    signs : of monotone inputs, which the tree is held to and proved for.
    """

    def __init__(
        self,
        stream: Stream,
        schema: Schema,
        origin: Provenance,
        params: BuddingParams | None,
        signs: Signs = UNCONSTRAINED,
    ) -> None:
        self.stream, self.schema, self.origin, self.params, self.signs = stream, schema, origin, params, signs

    @computed_once
    def tree(self) -> Tree:
        made = self.stream.tree(self.schema, self.params).with_provenance(self.origin)
        return hold_to_signs(made, self.signs) if len(self.signs) else made
