"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size chosen
on held-out rows.

    minimise  mean loss + penalty * (1/2 |weights|^2 + 1/20 |responses - root's|^2 + 1/2 |slopes - root's|^2)

A tree grows one split at a time; a new gate starts from the best axis split or the direction that the loss pulls to, and
after each split all parameters move together (L-BFGS). Kinds of gates and leaves and a path of penalties are tried; the
choice (choice.py) prefers the simple. Held-out rows are the caller's validation rows, which are never trained on; without
them the rows are divided (folds, or one part held out when rows are many), and the chosen tree is refined on all rows.

The parts it stands on: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised additive models,
Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from softwood.learners.soft.choice import Candidate, choose
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.ground import Ground, judge_engine, plant_root
from softwood.learners.soft.growth import FINISH, Growing, grow
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.tree import Schema, Tree

Gate = Literal["auto", "axis", "linear", "quadratic", "additive"]
Leaf = Literal["auto", "constant", "linear"]

STRENGTHS = (20.0, 6.0, 2.0, 0.6, 0.2)  # penalties to try, times the rows: what a few rows weigh
CURVE = (0.7, 0.35, 0.23, 0.18, 0.14, 0.12)  # scales of curves by frequency: as 1/k, so that the penalty grows as k^2
RECIPES: dict[Gate, tuple[Recipe, ...]] = {
    "axis": (Recipe(),),
    "linear": (Recipe(),),
    "quadratic": (Recipe(square=0.5),),
    "additive": (Recipe(curve=CURVE, square=0.35),),
    "auto": (Recipe(), Recipe(curve=CURVE, square=0.35)),
}
WIDE = 400  # columns; where curves would give more, they get fewer frequencies
OWN_SLOPES = 4  # outputs up to which each leaf has its own slopes; beyond, the leaves share them
WORSE = 2  # penalties in a row that do worse before the path ends
ENOUGH = 20_000  # rows that suffice to grow and choose by; all rows refine the tree that is chosen


@dataclass(frozen=True)
class Joint:
    """How to learn. `penalty` None chooses it; `report` hears of every candidate."""

    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_leaves: int = 16
    penalty: float | None = None
    max_gate_features: int | None = None
    patience: int = 3
    max_iter: int = FINISH
    n_threads: int = 1
    single: bool = True
    seed: int = 0
    report: Callable[[Candidate], None] = lambda candidate: None


@dataclass(frozen=True)
class Learned:
    """The tree in the user's units, the importance of each input, and the candidates it was chosen from."""

    tree: Tree
    importance: np.ndarray
    candidates: list[Candidate]
    chosen: Candidate


def learn_joint(problem: SoftProblem, schema: Schema, how: Joint, validation: SoftProblem | None) -> Learned:
    """Learn a soft tree; validation rows, where given, are only judged by."""
    given = problem.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    held = None if validation is None else validation.scaled(centre, scale)
    found: list[tuple[Candidate, Columns]] = []
    try:
        for candidate, columns in _candidates(whole, held, how):
            found.append((candidate, columns))
            how.report(candidate)
    except KeyboardInterrupt:
        if not found:
            raise
    chosen = choose([candidate for candidate, _ in found])
    columns = next(columns for candidate, columns in found if candidate is chosen)
    engine = judge_engine(whole, columns, how.n_threads, how.single)
    refit = held is None or len(whole.X) > ENOUGH
    tree = _refitted(chosen, engine, how.max_iter) if refit else chosen.tree[0]
    grown = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    importance = engine.importance(tree.shape, tree.parameters, columns.feature, problem.X.shape[1])
    return Learned(grown, importance, [candidate for candidate, _ in found], chosen)


def recipes_for(gate: Gate, n_inputs: int) -> tuple[Recipe, ...]:
    """Columns to try; where inputs are many, curves have fewer frequencies."""
    most = max(0, WIDE // max(n_inputs, 1) - 1)
    narrow = [replace(recipe, curve=recipe.curve[:most], square=recipe.square if most else 0.0) for recipe in RECIPES[gate]]
    return tuple(dict.fromkeys(RECIPES[gate] if gate == "quadratic" else narrow))


def slopes_for(leaf: Leaf, outputs: int) -> tuple[Slopes, ...]:
    """Kinds of responses to try."""
    linear: Slopes = "own" if outputs <= OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]


def _candidates(
    whole: SoftProblem, held: SoftProblem | None, how: Joint
) -> Iterator[tuple[Candidate, Columns]]:
    """Every kind of tree and penalty, grown and judged."""
    some = whole if len(whole.X) <= ENOUGH else whole.rows(np.arange(len(whole.X)) < ENOUGH)
    if held is not None:
        divided = [(some, held)]
    else:
        divided = [(some.rows(~out), some.rows(out)) for out in some.held_out()] or [(some, some)]
    for recipe in recipes_for(how.gate, whole.X.shape[1]):
        columns = build_columns(some.X, some.n_levels, some.weight, recipe)
        grounds = [Ground.make(*parts, columns, how.n_threads, how.single) for parts in divided]
        for slopes in slopes_for(how.leaf, whole.target.shape[1]):
            for candidate in _path(grounds, recipe, slopes, how):
                yield candidate, columns


def _path(grounds: list[Ground], recipe: Recipe, slopes: Slopes, how: Joint) -> Iterator[Candidate]:
    """Trees for falling penalties, until lower ones only do worse. Models without a gate are candidates too."""
    best, worse = np.inf, 0
    rows = float(np.mean([ground.learn.total_weight for ground in grounds]))
    for penalty in [how.penalty] if how.penalty is not None else [strength / rows for strength in STRENGTHS]:
        roots = [plant_root(ground.learn, ground.learn.phi.shape[1], slopes) for ground in grounds]
        if slopes != "none":
            roots = [root.refine(g.learn, penalty, how.max_iter)[1] for root, g in zip(roots, grounds, strict=True)]
        yield _judged(grounds, recipe, penalty, roots)
        growing = Growing(penalty, how.max_leaves, how.patience, max_gate_features=_gate_features(how))
        trees = [_grown(root, ground, growing) for root, ground in zip(roots, grounds, strict=True)]
        candidate = _judged(grounds, recipe, penalty, trees)
        yield candidate
        worse = 0 if candidate.loss < best else worse + 1
        best = min(best, candidate.loss)
        if worse >= WORSE:
            return


def _gate_features(how: Joint) -> int | None:
    return 1 if how.gate == "axis" else how.max_gate_features


def _grown(root: Sapling, ground: Ground, growing: Growing) -> Sapling:
    return grow(root, ground.learn, ground.axes, growing, lambda tree: tree.loss(ground.judge))[1]


def _judged(grounds: Sequence[Ground], recipe: Recipe, penalty: float, trees: list[Sapling]) -> Candidate:
    losses = [g.judge.row_loss(tree.shape, tree.parameters) for g, tree in zip(grounds, trees, strict=True)]
    weight = [ground.judge.weight * ground.judge.total_weight for ground in grounds]
    return Candidate(recipe, penalty, trees, np.concatenate(losses), np.concatenate(weight))


def _refitted(chosen: Candidate, whole: object, max_iter: int) -> Sapling:
    """The trees of the folds refined on all rows; the one of the lowest objective is kept."""
    refined = [tree.refine(whole, chosen.penalty, max_iter) for tree in chosen.tree]  # type: ignore[arg-type]
    return min(refined, key=lambda pair: pair[0])[1]
