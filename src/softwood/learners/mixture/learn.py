"""Rows in, mixture of experts out, as a Tree in the user's units.

em      maximum likelihood with a ridge, by EM; classes are leaves under logistic gates (shape.py)
joint   linear responses under the link of the whole tree, all parameters refined together (L-BFGS, native) by the
        loss of soft trees, from the gates that EM found
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.kernels.kinds import Loss, Score, Squash
from softwood.learners.hard.problem import Floats
from softwood.learners.mixture.em import Evidence, Mixture, expect
from softwood.learners.mixture.shape import MixtureShape
from softwood.learners.mixture.start import learn_mixture
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.describe import describe, sample_of
from softwood.learners.soft.ground import judge_engine, plant_root
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.tree import Schema, Tree
from softwood.tree.gain import Arrivals

STRENGTH = 2.0  # rows that the penalty weighs, as in the middle of the soft trees' range


@dataclass(frozen=True)
class Experts:
    """How to learn."""

    depth: int = 2
    branching: int = 2
    learner: str = "em"
    penalty: float | None = None  # beside the mean loss; None is STRENGTH / rows
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


def learn_experts(problem: SoftProblem, schema: Schema, how: Experts) -> LearnedMixture:
    """Learn a mixture of experts of fixed shape."""
    given = problem.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    columns = build_columns(whole.X, whole.n_levels, whole.weight, Recipe())
    phi = np.column_stack([columns.make(whole.X), np.ones(len(whole.X))])
    numbers = whole.loss == Loss.SQUARED
    target = whole.target if numbers else _codes(whole.target)
    ridge = STRENGTH if how.penalty is None else how.penalty * whole.total_weight
    rows = Evidence(phi, target, whole.weight, ridge)
    classes = 0 if numbers else max(2, whole.target.shape[1])
    shape, targets = MixtureShape.make(how.depth, how.branching, classes), target.shape[1] if numbers else 0
    mixture = learn_mixture(shape, rows, targets, how.starts, how.max_iter, how.tol, how.seed)
    if how.learner == "joint":
        return _refined(mixture, whole, columns, schema, how, centre, scale, ridge)
    tree = as_tree(mixture, rows, columns, schema, centre, scale)
    tree = Arrivals(tree, sample_of(whole, centre, scale), how.n_threads).described()
    return LearnedMixture(tree, _importance(mixture, rows, columns, problem.X.shape[1]), np.array(mixture.history))


def _codes(target: Floats) -> np.ndarray:
    return target[:, 0].astype(np.int64) if target.shape[1] == 1 else target.argmax(axis=1)


def as_tree(mixture: Mixture, rows: Evidence, columns: Columns, schema: Schema, centre: Floats, scale: Floats) -> Tree:
    """The mixture in the user's units."""
    shape = mixture.shape
    branch = shape.first_child >= 0
    reach = rows.weight @ mixture.reach(rows.phi)
    weight, bias = columns.in_user_units(mixture.gate[:, :-1], mixture.gate[:, -1])
    numbers = len(mixture.line) > 0
    answers = len(centre) if numbers else max(len(schema.answers), 2)
    response, slope = np.zeros((shape.n_nodes, answers)), np.zeros((0, len(columns.basis), answers))
    if numbers:
        line = mixture.line[shape.leaves].transpose(0, 2, 1) * scale[:, None]  # (leaves, targets, columns + 1)
        slope, response[shape.leaves] = columns.in_user_units(line[:, :, :-1], line[:, :, -1])
        response[shape.leaves] += centre
    else:
        response[shape.leaves, shape.label[shape.leaves]] = 1.0
    slope_row = np.full(shape.n_nodes, -1)
    if numbers and len(columns):
        slope_row[shape.leaves] = np.arange(len(shape.leaves))
    terms = len(columns.basis)
    return Tree(
        response=_mixed(shape, response, reach),
        schema=schema,
        first_child=shape.first_child,
        n_children=np.where(branch, 2, 0),
        score=np.where(branch, Score.LINEAR, Score.NONE),
        squash=np.where(branch, Squash.SIGMOID, Squash.STEP),
        bias=np.where(branch, bias, 0.0),
        weight_begin=np.concatenate([[0], np.cumsum(np.where(branch, terms, 0))]),
        weight_column=np.tile(np.arange(terms), int(branch.sum())),
        weight=weight[branch].ravel(),
        basis=columns.basis,
        slope_row=slope_row.astype(np.int32),
        slope=np.ascontiguousarray(slope.transpose(0, 2, 1)) if numbers else slope,
        count=reach,
    )


def _mixed(shape: MixtureShape, response: Floats, reach: Floats) -> Floats:
    """Branches answer the mean of their children by reach."""
    for m in shape.branches[::-1]:
        first = shape.first_child[m]
        share = reach[first] / max(reach[first] + reach[first + 1], 1e-300)
        response[m] = share * response[first] + (1.0 - share) * response[first + 1]
    return response


def _importance(mixture: Mixture, rows: Evidence, columns: Columns, n_features: int) -> Floats:
    """How much the log likelihood falls when the columns of an input stay at their mean; as parts of their sum."""
    mean = rows.weight @ rows.phi / rows.weight.sum()
    whole = expect(mixture, rows)[0]
    fall = np.zeros(n_features)
    for f in np.unique(columns.feature):
        blind = np.where(np.append(columns.feature == f, False), mean, rows.phi)
        fall[f] = max(whole - expect(mixture, replace(rows, phi=blind))[0], 0.0)
    return np.asarray(fall / fall.sum() if fall.sum() > 0 else fall)


def _refined(
    mixture: Mixture,
    whole: SoftProblem,
    columns: Columns,
    schema: Schema,
    how: Experts,
    centre: Floats,
    scale: Floats,
    ridge: float,
) -> LearnedMixture:
    """Linear responses in every leaf, all parameters refined together."""
    engine = judge_engine(whole, columns, how.n_threads)
    start = _sapling(mixture, plant_root(engine, len(columns), "own" if len(columns) else "none"), how)
    tree = start.refine(engine, ridge / whole.total_weight, 2 * how.max_iter)[1]
    grown = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    described = describe(grown, tree, columns, whole, centre, scale, how.n_threads)
    return LearnedMixture(described.tree, described.importance, np.array(mixture.history))


def _sapling(mixture: Mixture, root: Sapling, how: Experts) -> Sapling:
    """The gates above the experts; responses of the experts where they are linear, else the root's."""
    plain = MixtureShape.make(how.depth, how.branching, 0)
    sapling = root
    for m, gate in zip(plain.gating, mixture.gate[mixture.shape.gating], strict=True):
        sapling = sapling.split(int(m), gate, root.response[0], root.response[0])
    if len(mixture.line) == 0:
        return sapling
    line = mixture.line.transpose(0, 2, 1)
    slope = line[:, :, :-1].copy() if sapling.slopes == "own" else sapling.slope
    return replace(sapling, response=line[:, :, -1].copy(), slope=slope)
