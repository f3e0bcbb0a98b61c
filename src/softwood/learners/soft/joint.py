"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size
chosen on held-out rows.

    minimise  mean loss + penalty * (1/2 eased |weights|^2 + 1/20 |responses - root's|^2 + 1/2 |slopes - root's|^2)

A tree grows one split at a time; a new gate starts from the best axis split or the direction that the loss pulls
to, and after each split all parameters move together (L-BFGS). Small weights cost their squares and large ones less
(kernels/penalty.py), so that a gate may look sharply at a few inputs. Kinds of gates and leaves and a path of penalties
are tried; the choice (choice.py) prefers the simple. For each kind the penalty is sought uphill and downhill from
the middle of its range, on one division of the rows; inputs that the best tree hardly feels are left out if that is
surely better; gates that look at one input each, and may be as steep as they like, are tried in case the data have
steps; only the best few meet the other divisions (search.py).
Held-out rows are the caller's validation rows, which are never trained on; without them the rows are divided (folds, or
one part held out when rows are many), and the chosen tree is refined on all rows.

The parts it stands on: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised
additive models, Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from softwood.engines import Engine, Floats
from softwood.learners.soft.bins import Binned
from softwood.learners.soft.choice import Candidate
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.describe import Described, describe
from softwood.learners.soft.enlarge import LEAST_GAIN, Growing
from softwood.learners.soft.field import Field, Inputs, Trial
from softwood.learners.soft.ground import judge_engine
from softwood.learners.soft.growth import without_idle
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.nursery import Nursery
from softwood.learners.soft.problem import SoftProblem
from softwood.learners.soft.sapling import Gates, Sapling, Slopes
from softwood.learners.soft.search import Search
from softwood.parts.crew import side_by_side
from softwood.parts.interruptible import Interruptible
from softwood.tree import Schema, Tree

Gate = Literal["auto", "axis", "linear", "quadratic", "additive"]
Leaf = Literal["auto", "constant", "linear"]

CURVE = (0.7, 0.35, 0.23, 0.18, 0.14, 0.12)  # scales of curves by frequency: as 1/k, so that the penalty grows as k^2
ADDITIVE = Recipe(score=0.7, curve=CURVE, bow=0.35)
RECIPES: dict[Gate, tuple[Recipe, ...]] = {
    "axis": (Recipe(),),
    "linear": (Recipe(),),
    "quadratic": (Recipe(square=0.5),),
    "additive": (ADDITIVE,),
    "auto": (Recipe(), ADDITIVE),
}
MAX_ITER = 200  # iterations on a root, and on the tree that is chosen
WIDE = 256  # columns; where curves would give more, they get fewer frequencies,
LEAST_BENT = 3  # but a score and two curves at least (and the bow, on top), without which wide tables lose much
MOST_BENT, FEW_CELLS = 256, 1_000_000  # inputs, and values of all rows, up to which that is so; beyond, all are lines
OWN_SLOPES = 4  # outputs up to which each leaf has its own slopes; beyond, the leaves share them
NODE_PRICE = 3.0  # rows whose mean objective a node should save when trees are refined on all rows
OTHER_UNIT = 1e3  # times as large or small: a target that has changed its unit between two fits
FEW = 3_000  # rows up to which folds are judged by too, beside validation rows
SCOUTED = 6_000  # rows that kinds and penalties are tried on first,
SCOUTED_BY_INPUT = 60  # and at least so many for each input: on fewer, gates that weigh them all only overfit
ENOUGH = 20_000  # rows that suffice to grow and choose by; all rows refine the tree that is chosen


@dataclass(frozen=True)
class Joint:
    """How to learn. `penalty` None chooses it; `report` hears of every candidate.

    keep : whether an interrupt ends the learning with the best tree so far; otherwise it is raised.
    """

    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_leaves: int = 16
    penalty: float | None = None
    max_gate_features: int | None = None
    patience: int = 3
    least_gain: float = LEAST_GAIN
    max_iter: int = MAX_ITER
    n_threads: int = 1
    single: bool = True
    seed: int = 0
    keep: bool = False
    report: Callable[[Candidate], None] = lambda candidate: None


