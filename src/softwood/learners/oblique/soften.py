"""The joint refinement of soft trees applied to a hard tree with any kind of gate.

The structure does not change. Every gate becomes a sigmoid over the columns, as steep as a soft tree's new gates; then
all gates and responses are refined together. The penalty on the weights is chosen on held-out rows, the refinement uses
all rows.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.arithmetic import dot, log, matmul, solve
from softwood.kernels.kinds import Loss, Term, class_loss
from softwood.learners.hard.problem import Problem
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.finish.importance import measure_tree
from softwood.learners.soft.finish.to_tree import to_tree
from softwood.learners.soft.growth.split_candidates import START_SLOPE
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.moments import round_off
from softwood.learners.soft.search import STRENGTHS
from softwood.learners.soft.search.fold import init_root, make_sample_engine
from softwood.tree import Tree
from softwood.tree.views import CategoryGate, LinearGate

MAX_ITER = 200
MIN_CLASS_SHARE = 0.02  # of a class in a leaf, so that its log odds are finite
SINGULAR_SHARE = 1e-12  # part of a column that is left, given the others


def refine_softly(tree: Tree, dataset: Problem, basis_spec: BasisSpec, n_threads: int = 1) -> tuple[Tree, Floats]:
    """The tree with soft gates, refined, and the importance of each input."""
    same = dataset.in_order()  # equal rows are merged before class weights, so that copies sum to the same bits
    whole = soft_dataset(same).in_order(0)
    centre, scale = whole.target_scale()
    whole = whole.scaled(centre, scale)
    # The tree's columns again (rows.py), independent of class weights: its gates refer to them.
    columns = build_design(same.X, same.n_levels.tolist(), same.weight, basis_spec)
    engine = make_sample_engine(whole, columns, n_threads)
    start = as_params(tree, columns, dataset, init_root(engine, len(columns), "none"), centre, scale)
    strength = _best_strength(start, whole, columns, n_threads)
    soft = start.refine(engine, strength / whole.total_weight, MAX_ITER)[1]
    grown = to_tree(soft, columns, tree.schema, whole.loss, engine, centre, scale)
    described = measure_tree(grown.replace(note=tree.note), soft, columns, whole, centre, scale, n_threads)
    return described.tree, described.importance


def soft_dataset(dataset: Problem) -> Dataset:
    """The same rows for a soft tree; class weights and priors become weights of rows."""
    levels = dataset.n_levels.tolist()
    if not dataset.is_classes:
        return Dataset(
            dataset.X, dataset.y.astype(np.float64), dataset.weight, levels, Loss.SQUARED, group=dataset.group
        )
    target = np.eye(dataset.n_classes)[dataset.y]
    target = target[:, 1:] if dataset.n_classes == 2 else target
    loss = class_loss(dataset.n_classes)
    return Dataset(dataset.X, target, dataset.row_weight(), levels, loss, count=dataset.weight, group=dataset.group)


def _best_strength(start: SoftTreeParams, whole: Dataset, columns: DesignMatrix, n_threads: int) -> float:
    """The penalty (times the rows) whose refined tree has the lowest held-out loss."""
    held = whole.held_out()
    if not held:
        return STRENGTHS[0]
    parts = (whole.weight - held[0], held[0])
    learn, judge = (make_sample_engine(whole.part(weight), columns, n_threads) for weight in parts)

    def loss(strength: float) -> float:
        return start.refine(learn, strength / learn.total_weight, MAX_ITER)[1].loss(judge)

    return min(STRENGTHS, key=loss)


def as_params(
    tree: Tree, columns: DesignMatrix, dataset: Problem, root: SoftTreeParams, centre: Floats, scale: Floats
) -> SoftTreeParams:
    """The tree over the columns; nodes keep their indices, since both order children by their parents."""
    response = round_off(_responses(tree, dataset, centre, scale))
    params = root
    for node in np.flatnonzero(tree.n_children):
        first = int(tree.first_child[node])
        gate = round_off(_gate(tree, int(node), columns))
        params = params.split(int(node), gate, response[first], response[first + 1])
    return params


def _responses(tree: Tree, dataset: Problem, centre: Floats, scale: Floats) -> Floats:
    if not dataset.is_classes:
        return np.asarray((tree.response - centre) / scale)
    share = log(np.maximum(tree.response, MIN_CLASS_SHARE))
    if dataset.n_classes == 2:
        return np.asarray(share[:, 1:] - share[:, :1])
    return np.asarray(share - share.mean(axis=1, keepdims=True))


def _gate(tree: Tree, node: int, columns: DesignMatrix) -> Floats:
    """The gate of a node as weights over the columns, bias last."""
    view = tree.gate(node)
    if isinstance(view, LinearGate):
        return _linear(view, columns)
    feature = int(tree.feature[node])
    gate = np.zeros(len(columns) + 1)
    if isinstance(view, CategoryGate):
        terms = columns.terms_of(feature)
        for column in np.flatnonzero((columns.feature == feature) & (columns.kind == 3)):
            term = int(terms[np.argmax(np.abs(columns.mix.block(terms, np.array([column]))))])
            if columns.basis.term[term] == Term.CATEGORY:
                slot = view.slots[int(columns.basis.parameter[term])]
                gate[column] = START_SLOPE * (1.0 if slot == 0 else -1.0 if slot == 1 else 0.0)
        return gate
    line = np.flatnonzero((columns.feature == feature) & (columns.kind == 0))
    if len(line) and np.isfinite(tree.threshold[node]):
        gate[line] = -START_SLOPE
        at = np.array([float(tree.threshold[node])])
        gate[-1] = START_SLOPE * float(columns.of_input(feature, at, line)[0, 0])
    return gate


def _linear(gate: LinearGate, columns: DesignMatrix) -> Floats:
    """Weights over basis terms as weights over columns: u = mix w has one solution, columns are independent."""
    place = {key: i for i, key in enumerate(_keys(columns.basis))}
    terms = np.zeros(len(columns.basis))
    for term in gate.terms:
        terms[place[int(term.kind), term.feature, term.parameter]] = term.weight
    mix = columns.mix.dense()
    size = np.maximum(np.abs(mix).max(axis=1), 1e-300)
    mix, terms = mix / size[:, None], terms / size
    gram, weight = matmul(mix.T, mix), np.zeros(mix.shape[1])
    for _ in range(2):  # the second step corrects rounding errors of the first
        weight = weight + solve(gram, matmul(mix.T, terms - matmul(mix, weight)), SINGULAR_SHARE, 1.0 - SINGULAR_SHARE)
    bias = gate.bias - dot(weight, columns.shift)
    return START_SLOPE * np.append(weight, bias)


def _keys(basis: object) -> list[tuple[int, int, float]]:
    term, feature, parameter = (getattr(basis, name).tolist() for name in ("term", "feature", "parameter"))
    return list(zip(term, feature, parameter, strict=True))
