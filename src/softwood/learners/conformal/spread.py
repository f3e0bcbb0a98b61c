"""The spread of predictions per row: the mean absolute error as a linear function of the inputs and a curve of the
prediction.

    spread(x, answer) = max(floor, constant + sum_f weight_f x_f + curve(answer))

Weights are from a ridge regression of the held-out rows' absolute errors on the columns of soft trees (design.py). The
leave-one-out error of each row (leave-one-group-out with groups) has a closed form and selects the penalty. The same
leave-one-out spreads scale the errors for the intervals, so that a row never narrows its own interval. The heaviest
penalty whose loss is within PENALTY_MAX_LOSS_SE of the best is used, or a constant unless the best penalty is better
than that by MIN_GAIN_SE.

Measured on validation rows of the papers' regression sets (interval score, constant = 1, mean of soft trees' answers):
these columns .928, lines only .946, a curve for every input .925.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Index, Longs
from softwood.kernels.arithmetic import dot, eigh, matmul, norm, solve
from softwood.kernels.kinds import Link
from softwood.kernels.sparse.table import SparseTable
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.finish.scaled_tree import ScaledTree
from softwood.learners.soft.params.tree_kinds import ADDITIVE
from softwood.tree import Basis, Schema, Tree
from softwood.tree.schema import Kind

PENALTY_ROWS = (1.0, 3.162, 10.0, 31.62, 100.0, 316.2, 1e3, 3162.0, 1e4)  # weight of the ridge, in rows
PENALTY_MAX_LOSS_SE = 1.0  # by which a heavier penalty may be worse
MIN_GAIN_SE = 2.0  # by which a varying spread must be better than a constant
MIN_SPREAD_SHARE = 0.4  # of the mean error; no spread is smaller
MAX_LEVERAGE = 0.99  # of a row; at 1 its leave-one-out error would be divided by 0
MIN_ROWS = 30
MAX_SPARSE_COLUMNS = 500  # of a sparse table; a spread is linear in the fullest ones
SINGULAR_SHARE = 1e-9  # of the largest eigenvalue: directions that vary less carry rounding


@dataclass(frozen=True)
class Spread:
    """The spread of the prediction at a row.

    tree : maps the inputs, followed by the prediction, to the spread; None: constant.
    floor : the smallest spread.
    """

    tree: Tree | None = None
    floor: float = 1.0

    def at(self, X: Floats | SparseTable, answer: Floats) -> Floats:
        """Spread at each row with its prediction, (rows,)."""
        if self.tree is None:
            return np.full(len(X), self.floor)
        rows = X.beside(answer) if isinstance(X, SparseTable) else np.column_stack([X, answer])
        return np.maximum(self.tree.predict(rows)[:, 0], self.floor)


def learn_spread(
    X: Floats | SparseTable,
    answer: Floats,
    error: Floats,
    weight: Floats,
    schema: Schema,
    group: Longs | None = None,
) -> tuple[Spread, Floats]:
    """The spread of absolute errors (rows,) and, of each row, the spread by all other rows (of other groups)."""
    mean = float(np.average(error, weights=weight))
    constant = Spread(None, mean if mean > 0 else 1.0), np.full(len(error), mean if mean > 0 else 1.0)
    if (len(error) if group is None else len(np.unique(group))) < MIN_ROWS or not mean > 0:
        return constant
    try:
        return _varying(X, answer, error / mean, weight, schema, mean, group) or constant
    except ValueError:  # hard trees learn from numbers for which weights overflow: 1e-310, 1e305
        return constant


def _varying(
    X: Floats | SparseTable,
    answer: Floats,
    error: Floats,
    weight: Floats,
    schema: Schema,
    mean: float,
    group: Longs | None,
) -> tuple[Spread, Floats] | None:
    """A varying spread, from errors relative to their mean; None if a constant is nearly as good."""
    inputs = np.arange(X.shape[1])
    if isinstance(X, SparseTable):
        inputs = _fullest(X)
        X = X.only(inputs).dense()
    cells = np.column_stack([X, answer])
    design = _design(cells, [*schema.level_counts[inputs].tolist(), 0], weight)
    if not len(design):
        return None
    ridge = replace(Ridge.of(design.make(cells), error, weight), members=members_of(group))
    chosen = ridge.choose()
    if chosen is None:
        return None
    design = _renumbered(design, np.append(inputs, len(schema.features)))
    tree = _tree(design, ridge.weights(chosen) * mean, ridge.constant(chosen) * mean, schema)
    return Spread(tree, MIN_SPREAD_SHARE * mean), np.maximum(ridge.without(chosen), MIN_SPREAD_SHARE) * mean


@dataclass(frozen=True)
class Ridge:
    """A weighted ridge regression, solved for every penalty at once.

    middle : (columns,) of the columns.  mean : of the target.
    direction : (columns, rank), value (rank,): eigenvectors and eigenvalues of the columns' products.
    score : (rows, rank) the columns along these directions.  product : (rank,) their products with the target.
    members : the rows of every group; None without groups.
    """

    target: Floats
    weight: Floats
    mean: float
    middle: Floats
    direction: Floats
    value: Floats
    score: Floats
    product: Floats
    members: list[Index] | None = None

    @classmethod
    def of(cls, phi: Floats, target: Floats, weight: Floats) -> Ridge:
        share = weight / weight.sum()
        middle, mean = matmul(share, phi), dot(share, target)
        centred = phi - middle
        value, direction = _principal_directions(centred, weight)
        score = matmul(centred, direction)
        product = matmul(score.T, weight * (target - mean))
        return cls(target, weight, mean, middle, direction, value, score, product)

    def without(self, penalty: float) -> Floats:
        """Leave-one-out prediction of the regression for each row, or without its group."""
        shrunk = 1.0 / (self.value + penalty)
        fit = self.mean + matmul(self.score, shrunk * self.product)
        if self.members is not None:
            return self._without_groups(fit, shrunk)
        leverage = self.weight * (1.0 / self.weight.sum() + matmul(np.square(self.score), shrunk))
        return np.asarray(self.target - (self.target - fit) / (1.0 - np.minimum(leverage, MAX_LEVERAGE)))

    def _without_groups(self, fit: Floats, shrunk: Floats) -> Floats:
        """Prediction of the regression without the group of each row.

        The part of a group in its own fit is F F' W, with W its weights. With Q = W^1/2 F and b = W^1/2 error the error
        without the group is error + F Q' z, where (1 - Q Q') z = b; or z = b + Q (1 - Q'Q)^-1 Q'b.
        """
        found, total = self.target.copy(), float(self.weight.sum())
        for rows in self.members or ():
            F = np.column_stack([np.full(len(rows), total**-0.5), self.score[rows] * np.sqrt(shrunk)])
            root, error = np.sqrt(self.weight[rows]), self.target[rows] - fit[rows]
            Q, b = F * root[:, None], root * error
            if len(rows) <= F.shape[1]:
                z = solve(np.eye(len(rows)) - matmul(Q, Q.T), b, SINGULAR_SHARE, 1.0 - SINGULAR_SHARE)
            else:
                inner = np.eye(F.shape[1]) - matmul(Q.T, Q)
                z = b + matmul(Q, solve(inner, matmul(Q.T, b), SINGULAR_SHARE, 1.0 - SINGULAR_SHARE))
            found[rows] -= error + matmul(F, matmul(Q.T, z))
        return found

    def choose(self) -> float | None:
        """The selected penalty; None if a constant is nearly as good."""
        losses = [np.square(self.without(penalty) - self.target) for penalty in (*PENALTY_ROWS, np.inf)]
        total = float(self.weight.sum())
        means = [dot(self.weight, loss) / total for loss in losses]
        best = int(np.argmin(means))

        def is_within(one: int, max_loss_se: float) -> bool:
            gap = losses[one] - losses[best]
            mean = means[one] - means[best]
            if self.members is not None:
                return mean <= max_loss_se * float(
                    norm(np.array([dot(self.weight[at], gap[at] - mean) for at in self.members])) / total
                )
            return mean <= max_loss_se * float(np.sqrt(dot(self.weight, np.square(gap - mean))) / total)

        if is_within(len(PENALTY_ROWS), MIN_GAIN_SE):
            return None
        return next(
            PENALTY_ROWS[i]
            for i in reversed(range(len(PENALTY_ROWS)))
            if i == best or is_within(i, PENALTY_MAX_LOSS_SE)
        )

    def weights(self, penalty: float) -> Floats:
        """Weights of the columns."""
        return np.asarray(matmul(self.direction, self.product / (self.value + penalty)))

    def constant(self, penalty: float) -> float:
        """The intercept."""
        return self.mean - dot(self.middle, self.weights(penalty))


def _principal_directions(columns: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of C'WC above rounding, and their eigenvectors (columns, rank), of the columns C (rows, columns).

    With fewer rows than columns, from W^1/2 C C' W^1/2, which has the same eigenvalues: 20,000 columns would take
    hours.
    """
    is_wide = columns.shape[1] > columns.shape[0]
    rows = np.sqrt(weight)[:, None] * columns if is_wide else columns
    value, vector = eigh(matmul(rows, rows.T) if is_wide else matmul(columns.T, weight[:, None] * columns))
    kept = value > SINGULAR_SHARE * max(value[-1], 1e-300)
    value, vector = value[kept], vector[:, kept]
    return value, matmul(rows.T, vector) / np.sqrt(value) if is_wide else vector


def members_of(group: Longs | None) -> list[Index] | None:
    """The rows of every group.

    >>> [rows.tolist() for rows in members_of(np.array([3, 1, 3]))]
    [[1], [0, 2]]
    """
    if group is None:
        return None
    _, place = np.unique(group, return_inverse=True)
    return np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])


