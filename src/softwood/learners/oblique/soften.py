"""A hard tree with any kind of gate handed to the joint refinement of soft trees.

The structure stays. Every gate becomes a sigmoid over the columns, as steep as a soft tree's new gates are; then all
gates and responses move together. The penalty on the weights is chosen on rows held out, the refinement runs on all.
"""

from __future__ import annotations

import numpy as np

from softwood.kernels.kinds import Loss, Term
from softwood.learners.hard.problem import Floats, Problem
from softwood.learners.oblique.rows import in_order
from softwood.learners.soft.candidates import START_SLOPE
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.describe import describe
from softwood.learners.soft.ground import judge_engine, plant_root
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.moments import round_off
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling
from softwood.learners.soft.search import STRENGTHS
from softwood.tree import Tree
from softwood.tree.views import CategoryGate, LinearGate

MAX_ITER = 200
LEAST_SHARE = 0.02  # of a class in a leaf, so that its log odds are finite


def refine_softly(tree: Tree, problem: Problem, recipe: Recipe, n_threads: int = 1) -> tuple[Tree, Floats]:
    """The tree with soft gates, refined, and the importance of each input."""
    whole = soft_problem(problem).in_order(0)
    centre, scale = whole.target_scale()
    whole = whole.scaled(centre, scale)
    same = in_order(
        problem
    )  # the tree's columns again (rows.py), whatever classes weigh: its gates are looked up there
    columns = build_columns(same.X, same.n_levels.tolist(), same.weight, recipe)
    engine = judge_engine(whole, columns, n_threads)
    start = as_sapling(tree, columns, problem, plant_root(engine, len(columns), "none"), centre, scale)
    strength = _best_strength(start, whole, columns, n_threads)
    soft = start.refine(engine, strength / whole.total_weight, MAX_ITER)[1]
    grown = harvest(soft, columns, tree.schema, whole.loss, engine, whole.total_weight, centre, scale)
    described = describe(grown.replace(note=tree.note), soft, columns, whole, centre, scale, n_threads)
    return described.tree, described.importance


def soft_problem(problem: Problem) -> SoftProblem:
    """The same rows as a soft tree reads them; class weights and priors are weights of rows."""
    levels = problem.n_levels.tolist()
    if not problem.is_classes:
        return SoftProblem(problem.X, problem.y.astype(np.float64), problem.weight, levels, Loss.SQUARED)
    target = np.eye(problem.n_classes)[problem.y]
    two = problem.n_classes == 2
    loss, target = (Loss.LOGISTIC, target[:, 1:]) if two else (Loss.SOFTMAX, target)
    return SoftProblem(problem.X, target, problem.row_weight(), levels, loss, count=problem.weight)


def _best_strength(start: Sapling, whole: SoftProblem, columns: Columns, n_threads: int) -> float:
    """The penalty (times the rows) whose refined tree has the least loss on held-out rows."""
    held = whole.held_out()
    if not held:
        return STRENGTHS[0]
    parts = (whole.weight - held[0], held[0])
    learn, judge = (judge_engine(whole.part(weight), columns, n_threads) for weight in parts)

    def loss(strength: float) -> float:
        return start.refine(learn, strength / learn.total_weight, MAX_ITER)[1].loss(judge)

    return min(STRENGTHS, key=loss)


def as_sapling(tree: Tree, columns: Columns, problem: Problem, root: Sapling, centre: Floats, scale: Floats) -> Sapling:
    """The tree over the columns; nodes keep their numbers, as both count families in the order of their parents."""
    response = round_off(_responses(tree, problem, centre, scale))
    sapling = root
    for node in np.flatnonzero(tree.n_children):
        first = int(tree.first_child[node])
        gate = round_off(_gate(tree, int(node), columns))
        sapling = sapling.split(int(node), gate, response[first], response[first + 1])
    return sapling


def _responses(tree: Tree, problem: Problem, centre: Floats, scale: Floats) -> Floats:
    if not problem.is_classes:
        return np.asarray((tree.response - centre) / scale)
    share = np.log(np.maximum(tree.response, LEAST_SHARE))
    return share[:, 1:] - share[:, :1] if problem.n_classes == 2 else share - share.mean(axis=1, keepdims=True)


def _gate(tree: Tree, node: int, columns: Columns) -> Floats:
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


def _linear(gate: LinearGate, columns: Columns) -> Floats:
    """Weights over basis terms as weights over columns: u = mix w has one solution, columns are independent."""
    place = {key: i for i, key in enumerate(_keys(columns.basis))}
    terms = np.zeros(len(columns.basis))
    for term in gate.terms:
        terms[place[int(term.kind), term.feature, term.parameter]] = term.weight
    mix = columns.mix.dense()
    size = np.maximum(np.abs(mix).max(axis=1), 1e-300)
    weight = np.linalg.lstsq(mix / size[:, None], terms / size, rcond=None)[0]
    bias = gate.bias - float(weight @ columns.shift)
    return START_SLOPE * np.append(weight, bias)


def _keys(basis: object) -> list[tuple[int, int, float]]:
    term, feature, parameter = (getattr(basis, name).tolist() for name in ("term", "feature", "parameter"))
    return list(zip(term, feature, parameter, strict=True))
