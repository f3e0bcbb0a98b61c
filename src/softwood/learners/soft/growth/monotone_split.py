"""New gates of a tree with monotone inputs: starts that satisfy the constraints, refined alone under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from softwood.arrays import Floats
from softwood.engines import SampleEngine
from softwood.learners.soft.growth.split_candidates import SplitCandidate
from softwood.learners.soft.params.monotone_refine import looks_at_monotone
from softwood.learners.soft.params.new_split import NewSplit
from softwood.learners.soft.params.params import SoftTreeParams

STUMP = np.array([1, -1, -1], np.int32)


def monotone_splits(tree: SoftTreeParams, start: SplitCandidate) -> Iterator[NewSplit]:
    """The start as a monotone gate, and as a gate without monotone inputs; those that use any input.

    A monotone gate has the larger predictions under its first child, so the start may be flipped; weights against the
    order become 0. Trees whose leaves have own slopes have only gates of the second kind.
    """
    assert tree.rising is not None
    rising = np.append(tree.rising, False)
    if tree.slopes != "own":
        falls = float(np.sum(start.first - start.second)) < 0
        gate = -start.gate if falls else start.gate
        first, second = (start.second, start.first) if falls else (start.first, start.second)
        gate = np.where(rising, np.maximum(gate, 0.0), gate)
        if gate[:-1].any():
            yield NewSplit(gate, np.maximum(first, second), np.minimum(first, second), np.zeros(len(gate), np.bool_))
    gate = np.where(rising, 0.0, start.gate)
    if gate[:-1].any():
        yield NewSplit(gate, start.first, start.second, rising)


def leaf_bounds(tree: SoftTreeParams, node: int) -> Floats:
    """(2, outputs): the range that leaves in place of `node` may predict, given the order of the gates above it."""
    assert tree.rising is not None
    ordered = looks_at_monotone(tree.first_child, tree.frozen, tree.rising)
    ends = np.stack([np.full(tree.outputs, -np.inf), np.full(tree.outputs, np.inf)])
    parent = {int(c) + i: m for m, c in enumerate(tree.first_child) if c >= 0 for i in (0, 1)}
    while node in parent:
        above, is_first = parent[node], node == tree.first_child[parent[node]]
        if ordered[above]:
            other = tree.response[_leaves_under(tree, int(tree.first_child[above]) + int(is_first))]
            if is_first:
                ends[0] = np.maximum(ends[0], other.max(axis=0))
            else:
                ends[1] = np.minimum(ends[1], other.min(axis=0))
        node = above
    return ends


def refined_in_order(
    split: NewSplit, rows: SampleEngine, tree: SoftTreeParams, ends: Floats, penalty: float, max_iter: int, tol: float
) -> NewSplit:
    """Gate and responses refined together, on the rows weighted by the leaf's reach, with responses within `ends`."""
    width, k = len(split.gate), len(split.first)
    gate, frozen = np.zeros((3, width)), np.zeros((3, width), np.bool_)
    gate[0], frozen[0] = split.gate, split.frozen
    stump = replace(
        tree,
        first_child=STUMP,
        gate=gate,
        response=np.stack([np.zeros(k), split.first, split.second]),
        slopes="none",
        slope=np.zeros((0, k, width - 1)),
        frozen=frozen,
        unpenalized=np.array([split.unpenalized, False, False]),
    )
    moved = stump.refine_monotone(rows, penalty, max_iter, tol, ends)[1]
    return replace(split, gate=moved.gate[0], first=moved.response[1], second=moved.response[2])


def _leaves_under(tree: SoftTreeParams, node: int) -> list[int]:
    first = int(tree.first_child[node])
    return [node] if first < 0 else _leaves_under(tree, first) + _leaves_under(tree, first + 1)
