"""The tree of a stream of rows, built on first access."""

from __future__ import annotations

from softwood.arrays import Signs
from softwood.kernels.contracts.growth import UNCONSTRAINED
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.stream import Stream
from softwood.learners.soft.finish.monotone_tree import hold_to_signs
from softwood.tree import Provenance, Schema, Tree
from softwood.tree.once import computed_once


class LazyTree:
    """The tree of a stream, built on first access.

    params : the initial parameters in double precision, until the stream has seen more rows.
    signs : of monotone inputs, for the constraint and its proof.
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
        """The tree with its statistics, which takes ten times as long as the tree alone."""
        made = self.stream.described(self._bare).with_provenance(self.origin)
        vars(self).pop("_bare", None)
        return hold_to_signs(made, self.signs) if len(self.signs) else made

    @property
    def answering(self) -> Tree:
        """A tree with the same predictions; row statistics are omitted until `tree` is read."""
        return self.tree if "tree" in vars(self) or len(self.signs) else self._bare

    @computed_once
    def _bare(self) -> Tree:
        return self.stream.tree(self.schema, self.params)