def _design(cells: Floats, n_levels: list[int], weight: Floats) -> DesignMatrix:
    """Lines of all inputs, indicators of categories and missing values, and curves of the prediction (last input)."""
    answer = cells.shape[1] - 1
    lines = build_design(cells[:, :answer], n_levels[:answer], weight, BasisSpec())
    curve = build_design(cells[:, answer:], [0], weight, ADDITIVE)
    if not len(curve):
        return lines
    basis, mix = curve.basis, curve.mix
    names = ("term", "parameter", "when_missing")
    joined = {name: np.concatenate([getattr(lines.basis, name), getattr(basis, name)]) for name in names}
    at = np.array(lines.mix.shape)
    return DesignMatrix(
        Basis(feature=np.concatenate([lines.basis.feature, basis.feature + answer]), **joined),
        Mix(
            np.concatenate([lines.mix.term, mix.term + at[0]]),
            np.concatenate([lines.mix.column, mix.column + at[1]]),
            np.concatenate([lines.mix.value, mix.value]),
            (int(at[0] + mix.shape[0]), int(at[1] + mix.shape[1])),
        ),
        np.concatenate([lines.shift, curve.shift]),
        np.concatenate([lines.feature, curve.feature + answer]).astype(np.int32),
        np.concatenate([lines.kind, curve.kind]),
    )