@dataclass(frozen=True)
class Grown:
    """A learned tree in the learner's own columns and target units: what a later fit goes on from."""

    tree: Sapling
    recipe: Recipe
    columns: Columns
    gates: Gates
    penalty: float
    centre: Floats
    scale: Floats

    def in_units(self, centre: Floats, scale: Floats) -> Grown:
        """The same for rows whose targets have another centre and scale: far ones would overflow in the old units.

        Where a target's scale is quite another, its unit is: then the tree answers as before in parts of the scale.
        """
        factor = self.scale / scale
        same = (factor < OTHER_UNIT) & (factor > 1.0 / OTHER_UNIT)
        shift = np.where(same, (self.centre - centre) / scale, 0.0)
        return replace(self, tree=self.tree.in_units(np.where(same, factor, 1.0), shift), centre=centre, scale=scale)


@dataclass(frozen=True)
class Learned:
    """The tree in the user's units, described, and the candidates it was chosen from.

    n_iter : iterations of refinement that led to the tree.  grown : the same tree, to go on from.
    interrupted : whether an interrupt ended the learning early.
    """

    described: Described
    candidates: list[Candidate]
    chosen: Candidate
    n_iter: int = 1
    grown: Grown | None = None
    interrupted: bool = False

    @property
    def tree(self) -> Tree:
        return self.described.tree


def learn_joint(
    problem: SoftProblem, schema: Schema, how: Joint, validation: SoftProblem | None, before: Grown | None = None
) -> Learned:
    """Learn a soft tree; validation rows, where given, are only judged by. `before` is a tree to go on from."""
    whole = problem.in_order(how.seed, copied=False)
    centre, scale = whole.target_scale()
    before = None if before is None else before.in_units(centre, scale)
    whole = whole.scaled(centre, scale)
    held = None if validation is None else validation.in_order(how.seed, copied=False).scaled(centre, scale)
    search = searched(whole, held, how, before)
    trial = search.chosen
    chosen, columns, tables = trial.candidate, trial.field.columns, trial.field.tables
    refit = held is None or len(whole) > ENOUGH
    last = Interruptible(how.keep and not search.interrupted)
    kept = chosen if refit else last.result(chosen, from_best_start, trial, how.max_iter, how.n_threads)
    search.clear()  # before all rows are taken in
    engine = judge_engine(whole, columns, how.n_threads, how.single, tables)
    tree = kept.tree[0]
    if refit:
        tree = last.result(tree, refitted, kept, engine, how.max_iter, how.n_threads)
    tree = without_idle(tree, engine)
    harvested = harvest(tree, columns, schema, whole.loss, engine, whole.total_weight, centre, scale)
    described = describe(harvested, tree, columns, whole, centre, scale, how.n_threads, tables)
    grown = Grown(tree, chosen.recipe, columns, chosen.gates, chosen.penalty, centre, scale)
    candidates = [trial.candidate for trial in search.found]
    interrupted = search.interrupted or last.interrupted
    return Learned(described, candidates, chosen, max(tree.n_iter, 1), grown, interrupted)


def searched(whole: SoftProblem, held: SoftProblem | None, how: Joint, before: Grown | None) -> Search:
    """The search, done; where a tree is to be kept, an interrupted one if it has found a tree."""
    search = _search(whole, held, how, before)
    try:
        if before is None:
            search.run()
        else:
            search.resume(before.tree)
    except KeyboardInterrupt:
        if not (how.keep and search.found):
            raise
        search.interrupted = True
    return search


def recipes_for(gate: Gate, n_inputs: int, n_rows: int) -> tuple[Recipe, ...]:
    """Columns to try; where inputs are many, curves have fewer frequencies."""
    least = LEAST_BENT if n_inputs <= MOST_BENT or n_inputs * n_rows <= FEW_CELLS else 0
    room = max(WIDE // max(n_inputs, 1) - 1, least)  # beside the line
    return tuple(dict.fromkeys(_within(recipe, room) for recipe in RECIPES[gate]))


def _within(recipe: Recipe, room: int) -> Recipe:
    """So many columns beside the line of an input: the score, then curves; the bow and atoms come on top."""
    score, curve = (recipe.score if room > 0 else 0.0), recipe.curve[: max(0, room - 1)]
    return replace(recipe, score=score, curve=curve, bow=recipe.bow if curve else 0.0)


def slopes_for(leaf: Leaf, outputs: int) -> tuple[Slopes, ...]:
    """Kinds of responses to try."""
    linear: Slopes = "own" if outputs <= OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]


