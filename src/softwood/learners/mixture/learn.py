"""From rows to a mixture of experts, as a Tree in the user's units.

em      maximum likelihood with a ridge, by EM; classes are leaves under logistic gates (shape.py)
joint   linear responses under the link of the whole tree, all parameters refined together (L-BFGS, native) by the
        loss of soft trees, from the gates that EM found
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import matmul
from softwood.kernels.kinds import Link, Loss
from softwood.learners.mixture.em import Mixture, MixtureRows, expect
from softwood.learners.mixture.shape import MixtureShape
from softwood.learners.mixture.start import learn_mixture
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.finish.importance import measure_tree, sample_of
from softwood.learners.soft.finish.scaled_tree import ScaledTree, with_counts
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.search.fold import init_root, make_sample_engine
from softwood.parts.ablation import ablation_of_sums
from softwood.tree import Schema, Tree
from softwood.tree.gain import Arrivals

PENALTY_ROWS = 2.0  # weight of the penalty in rows, the middle of the soft trees' range


@dataclass(frozen=True)
class Experts:
    """Options."""

    depth: int = 2
    branching: int = 2
    learner: str = "em"
    penalty: float | None = None  # relative to the mean loss; None: PENALTY_ROWS / rows
    starts: int = 4
    max_iter: int = 100
    tol: float = 1e-5
    seed: int = 0
    n_threads: int = 1


@dataclass(frozen=True)
class LearnedMixture:
    """The tree, the importance of each input, and the penalised log likelihood after every iteration of EM."""

    tree: Tree
    importance: Floats
    history: Floats


def learn_experts(dataset: Dataset, schema: Schema, how: Experts) -> LearnedMixture:
    """Learn a mixture of experts of fixed shape."""
    given = dataset.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    columns = build_design(whole.X, whole.n_levels, whole.weight, BasisSpec())
    phi = np.column_stack([columns.make(whole.X), np.ones(len(whole.X))])
    numbers = whole.loss == Loss.SQUARED
    target = whole.target if numbers else _codes(whole.target)
    ridge = PENALTY_ROWS if how.penalty is None else how.penalty * whole.total_weight
    rows = MixtureRows(phi, target, whole.weight, ridge)
    classes = 0 if numbers else max(2, whole.target.shape[1])
    shape, targets = MixtureShape.make(how.depth, how.branching, classes), target.shape[1] if numbers else 0
    wide = phi.shape[1] > len(phi) + 1
    some, turn = rows.in_row_space() if wide else (rows, None)
    mixture = learn_mixture(shape, some, targets, how.starts, how.max_iter, how.tol, how.seed)
    if turn is not None:
        line = np.zeros((0, phi.shape[1], 0))
        if len(mixture.line):
            line = matmul(mixture.line.transpose(0, 2, 1), turn).transpose(0, 2, 1)
        mixture = replace(mixture, gate=matmul(mixture.gate, turn), line=line)
    if how.learner == "joint":
        return _refined(mixture, whole, columns, schema, how, centre, scale, ridge)
    tree = as_tree(mixture, rows, columns, schema, centre, scale)
    tree = Arrivals(tree, sample_of(whole, centre, scale), how.n_threads).described()
    return LearnedMixture(tree, _importance(mixture, rows, columns, dataset.X.shape[1]), np.array(mixture.history))


def _codes(target: Floats) -> np.ndarray:
    return target[:, 0].astype(np.int64) if target.shape[1] == 1 else target.argmax(axis=1)


def as_tree(
    mixture: Mixture, rows: MixtureRows, columns: DesignMatrix, schema: Schema, centre: Floats, scale: Floats
) -> Tree:
    """The mixture in the user's units."""
    shape, leaves = mixture.shape, mixture.shape.leaves
    outputs = len(centre) if len(mixture.line) else max(len(schema.answers), 2)
    slope_row = np.full(shape.n_nodes, -1, np.int32)
    response, slope = np.zeros((shape.n_nodes, outputs)), np.zeros((0, outputs, len(columns)))
    if len(mixture.line):
        line = mixture.line[leaves].transpose(0, 2, 1) * scale[:, None]  # (leaves, targets, columns + 1)
        slope, response[leaves] = line[:, :, :-1], line[:, :, -1]
        slope_row[leaves] = np.arange(len(leaves)) if len(columns) else -1
    else:  # an expert is a class
        response[leaves, shape.label[leaves]] = 1.0
    scaled = ScaledTree(shape.first_child, mixture.gate, response, slope, slope_row)
    tree = scaled.to_tree(columns, schema, Link.IDENTITY, np.zeros(outputs), np.ones(outputs))
    if len(mixture.line):
        tree = tree.replace(response=tree.response + np.where(shape.first_child[:, None] < 0, centre, 0.0))
    return with_counts(tree, matmul(rows.weight, mixture.reach(rows.phi)))


def _importance(mixture: Mixture, rows: MixtureRows, columns: DesignMatrix, n_features: int) -> Floats:
    """The decrease of the log likelihood when the columns of an input stay at their mean; as shares of their sum."""
    feature = np.append(columns.feature, -1)  # the last column of phi is the intercept
    nodes, targets = len(mixture.gate), mixture.line.shape[2]
    lines = mixture.line.transpose(1, 0, 2).reshape(rows.phi.shape[1], len(mixture.line) * targets)
    weights = np.column_stack([mixture.gate.T, lines])  # all linear sums; over these the mixture is trivial:
    n_sums = weights.shape[1]
    line = np.eye(n_sums)[:, nodes:].reshape(n_sums, len(mixture.line), targets).transpose(1, 0, 2)
    over_sums = replace(mixture, gate=np.eye(nodes, n_sums), line=line)

    def loss(sums: Floats) -> float:
        return -expect(over_sums, replace(rows, phi=sums))[0]

    return ablation_of_sums(loss, rows.phi, weights, rows.weight, feature, n_features)


def _refined(
    mixture: Mixture,
    whole: Dataset,
    columns: DesignMatrix,
    schema: Schema,
    how: Experts,
    centre: Floats,
    scale: Floats,
    ridge: float,
) -> LearnedMixture:
    """Linear responses in every leaf, all parameters refined together."""
    engine = make_sample_engine(whole, columns, how.n_threads)
    start = _params(mixture, init_root(engine, len(columns), "own" if len(columns) else "none"), how)
    tree = start.refine(engine, ridge / whole.total_weight, 2 * how.max_iter)[1]
    grown = to_tree(tree, columns, schema, whole.loss, engine, centre, scale)
    described = measure_tree(grown, tree, columns, whole, centre, scale, how.n_threads)
    return LearnedMixture(described.tree, described.importance, np.array(mixture.history))


def _params(mixture: Mixture, root: SoftTreeParams, how: Experts) -> SoftTreeParams:
    """The gates above the experts; responses of the experts if they are linear, else the root's."""
    plain = MixtureShape.make(how.depth, how.branching, 0)
    params = root
    for m, gate in zip(plain.gating, mixture.gate[mixture.shape.gating], strict=True):
        params = params.split(int(m), gate, root.response[0], root.response[0])
    if len(mixture.line) == 0:
        return params
    line = mixture.line.transpose(0, 2, 1)
    slope = line[:, :, :-1].copy() if params.slopes == "own" else params.slope
    return replace(params, response=line[:, :, -1].copy(), slope=slope)
