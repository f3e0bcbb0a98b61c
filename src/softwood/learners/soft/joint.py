"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size
chosen on held-out rows.

    minimise  mean loss + penalty * (1/2 |weights|^2 + 1/20 |responses - root's|^2 + 1/2 |slopes - root's|^2)

A tree grows one split at a time; a new gate starts from the best axis split or the direction that the loss pulls
to, and after each split all parameters move together (L-BFGS). Kinds of gates and leaves and a path of penalties
are tried; the choice (choice.py) prefers the simple. For each kind the penalty is sought uphill and downhill from
the middle of its range, on one division of the rows; only the best few meet the other divisions. Held-out rows are
the caller's validation rows, which are never trained on; without them the rows are divided (folds, or one part held
out when rows are many), and the chosen tree is refined on all rows.

The parts it stands on: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised
additive models, Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from softwood.engines import Engine
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
    "additive": (Recipe(curve=CURVE, bow=0.35),),
    "auto": (Recipe(), Recipe(curve=CURVE, bow=0.35)),
}
WIDE = 256  # columns; where curves would give more, they get fewer frequencies
OWN_SLOPES = 4  # outputs up to which each leaf has its own slopes; beyond, the leaves share them
MIDDLE = 2  # place among the strengths where the search for a penalty begins
FINALISTS = 4  # candidates that meet all divisions of the rows
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
    """The tree in the user's units, the importance of each input, and the candidates it was chosen from.

    n_iter : iterations of refinement that led to the tree.
    """

    tree: Tree
    importance: np.ndarray
    candidates: list[Candidate]
    chosen: Candidate
    n_iter: int = 1


def learn_joint(problem: SoftProblem, schema: Schema, how: Joint, validation: SoftProblem | None) -> Learned:
    """Learn a soft tree; validation rows, where given, are only judged by."""
    given = problem.in_order(how.seed)
    centre, scale = given.target_scale()
    whole = given.scaled(centre, scale)
    held = None if validation is None else validation.scaled(centre, scale)
    fields = list(_fields(whole, held, how))
    found: list[Trial] = []
    try:
        for trial in _first_round(fields, how):
            found.append(trial)
            how.report(trial.candidate)
        found = _second_round(found, how)
    except KeyboardInterrupt:
        if not found:
            raise
    chosen = choose([trial.candidate for trial in found])
    columns = next(trial.field.columns for trial in found if trial.candidate is chosen)
    engine = judge_engine(whole, columns, how.n_threads, how.single)
    refit = held is None or len(whole.X) > ENOUGH
    tree = _refitted(chosen, engine, how.max_iter) if refit else chosen.tree[0]
    grown = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    importance = engine.importance(tree.shape, tree.parameters, columns.feature, problem.X.shape[1])
    return Learned(grown, importance, [trial.candidate for trial in found], chosen, max(tree.n_iter, 1))


def recipes_for(gate: Gate, n_inputs: int) -> tuple[Recipe, ...]:
    """Columns to try; where inputs are many, curves have fewer frequencies."""
    most = max(0, WIDE // max(n_inputs, 1) - 1)
    narrow = [replace(recipe, curve=recipe.curve[:most], bow=recipe.bow if most else 0.0) for recipe in RECIPES[gate]]
    return tuple(dict.fromkeys(narrow))


def slopes_for(leaf: Leaf, outputs: int) -> tuple[Slopes, ...]:
    """Kinds of responses to try."""
    linear: Slopes = "own" if outputs <= OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]


@dataclass(frozen=True)
class Field:
    """Columns of one recipe, and the rows divided in one or several ways."""

    recipe: Recipe
    columns: Columns
    divided: list[tuple[SoftProblem, SoftProblem]]
    how: Joint

    @cached_property
    def grounds(self) -> list[Ground]:
        """Made when first asked for; the first alone is `ground`."""
        rest = [Ground.make(*parts, self.columns, self.how.n_threads, self.how.single) for parts in self.divided[1:]]
        return [self.ground, *rest]

    @cached_property
    def ground(self) -> Ground:
        return Ground.make(*self.divided[0], self.columns, self.how.n_threads, self.how.single)


@dataclass(frozen=True)
class Trial:
    """A candidate and how to make it again elsewhere."""

    field: Field
    slopes: Slopes
    grow: bool
    candidate: Candidate