def _search(whole: SoftProblem, held: SoftProblem | None, how: Joint, before: Grown | None) -> Search:
    gate_features = 1 if how.gate == "axis" else how.max_gate_features
    leaves = min(how.max_leaves, len(whole))
    growing = Growing(0.0, leaves, how.patience, how.least_gain, max_gate_features=gate_features)
    slopes = slopes_for(how.leaf, whole.target.shape[1])
    penalty = how.penalty if before is None else before.penalty
    fields = list(_fields(whole, held, how, before))
    prepare = partial(_prepared, whole.head(ENOUGH), how.gate)
    sharpen = how.gate in ("auto", "axis") and how.max_leaves > 1
    keeps_first = held is not None and not fields[0].full
    return Search(fields, slopes, Nursery(growing, how.max_iter), penalty, how.report, prepare, sharpen, keeps_first)


def _prepared(some: SoftProblem, gate: Gate, inputs: Inputs) -> list[tuple[Recipe, Columns]]:
    """Recipes, and columns of some inputs; the fewer they are, the more curves each has."""
    recipes = recipes_for(gate, int(inputs.sum()), len(some))
    return [(one, build_columns(some.X, some.n_levels, some.weight, one).only(inputs)) for one in recipes]


def _fields(whole: SoftProblem, held: SoftProblem | None, how: Joint, before: Grown | None) -> Iterator[Field]:
    some = whole.head(ENOUGH)
    divided = _divided(some, held)
    scouted = max(SCOUTED, SCOUTED_BY_INPUT * whole.X.shape[1])
    full = len(some) > scouted
    if full:
        judges = None if held is None else held.head(scouted // 3)
        divided = [_divided(some.head(scouted), judges)[0], divided[0]]
    if before is not None:
        yield Field(before.recipe, before.columns, divided, int(full), how.n_threads, how.single, before.gates)
        return
    gates: Gates = "axis" if how.gate == "axis" else "open"
    binned: dict[int, Binned] = {}
    for recipe, columns in _prepared(some, how.gate, np.ones(whole.X.shape[1], np.bool_)):
        yield Field(recipe, columns, divided, int(full), how.n_threads, how.single, gates, binned=binned)


def _divided(some: SoftProblem, held: SoftProblem | None) -> list[tuple[SoftProblem, SoftProblem]]:
    """Rows to learn from and to judge by: the validation rows given, and folds of the others where these are few."""
    divided = [] if held is None else [(some, held)]
    if held is None or len(some) <= FEW:
        divided += [(some.part(some.weight - out), some.part(out)) for out in some.held_out()]
    return divided or [(some, some)]


def refitted(chosen: Candidate, whole: Engine, max_iter: int, n_threads: int = 1) -> Sapling:
    """The trees of the folds refined on all rows; the one of the lowest objective is kept, as loud as they were.

    All else equal the largest would be lowest, and folds chose trees of several sizes: nodes have a price.
    """
    refined = _all_refined(chosen, whole, max_iter, n_threads)
    price = NODE_PRICE / whole.total_weight
    best = min(refined, key=lambda pair: pair[0] * (1.0 + price * pair[1].n_nodes))[1]
    return best.louder(float(np.exp(np.mean(np.log(chosen.loudness)))))


def from_best_start(trial: Trial, max_iter: int, n_threads: int = 1) -> Candidate:
    """The candidate with a better first tree: those of all divisions refined on the first one's rows, and judged there.

    Refinement ends in one of many valleys: a tree that grew on four fifths of the rows often leads to a better one.
    """
    chosen, ground = trial.candidate, trial.field.ground(trial.field.full)
    refined = _all_refined(chosen, ground.learn, max_iter, n_threads)
    found = [chosen.tree[0], *(tree.louder(chosen.loudness[0]) for _, tree in refined)]
    best = min(found, key=lambda tree: tree.loss(ground.judge))
    return replace(chosen, tree=[best, *chosen.tree[1:]])


def _all_refined(chosen: Candidate, engine: Engine, max_iter: int, n_threads: int) -> list[tuple[float, Sapling]]:
    """Objective and tree of each division, all refined on the same rows."""
    refine = partial(Sapling.refine, engine=engine, penalty=chosen.penalty, max_iter=max_iter)
    return list(side_by_side(refine, chosen.as_learned, n_threads))
