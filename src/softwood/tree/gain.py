"""Impurity reduction of the gates, and its attribution to the inputs.

A node's impurity is that of the rows that reach it, weighted by their reach: the Gini index for classes, the variance
for numbers (averaged over several targets). A gate's gain is the weighted decrease of impurity in its children, as in
CART, but with rows that arrive in part.

The gain of a gate on one input is attributed to this input. The gain of a linear gate is divided among its inputs by
the variance of what each adds to the score over the rows that reach the gate. Linear responses further reduce the
impurity below that of the leaf means; this reduction is divided in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, matmul
from softwood.kernels.formulas.equation import expand, without_float_warnings
from softwood.kernels.kinds import Score
from softwood.tree.arrived import arrived_targets, column_means
from softwood.tree.effect import (
    covariance,
    has_many_sums,
    mean_answers,
    slope_effects,
    weight_effects,
    weight_effects_whole,
)
from softwood.tree.once import computed_once
from softwood.tree.tree import Tree

INPUTS_AT_ONCE = 64  # nodes per block: larger blocks take more memory, smaller ones more time
NOTHING = 1e-300  # replaces a zero divisor


@dataclass(frozen=True)
class Sample:
    """Rows for the statistics of a tree, the part of a learner's `Dataset` that readers of a tree need.

    target : numbers; or 0 and 1 in one column (two classes); or one column per class.
    """

    X: Floats
    target: Floats
    weight: Floats


@dataclass(frozen=True)
class Arrivals:
    """The rows at every node of a tree. Targets are divided by their `size`: squares neither overflow nor vanish.

    columns : of the tree's basis, if they exist already.

    Examples
    --------
    >>> from softwood.tree import Schema
    >>> stump = Tree(
    ...     response=[[0.5], [0.0], [1.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
    ...     score=[Score.THRESHOLD, 0, 0], feature=[0, -1, -1], threshold=[2.5, np.nan, np.nan], count=[8.0, 4.0, 4.0])
    >>> seen = Arrivals(stump, Sample(np.array([[2.0], [3.0]]), np.array([[0.0], [1.0]]), np.ones(2)))
    >>> seen.with_gains().gain
    array([2., 0., 0.])
    >>> seen.importances()
    array([1.])
    """

    tree: Tree
    rows: Sample
    n_threads: int = 1
    columns: Floats | None = None

    def described(self) -> Tree:
        """The tree with its statistics from the rows: gains, mean predictions and effects of its terms."""
        with without_float_warnings():
            told = {"mean": mean_answers(self.tree, self.phi, self.reach)}
            if self.target.shape[1] == self.tree.n_answers:  # a tree of one class has no statistics
                told |= {"arrived": arrived_targets(self.target, self.reach, self.tree.parent)}
            if len(self.tree.basis):
                told |= {"column_mean": column_means(self.tree, self.phi, self.reach)}
            known = {name: values for name, values in told.items() if np.isfinite(values).all()}
        return self.tree.replace(**known, **self._gains(), **self._effects())

    def counted(self) -> Arrivals:
        """The same rows for a tree with counts of arriving rows."""
        return replace(self, tree=self.tree.replace(count=self.weight), columns=self.phi)

    def with_effects(self) -> Tree:
        """The tree with the effects of the terms of its gates and responses."""
        return self.tree.replace(**self._effects())

    def _effects(self) -> dict[str, Floats]:
        tree = self.tree
        with without_float_warnings():
            if tree.is_whole and not len(tree.slope):
                counts = self._in_counts(self.rows.weight)
                weight, slope = weight_effects_whole(tree, self.rows.X, self.phi, counts), tree.slope
            else:
                weight = weight_effects(tree, self.phi, self.reach)
                slope = slope_effects(tree, self.phi, self.reach)
        known = np.isfinite(weight).all() and np.isfinite(slope).all()  # numbers of 1e300 have no spread
        return {"weight_effect": weight, "slope_effect": slope} if known else {}

    def with_gains(self) -> Tree:
        """The tree with the impurity of every node and the gain of every gate."""
        return self.tree.replace(**self._gains())

    def _gains(self) -> dict[str, Floats]:
        with np.errstate(over="ignore"):  # the squares of numbers beyond 1e154 overflow
            square = np.square(self.size)
        if not np.isfinite(square):
            return {}
        impurity = self.weighted_impurity / np.maximum(self.weight, NOTHING) * square
        return {"impurity": impurity, "gain": self.gain * square}

    def importances(self) -> Floats:
        """Each input's share of the reduction by gates and linear responses; sums to 1 (all 0 if there is none)."""
        tree = self.tree
        gates, leaves = np.flatnonzero(tree.score == Score.LINEAR), np.flatnonzero(tree.slope_row >= 0)
        weights, kept = _weights(tree, gates), self.reach[:, leaves] * tree.leafness[leaves]
        in_response = np.zeros(tree.n_features)
        in_gate = np.zeros((tree.n_features, len(gates)))
        inputs = np.unique(tree.basis.feature)
        for some in (inputs[at : at + INPUTS_AT_ONCE] for at in range(0, len(inputs), INPUTS_AT_ONCE)):
            places = [np.flatnonzero(tree.basis.feature == f) for f in some]
            columns = [np.ascontiguousarray(self.phi[:, mine]) for mine in places]
            added = [matmul(x, weights[mine]) for x, mine in zip(columns, places, strict=True)]
            in_gate[some] = _squares_each(np.stack(added, axis=1), self.reach[:, gates])
            if has_many_sums(tree):
                varied = [self._varied(x, mine, leaves, kept) for x, mine in zip(columns, places, strict=True)]
                in_response[some] = varied
                continue
            for row in np.unique(tree.slope_row[leaves]):  # leaves may share it
                slope = tree.slope[row] / self.size
                added = [matmul(x, slope[mine]) for x, mine in zip(columns, places, strict=True)]
                squares = _squares(np.concatenate(added, axis=1), kept[:, tree.slope_row[leaves] == row])
                in_response[some] += squares.sum(axis=0).reshape(len(some), -1).sum(axis=1)
        total = divide_gains(tree, self.gain, in_gate)
        if in_response.any():
            total += self.gain_of_responses * in_response / in_response.sum()
        return _as_parts(total)

    def _varied(self, columns: Floats, mine: npt.NDArray[np.intp], leaves: npt.NDArray[np.intp], kept: Floats) -> float:
        """Sums of squares of what the columns of an input add in all leaves and outputs, from their covariances."""
        found = 0.0
        for place, row in enumerate(self.tree.slope_row[leaves]):
            slope, part = self.tree.slope[row, mine] / self.size, kept[:, place]
            if part.any():
                found += float(part.sum() * (slope * (matmul(covariance(columns, part), slope))).sum())
        return found

    @computed_once
    def phi(self) -> Floats:
        """The columns of the tree's basis."""
        return expand(self.tree.basis, self.rows.X) if self.columns is None else self.columns

    @computed_once
    def reach(self) -> Floats:
        """Reach of every row at every node times the row's weight, in the unit of the root's count."""
        return self._in_counts(self.tree.reach(self.rows.X, self.n_threads) * self.rows.weight[:, None])

    def _in_counts(self, weight: Floats) -> Floats:
        """Weights in the unit of the root's count."""
        total = self.rows.weight.sum()
        return np.asarray(weight * ((self.tree.count[0] if np.isfinite(self.tree.count[0]) else total) / total))

    @computed_once
    def weight(self) -> Floats:
        """Weight of the rows at every node."""
        return np.asarray(self.reach.sum(axis=0))

    @computed_once
    def target(self) -> Floats:
        """Numbers, or one column per class."""
        target = self.rows.target
        two = self._is_classes and target.shape[1] == 1
        return np.concatenate([1.0 - target, target], axis=1) if two else target

    @computed_once
    def size(self) -> float:
        """Sums of squares of numeric targets around their mean."""
        if self._is_classes:
            return 1.0
        return float(np.abs(self.target - self.target.mean(axis=0)).max()) or 1.0

    @computed_once
    def weighted_impurity(self) -> Floats:
        """Impurity times weight of every node."""
        return self._together(_squares((self.target - self.target.mean(axis=0)) / self.size, self.reach))

    @computed_once
    def gain(self) -> Floats:
        """The reduction by every gate; 0 for a leaf."""
        gain = (1.0 - self.tree.leafness) * self.weighted_impurity
        np.subtract.at(gain, self.tree.parent[1:], self.weighted_impurity[1:])
        return np.asarray(np.where(self.tree.n_children > 0, np.maximum(gain, 0.0), 0.0))

    @computed_once
    def gain_of_responses(self) -> float:
        """The further reduction by the tree's predictions compared with the means of its leaves."""
        missed = (self.target - self.tree.predict(self.rows.X, self.n_threads)) / self.size
        error = dot(self.reach[:, 0], self._together(np.square(missed)))
        return max(dot(self.tree.leafness, self.weighted_impurity) - error, 0.0)

    @property
    def _is_classes(self) -> bool:
        return self.tree.schema.task == "classification"

    def _together(self, squares: Floats) -> Floats:
        """The sum over classes, or the mean over targets."""
        return np.asarray(squares.sum(axis=1) if self._is_classes else squares.mean(axis=1))


def gain_importances(tree: Tree, spread: Floats | None = None) -> Floats:
    """Each input's share of the gains in the tree; sums to 1 (all 0 if there are none).

    spread : of every basis column among the training rows, if there are linear gates. The variance of what a column
        adds to a score is the square of weight times spread.
    """
    gates = np.flatnonzero(tree.score == Score.LINEAR)
    varies = np.zeros((tree.n_features, len(gates)))
    if spread is not None:
        np.add.at(varies, tree.basis.feature, np.square(_weights(tree, gates) * spread[:, None]))
    return _as_parts(divide_gains(tree, tree.gain * tree.constant_share, varies))


def divide_gains(tree: Tree, gain: Floats, varies: Floats) -> Floats:
    """The gain of all gates by input.

    varies : (inputs, linear gates) variance of what an input adds to the score of a gate.
    """
    gates, single = tree.score == Score.LINEAR, (tree.n_children > 0) & (tree.feature >= 0)
    total = np.zeros(tree.n_features)
    np.add.at(total, tree.feature[single], gain[single])
    return np.asarray(total + matmul(varies, gain[gates] / np.maximum(varies.sum(axis=0), NOTHING)))


def _squares(values: Floats, weights: Floats) -> Floats:
    """Weighted sums of squares about the weighted mean: (columns of weights, columns of values)."""
    values = values - values.mean(axis=0)
    total = np.maximum(weights.sum(axis=0), NOTHING)[:, None]
    squares, sums = matmul(weights.T, np.square(values)), matmul(weights.T, values)
    return np.asarray(np.maximum(squares - np.square(sums) / total, 0.0))


def _squares_each(values: Floats, weights: Floats) -> Floats:
    """The same of values (rows, inputs, columns), every column with its own column of weights: (inputs, columns)."""
    values = values - values.mean(axis=0)
    total = np.maximum(weights.sum(axis=0), NOTHING)
    mean = np.sum(weights[:, None] * values, axis=0) / total
    return np.asarray(np.sum(weights[:, None] * np.square(values - mean), axis=0))


def _weights(tree: Tree, gates: npt.NDArray[np.intp]) -> Floats:
    """The weight of every basis column in each gate, (columns, gates)."""
    table = np.zeros((len(tree.basis), len(gates)))
    for i, m in enumerate(gates):
        at = slice(tree.weight_begin[m], tree.weight_begin[m + 1])
        table[tree.weight_column[at], i] = tree.weight[at]
    return table


def _as_parts(total: Floats) -> Floats:
    """Divided by the sum; all zeros are kept."""
    return np.asarray(total / total.sum() if total.sum() > 0 else total)