def _fields(whole: SoftProblem, held: SoftProblem | None, how: Joint) -> Iterator[Field]:
    some = whole if len(whole.X) <= ENOUGH else whole.rows(np.arange(len(whole.X)) < ENOUGH)
    if held is not None:
        divided = [(some, held)]
    else:
        divided = [(some.rows(~out), some.rows(out)) for out in some.held_out()] or [(some, some)]
    for recipe in recipes_for(how.gate, whole.X.shape[1]):
        yield Field(recipe, build_columns(some.X, some.n_levels, some.weight, recipe), divided, how)


def _first_round(fields: list[Field], how: Joint) -> Iterator[Trial]:
    """Every kind of tree on the first division, the penalty sought from the middle in the direction that helps."""
    for field in fields:
        rows = field.ground.learn.total_weight
        strengths = list(STRENGTHS) if how.penalty is None else [how.penalty * rows]
        for slopes in slopes_for(how.leaf, field.ground.learn.target.shape[1]):
            losses: dict[int, float] = {}
            for place in _climb(losses, len(strengths)):
                penalty = strengths[place] / rows
                for grown in (False, True):
                    trial = _tried(field, slopes, grown, penalty, [field.ground], how)
                    losses[place] = min(losses.get(place, np.inf), trial.candidate.loss)
                    yield trial


def _climb(losses: dict[int, float], n: int) -> Iterator[int]:
    """Places to look at next: the middle, both sides of it, then on in the better direction while that helps."""
    best = min(MIDDLE, n - 1)
    yield best
    for step in (-1, 1):
        place = best + step
        while 0 <= place < n and place not in losses:
            yield place
            if losses[place] >= losses[best]:
                break
            best, place = place, place + step
        if step == -1 and best < min(MIDDLE, n - 1):
            return


def _second_round(found: list[Trial], how: Joint) -> list[Trial]:
    """The best of the first round on all divisions; as they are where there is one."""
    if len(found[0].field.divided) == 1:
        return found
    best = sorted(found, key=lambda trial: trial.candidate.loss)[:FINALISTS]
    simple = choose([trial.candidate for trial in found])
    finalists = [trial for trial in found if trial in best or trial.candidate is simple]
    final = []
    for trial in finalists:
        again = _tried(trial.field, trial.slopes, trial.grow, trial.candidate.penalty, trial.field.grounds[1:], how)
        final.append(replace(trial, candidate=trial.candidate.with_folds(again.candidate)))
        how.report(final[-1].candidate)
    return final


def _tried(field: Field, slopes: Slopes, grown: bool, penalty: float, grounds: list[Ground], how: Joint) -> Trial:
    """One kind of tree at one penalty: a root that is refined, or a tree grown from it."""
    trees = []
    for ground in grounds:
        tree = plant_root(ground.learn, len(field.columns), slopes)
        if slopes != "none":
            tree = tree.refine(ground.learn, penalty, how.max_iter)[1]
        if grown:
            growing = Growing(penalty, how.max_leaves, how.patience, max_gate_features=_gate_features(how))
            tree = _grown(tree, ground, growing)
        trees.append(tree)
    return Trial(field, slopes, grown, _judged(grounds, field.recipe, penalty, trees))


def _gate_features(how: Joint) -> int | None:
    return 1 if how.gate == "axis" else how.max_gate_features


def _grown(root: Sapling, ground: Ground, growing: Growing) -> Sapling:
    return grow(root, ground.learn, ground.axes, growing, lambda tree: tree.loss(ground.judge))[1]


def _judged(grounds: Sequence[Ground], recipe: Recipe, penalty: float, trees: list[Sapling]) -> Candidate:
    losses = [g.judge.row_loss(tree.shape, tree.parameters) for g, tree in zip(grounds, trees, strict=True)]
    weight = [ground.judge.weight * ground.judge.total_weight for ground in grounds]
    return Candidate(recipe, penalty, trees, np.concatenate(losses), np.concatenate(weight))


def _refitted(chosen: Candidate, whole: Engine, max_iter: int) -> Sapling:
    """The trees of the folds refined on all rows; the one of the lowest objective is kept."""
    refined = [tree.refine(whole, chosen.penalty, max_iter) for tree in chosen.tree]
    return min(refined, key=lambda pair: pair[0])[1]