def _fullest(X: SparseTable) -> Index:
    """The columns of a sparse table with most values, at most MAX_SPARSE_COLUMNS, in increasing order."""
    stored = np.bincount(X.column, minlength=X.n_columns)
    return np.sort(np.argsort(-stored, kind="stable")[:MAX_SPARSE_COLUMNS])


def _renumbered(design: DesignMatrix, inputs: Index) -> DesignMatrix:
    """The design with renumbered inputs."""
    number = inputs.astype(np.int32)
    basis = replace(design.basis, feature=number[design.basis.feature])
    return replace(design, basis=basis, feature=number[design.feature])


def _tree(design: DesignMatrix, slope: Floats, constant: float, schema: Schema) -> Tree:
    """One leaf with a linear response in the inputs and the prediction."""
    one = np.zeros(1, np.int32)
    leaf = ScaledTree(one - 1, np.zeros((1, len(design) + 1)), np.full((1, 1), constant), slope[None, None], one)
    return leaf.to_tree(design, spread_schema(schema), Link.IDENTITY, np.zeros(1), np.ones(1))


def spread_schema(schema: Schema) -> Schema:
    """A tree's inputs and its prediction as inputs, the spread as answer."""
    name = "answer"
    while name in schema.features:
        name += "_"
    return Schema((*schema.features, name), (*schema.categories, None), ("spread",), kinds=(*schema.kinds, Kind.NUMBER))
