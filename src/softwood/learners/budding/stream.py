"""A budding tree that learns from a stream, with the complete state to continue.

Chunks of any size give the same tree to the last bit: scaling, gradient steps, budding and random numbers all work row
by row. If the loss is not finite, the chunk is undone, the step halved and the chunk tried again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite

import numpy as np
import numpy.typing as npt

from softwood import kernels
from softwood.arrays import Floats, Longs
from softwood.kernels.contracts.online_state import OnlineOptions, OnlineState, init_state, pad_rows, widen
from softwood.kernels.kinds import Loss
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.scaling import FixedScale, Moments, RunningScale, add_in_order
from softwood.learners.budding.to_tree import described, importance, to_tree
from softwood.learners.soft.rows.target_scale import scale_targets
from softwood.tree import Schema, Tree
from softwood.tree.gain import Sample

MAX_HALVINGS = 40  # of the step, before a stream gives up
MAX_STATE_SIZE = 1e6  # number of a state, in scaled columns and targets, up to which a step has not diverged
MAX_ROW_WEIGHT = np.float32(1e4)  # of a row in a gradient step: beyond, one row alone would decide the tree
RECENT_ROWS = 1024  # rows that a stream remembers, to count and to measure importances by


@dataclass
class Stream:
    """State of an online learner.

    inputs : scaling of X.  targets : scaling of y; None for classes, or if it is fixed.
    centre, scale : of the targets, if `targets` is None.  weight : of all rows seen.
    """

    state: OnlineState
    options: OnlineOptions
    inputs: RunningScale | FixedScale
    targets: Moments | None
    centre: Floats
    scale: Floats
    weight: float = 0.0
    recent: Sample = field(default_factory=lambda: Sample(np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0)))

    @classmethod
    def begin(
        cls, n_levels: list[int], outputs: int, options: OnlineOptions, room: int, linear: bool, seed: int
    ) -> Stream:
        """A stream without rows."""
        inputs = RunningScale(n_levels)
        state = init_state(inputs.started, outputs, room=room, linear=linear, options=options, seed=seed)
        targets = Moments.make(outputs) if options.loss == Loss.SQUARED else None
        return cls(state, options, inputs, targets, np.zeros(outputs), np.ones(outputs))

    def copy(self) -> Stream:
        """A copy of the stream; parts that are not copied are immutable."""
        targets = None if self.targets is None else self.targets.copy()
        other = object.__new__(Stream)
        other.__dict__ = {**vars(self), "inputs": self.inputs.copy(), "targets": targets}
        return other

    def learn(self, X: Floats, target: Floats, weight: Floats) -> float:
        """One pass over rows in order; the mean loss, each row's before its update.

        If these rows need a smaller step, later rows use the full step again.
        """
        there = weight > 0
        if not there.all():
            X, target, weight = X[there], target[there], weight[there]
        if not len(X):
            return 0.0
        phi, scaled = self.inputs.take(X, weight), self._scaled(target, weight)
        if phi.shape[1] > self.state.columns:
            self.state = widen(self.state, phi.shape[1])
        self._remember(X, target, weight)
        whole = self.options
        try:
            return self.train(pad_rows(phi), scaled.astype(np.float32), weight.astype(np.float32), np.arange(len(X)))
        finally:
            self.options = whole

    def train(self, x: npt.NDArray[np.float32], target: npt.NDArray[np.float32], weight: npt.NDArray[np.float32],
              order: Longs) -> float:  # fmt: skip
        """Gradient steps on scaled rows; the mean loss."""
        weight = np.minimum(weight, MAX_ROW_WEIGHT)
        most = max(MAX_STATE_SIZE, 2.0 * float(np.abs(self.state.number).max()))
        for _ in range(MAX_HALVINGS):
            state = self.state.copy()
            total = kernels.train_buds(state, x, target, weight, order, self.options)
            if isfinite(total) and np.abs(state.number).max() <= most:  # also false for NaN
                self.state = state
                size = float(weight[order].sum(dtype=np.float64))
                return total / size if size > 0 else 0.0  # weights too small for single precision have no effect
            self.options = replace(self.options, step=self.options.step / 2)
        raise ValueError(
            f"the loss is not finite, even with a step of {self.options.step:.2g}: set a smaller learning_rate or "
            f"leafness_penalty (now {self.options.leafness_penalty:g}), or optimizer='adagrad', whose steps are "
            "bounded."
        )

    def _scaled(self, target: Floats, weight: Floats) -> Floats:
        """Targets scaled by the rows so far; numbers are clipped at LIMIT spreads, against outliers."""
        if self.targets is None:
            return scale_targets(self.options.loss, target, self.centre, self.scale)
        return self.targets.take(target, weight)

    def _remember(self, X: Floats, target: Floats, weight: Floats) -> None:
        self.weight, old = add_in_order(self.weight, weight), self.recent
        new = Sample(X[-RECENT_ROWS:], target[-RECENT_ROWS:], weight[-RECENT_ROWS:])
        kept = RECENT_ROWS - len(new.X)
        if len(old.X) and kept:
            new = Sample(
                np.concatenate([old.X[-kept:], new.X]),
                np.concatenate([old.target[-kept:], new.target]),
                np.concatenate([old.weight[-kept:], new.weight]),
            )
        elif new.X.base is not None or new.X is X:  # the caller's array, which may be overwritten
            new = Sample(new.X.copy(), new.target.copy(), new.weight.copy())
        self.recent = new

    def units(self) -> tuple[Floats, Floats]:
        """Current centre and scale of the targets."""
        if self.targets is None:
            return self.centre, self.scale
        mean, spread = self.targets.now()
        return mean, np.where(spread > 0, spread, 1.0)

    def params(self) -> BuddingParams:
        """The tree so far, in scaled columns."""
        return BuddingParams.of_state(self.state)

    def tree(self, schema: Schema, params: BuddingParams | None = None) -> Tree:
        """The tree so far, in the user's units; `params` are the state's, in double precision."""
        return to_tree(params or self.params(), self.inputs.columns(), schema, self.options.loss, *self.units())

    def described(self, tree: Tree) -> Tree:
        """The same tree with statistics of the most recent rows: counts, gains and effects."""
        return described(tree, self.recent, self.weight)

    def importance(self, n_features: int) -> Floats:
        """Importance of each input on the most recent rows."""
        target = scale_targets(self.options.loss, self.recent.target, *self.units())
        rows = replace(self.recent, target=target)
        columns = self.inputs.columns()
        return importance(self.answer, columns, rows, self.options.loss, n_features)

    def answer(self, phi: Floats) -> Floats:
        """Scaled outputs of rows of columns."""
        return kernels.evaluate_buds(self.state, pad_rows(phi))
