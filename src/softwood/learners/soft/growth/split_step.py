"""One more split of a soft tree: the best of the candidates, and everything refined together.

Each candidate's gate is refined alone first, on the rows weighted by its leaf's reach; then briefly with the whole
tree, and the best one continues. An engine may do all of it in one call: most splits of small tables take less time
than the Python between their steps, and parallel threads need not wait for each other's Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from softwood.engines import SampleEngine
from softwood.kernels.contracts.split_step import PackedTree, SplitStepOptions
from softwood.learners.soft.columns.split_features import SplitFeatures
from softwood.learners.soft.growth.monotone_split import leaf_bounds, monotone_splits, refined_in_order
from softwood.learners.soft.growth.split_candidates import (
    LEVEL_SHRINKAGE_ROWS,
    MIN_LEAF_ROWS,
    START_SLOPE,
    SplitCandidate,
    find_split_candidates,
)
from softwood.learners.soft.params.new_split import NewSplit
from softwood.learners.soft.params.params import RESPONSE_PENALTY, Gates, Slopes, SoftTreeParams

AXIS_SLOPE_FACTOR = 2.5  # start slope of an unpenalized gate of one input, times START_SLOPE
NEW_SPLIT_ITER = 8  # iterations on a new gate alone, on the rows its leaf sees
COMPARISON_ITER = 4  # iterations on the whole tree before candidates are compared
SPLIT_ITER = 25  # iterations on the whole tree after a split, or after another small change of it
ROUGH_TOL = 1e-4  # proportion of the objective that an iteration must save while the tree grows
MIN_GAIN_SHARE = 1e-3  # proportion of the validation loss that a larger tree must save


@dataclass(frozen=True)
class GrowOptions:
    """Options to grow one tree: penalty, limits, and which leaves to try.

    abandon_above : growth ends early if the held-out loss is not going to fall to this.
    batch_splits : whether several leaves of a large tree are split at once (split_batch.py).
    iterations : on a new gate alone, on the whole tree before candidates are compared, and on the best of them.
    """

    penalty: float
    max_leaves: int = 16
    patience: int = 2
    least_gain: float = MIN_GAIN_SHARE
    tries: int = 1
    max_gate_features: int | None = None
    abandon_above: float = np.inf
    gates: Gates = "open"
    batch_splits: bool = False
    iterations: tuple[int, int, int] = (NEW_SPLIT_ITER, COMPARISON_ITER, SPLIT_ITER)

    @property
    def unpenalized(self) -> bool:
        """Whether there are unpenalized gates."""
        return self.gates in ("unpenalized", "either")

    @property
    def most_inputs(self) -> int | None:
        """How many inputs a gate uses; None: all."""
        return 1 if self.gates in ("axis", "unpenalized") else self.max_gate_features


def split_step(
    tree: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions
) -> SoftTreeParams | None:
    """One more split; None if nothing can be split."""
    if engine.has_split_step and tree.rising is None and tree.slopes != "mixed":
        return native_split_step(tree, engine, split_features, how)
    return reference_split_step(tree, engine, split_features, how)


def native_split_step(
    tree: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions
) -> SoftTreeParams | None:
    """Split by one call of the engine."""
    branch = ~tree.leaf
    slopes, gates = get_args(Slopes).index(tree.slopes), get_args(Gates).index(how.gates)
    packed = PackedTree(
        tree.shape,
        tree.parameters,
        slopes,
        tree.frozen[branch],
        tree.unpenalized[branch],
        tree.origin,
        tree.origin_slope,
    )
    rules = SplitStepOptions(
        gates=gates,
        most=how.most_inputs or 0,
        penalty=how.penalty,
        decay=RESPONSE_PENALTY,
        log_penalty=tree.log_penalty,
        tries=how.tries,
        start_slope=START_SLOPE,
        level_rows=LEVEL_SHRINKAGE_ROWS,
        least_rows=MIN_LEAF_ROWS,
        axis_factor=AXIS_SLOPE_FACTOR,
        alone=how.iterations[0],
        together=how.iterations[1],
        joint=how.iterations[2],
        tol=ROUGH_TOL,
    )
    made = engine.split_step(packed, split_features.table, rules)
    if made is None:
        return None
    nothing = np.zeros(tree.outputs)
    larger = tree.split(made.node, np.zeros(tree.columns + 1), nothing, nothing, made.frozen, made.unpenalized)
    return larger.with_parameters(made.parameters, made.passes)


def reference_split_step(
    tree: SoftTreeParams, engine: SampleEngine, split_features: SplitFeatures, how: GrowOptions
) -> SoftTreeParams | None:
    """Every sum over the rows is a separate call; the reference for native/soft/split_step.cpp."""
    best: tuple[float, SoftTreeParams] | None = None
    with_new_split = _with_new_split if tree.rising is None else _with_monotone_split
    for start in find_split_candidates(tree, engine, split_features, how.tries):
        for larger in with_new_split(tree, engine, start, split_features, how):
            trial = larger.refine(engine, how.penalty, how.iterations[1], ROUGH_TOL)
            if best is None or trial[0] < best[0]:
                best = trial
    return None if best is None else best[1].refine(engine, how.penalty, how.iterations[2], ROUGH_TOL)[1]


def _with_new_split(
    tree: SoftTreeParams, engine: SampleEngine, start: SplitCandidate, split_features: SplitFeatures, how: GrowOptions
) -> Iterator[SoftTreeParams]:
    """The tree with the new gate, which was refined alone first: on one input, or on all."""
    under = engine.under(tree.shape, tree.parameters, start.node)
    whole = NewSplit(start.gate, start.first, start.second, np.zeros(len(start.gate), np.bool_))

    def refined(split: NewSplit) -> NewSplit:
        return split.refined(under, tree, how.penalty, how.iterations[0], ROUGH_TOL)

    if how.unpenalized and start.by_one_column:
        axis = replace(whole, gate=AXIS_SLOPE_FACTOR * start.gate)
        axis = axis.restrict(np.append(start.gate[:-1] == 0.0, False), unpenalized=True)
        yield refined(axis).on(tree, start.node)
        if how.gates == "unpenalized":
            return
    new_split = refined(whole)
    if how.most_inputs is not None:
        frozen = split_features.all_but_heaviest(new_split.gate, how.most_inputs)
        unpenalized = how.gates == "unpenalized" and int(np.count_nonzero(~frozen)) == 2  # a column and the bias
        new_split = refined(new_split.restrict(frozen, unpenalized))
    yield new_split.on(tree, start.node)


def _with_monotone_split(
    tree: SoftTreeParams, engine: SampleEngine, start: SplitCandidate, split_features: SplitFeatures, how: GrowOptions
) -> Iterator[SoftTreeParams]:
    """The same for a tree with monotone inputs: a monotone gate on them, and a gate without them."""
    under = engine.under(tree.shape, tree.parameters, start.node)
    ends = leaf_bounds(tree, start.node)

    def refined(split: NewSplit) -> NewSplit:
        return refined_in_order(split, under, tree, ends, how.penalty, how.iterations[0], ROUGH_TOL)

    for whole in monotone_splits(tree, start):
        if how.unpenalized and np.count_nonzero(whole.gate[:-1]) == 1:
            axis = replace(whole, gate=AXIS_SLOPE_FACTOR * whole.gate)
            axis = axis.restrict(np.append(whole.gate[:-1] == 0.0, False), unpenalized=True)
            yield refined(axis).on(tree, start.node)
            if how.gates == "unpenalized":
                continue
        new_split = refined(whole)
        if how.most_inputs is not None:
            frozen = whole.frozen | split_features.all_but_heaviest(new_split.gate, how.most_inputs)
            unpenalized = how.gates == "unpenalized" and int(np.count_nonzero(~frozen)) == 2
            new_split = refined(new_split.restrict(frozen, unpenalized))
        yield new_split.on(tree, start.node)
