"""The joint learner of soft trees: best-first growth, all gates and responses refined together, kind, penalty and size chosen
on held-out rows.

    minimise  mean loss + penalty * (1/2 |weights|^2 + 1/20 |responses - root's|^2 + 1/2 |slopes|^2)

A tree grows one split at a time; a new gate starts from the best axis split or the direction that the loss pulls to, and
after each split all parameters move together (L-BFGS). Kinds of gates and leaves and a path of penalties are tried; the
choice (choice.py) prefers the simple. Held-out rows are the caller's validation rows, which are never trained on; without
them the rows are divided (cross-validation, or one part held out when rows are many), and the chosen tree is refined on all.

The parts it stands on: soft trees, İrsoy, Yıldız and Alpaydın (ICPR 2012); curves in a gate as in generalised additive models,
Hastie and Tibshirani (1990); linear responses as in model trees, Quinlan (1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from softwood.engines.memory import MemoryEngine
from softwood.kernels.kinds import Loss
from softwood.learners.soft.candidates import Axes
from softwood.learners.soft.choice import Candidate, choose
from softwood.learners.soft.columns import Columns, Recipe, build_columns
from softwood.learners.soft.growth import FINISH, Growing, grow
from softwood.learners.soft.harvest import harvest
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.tree import Schema, Tree

Floats = npt.NDArray[np.float64]
Gate = Literal["auto", "axis", "linear", "quadratic", "additive"]
Leaf = Literal["auto", "constant", "linear"]

PENALTIES = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)
BINS = 32
CURVE = (0.7, 0.35, 0.23, 0.18, 0.14, 0.12)  # scales of curves by frequency: as 1/k, so that the penalty grows as k^2
RECIPES: dict[str, tuple[Recipe, ...]] = {
    "linear": (Recipe(),),
    "quadratic": (Recipe(square=0.5),),
    "additive": (Recipe(curve=CURVE),),
    "auto": (Recipe(), Recipe(curve=CURVE)),
}
WIDE = 400  # columns; beyond, curves get fewer frequencies
OWN_SLOPES = 4  # outputs up to which each leaf has its own slopes; beyond, the leaves share them
WORSE = 2  # penalties in a row that do worse before the path ends
FOLDS = ((3_000, 5), (10_000, 2))  # rows up to which so many folds are made; beyond, a quarter is held out
LEAST_LOSS_SHARE = 1e-12


@dataclass(frozen=True)
class SoftData:
    """Rows to learn from: inputs (NaN: missing), targets (0/1, one column a class beyond two, or numbers) and weights."""

    X: Floats
    target: Floats
    weight: Floats


@dataclass(frozen=True)
class Joint:
    """How to learn."""

    loss: Loss
    gate: Gate = "auto"
    leaf: Leaf = "auto"
    max_leaves: int = 16
    penalties: Sequence[float] = PENALTIES
    patience: int = 3
    pool: int = 1500  # training rows up to which their own folds join the validation rows in the choice
    n_threads: int = 1
    single: bool = True


@dataclass(frozen=True)
class Ground:
    """One way to divide the rows: engines to learn from and to judge by."""

    learn: MemoryEngine
    judge: MemoryEngine
    axes: Axes


def learn_joint(
    data: SoftData,
    n_levels: Sequence[int],
    schema: Schema,
    how: Joint,
    validation: SoftData | None,
    rng: np.random.Generator,
) -> tuple[Tree, list[Candidate]]:
    """The chosen tree, and all candidates it was chosen from."""
    centre, scale = _target_scale(data, how.loss)
    parts: list[npt.NDArray[np.bool_] | None] = [*_divide(data, how.loss, rng)]
    if validation is not None:  # few rows: the training rows' own folds help to choose, the tree kept saw them all
        parts = [None, *parts] if len(data.X) <= how.pool else [None]
    found: list[tuple[Candidate, Columns]] = []
    for recipe in recipes_for(how.gate, n_levels):
        columns = build_columns(data.X, n_levels, data.weight, recipe)
        grounds = list(_grounds(data, validation, parts, columns, how, centre, scale))
        for slopes in slopes_for(how.leaf, data.target.shape[1]):
            found += [(candidate, columns) for candidate in _path(grounds, recipe, slopes, columns, how)]
    chosen = choose([candidate for candidate, _ in found])
    columns = next(columns for candidate, columns in found if candidate is chosen)
    whole = _engine(data, columns, how, centre, scale, None)
    tree = chosen.tree[0]
    if validation is None:
        tree = _refit(chosen, whole)
    return harvest(tree, columns, schema, how.loss, whole, float(data.weight.sum()), centre, scale), [c for c, _ in found]


def recipes_for(gate: Gate, n_levels: Sequence[int]) -> tuple[Recipe, ...]:
    """Columns to try; where inputs are many, curves have fewer frequencies and the freest are left out."""
    recipes = RECIPES["linear" if gate == "axis" else gate]
    fit = max(0, WIDE // max(len(n_levels), 1) - 1)
    narrow = [replace(recipe, curve=recipe.curve[:fit]) for recipe in recipes]
    return tuple(dict.fromkeys(narrow))


def slopes_for(leaf: Leaf, outputs: int) -> tuple[Slopes, ...]:
    """Kinds of responses to try."""
    linear: Slopes = "own" if outputs <= OWN_SLOPES else "shared"
    kinds: dict[Leaf, tuple[Slopes, ...]] = {"constant": ("none",), "linear": (linear,), "auto": ("none", linear)}
    return kinds[leaf]


def _target_scale(data: SoftData, loss: Loss) -> tuple[Floats, Floats]:
    """Centre and spread of number targets; classes stay as they are."""
    outputs = data.target.shape[1]
    if loss != Loss.SQUARED:
        return np.zeros(outputs), np.ones(outputs)
    centre = np.average(data.target, axis=0, weights=data.weight)
    spread = np.sqrt(np.average(np.square(data.target - centre), axis=0, weights=data.weight))
    return centre, np.where(spread > LEAST_LOSS_SHARE * np.abs(centre), spread, 1.0)


def _divide(data: SoftData, loss: Loss, rng: np.random.Generator) -> list[npt.NDArray[np.bool_]]:
    """Masks of held-out rows: folds that keep the order of the target (classes, or its quantiles) even."""
    n = len(data.X)
    order = rng.permutation(n)
    key = data.target.argmax(axis=1) if loss == Loss.SOFTMAX else data.target[:, 0]
    place = np.empty(n, np.int64)
    place[order[np.argsort(key[order], kind="stable")]] = np.arange(n)
    for most, folds in FOLDS:
        if n <= most:
            return [place % folds == fold for fold in range(folds)]
    return [place % 4 == 0]


def _grounds(
    data: SoftData,
    validation: SoftData | None,
    parts: Sequence[npt.NDArray[np.bool_] | None],
    columns: Columns,
    how: Joint,
    centre: Floats,
    scale: Floats,
) -> Iterator[Ground]:
    middle = _middle(data.X)
    for out in parts:
        if out is None:
            assert validation is not None
            learn, judge = data, validation
        else:
            learn, judge = _rows(data, ~out), _rows(data, out)
        cut = _cuts(learn.X)
        yield Ground(
            _engine(learn, columns, how, centre, scale, cut),
            _engine(judge, columns, how, centre, scale, None),
            Axes.make(cut, columns, middle),
        )


def _rows(data: SoftData, mask: npt.NDArray[np.bool_]) -> SoftData:
    return SoftData(data.X[mask], data.target[mask], data.weight[mask])


def _middle(X: Floats) -> Floats:
    known = ~np.isnan(X)
    return np.where(known, X, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


def _cuts(X: Floats) -> list[Floats]:
    """Edges between bins of about equal counts, per input."""
    cuts = []
    for x in X.T:
        known = x[~np.isnan(x)]
        inner = np.quantile(known, np.linspace(0, 1, BINS)[1:-1]) if len(known) else np.zeros(0)
        cuts.append(np.unique(inner))
    return cuts


def _engine(
    data: SoftData, columns: Columns, how: Joint, centre: Floats, scale: Floats, cut: list[Floats] | None
) -> MemoryEngine:
    code = None
    if cut is not None:
        filled = np.where(np.isnan(data.X), _middle(data.X), data.X)
        code = np.stack([np.searchsorted(e, filled[:, f]) for f, e in enumerate(cut)], axis=1).astype(np.uint8)
    target = (data.target - centre) / scale
    phi = columns.make(data.X)
    return MemoryEngine.make(phi, target, data.weight, how.loss, code, BINS, how.n_threads, how.single)


def _root(engine: MemoryEngine, columns: int, slopes: Slopes) -> Sapling:
    """One leaf that answers the mean, or the log odds."""
    mean = engine.weight @ engine.target
    if engine.loss_kind == Loss.LOGISTIC:
        p = np.clip(mean, 1e-3, 1 - 1e-3)
        mean = np.log(p / (1 - p))
    elif engine.loss_kind == Loss.SOFTMAX:
        mean = np.log(np.clip(mean, 1e-4, 1.0))
        mean = mean - mean.mean()
    return Sapling.root(mean, columns, slopes)


def _path(
    grounds: list[Ground], recipe: Recipe, slopes: Slopes, columns: Columns, how: Joint
) -> Iterator[Candidate]:
    """Trees for falling penalties, until lower ones only do worse. Models without a gate are candidates too."""
    weight = np.concatenate([ground.judge.weight for ground in grounds])
    best, worse = np.inf, 0
    for penalty in sorted(how.penalties, reverse=True):
        roots = [_root(ground.learn, len(columns), slopes) for ground in grounds]
        if slopes != "none":
            roots = [root.refine(g.learn, penalty, FINISH)[1] for root, g in zip(roots, grounds, strict=True)]
        yield _judged(grounds, recipe, penalty, roots, weight)
        growing = Growing(penalty, how.max_leaves, how.patience)
        grown = [
            grow(root, ground.learn, ground.axes, growing, lambda tree, g=ground: tree.loss(g.judge))[1]  # type: ignore[misc]
            for root, ground in zip(roots, grounds, strict=True)
        ]
        candidate = _judged(grounds, recipe, penalty, grown, weight)
        yield candidate
        worse = 0 if candidate.loss < best else worse + 1
        best = min(best, candidate.loss)
        if worse >= WORSE:
            return


def _judged(
    grounds: list[Ground], recipe: Recipe, penalty: float, trees: list[Sapling], weight: Floats
) -> Candidate:
    losses = [g.judge.row_loss(tree.shape, tree.parameters) for g, tree in zip(grounds, trees, strict=True)]
    return Candidate(recipe, penalty, trees, np.concatenate(losses), weight)


def _refit(chosen: Candidate, whole: MemoryEngine) -> Sapling:
    """The trees of the folds refined on all rows; the one of lowest objective, by its penalty, is kept."""
    refined = [tree.refine(whole, chosen.penalty, FINISH) for tree in chosen.tree]
    return min(refined, key=lambda pair: pair[0])[1]
