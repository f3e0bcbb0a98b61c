"""Selection of the kind of gate of a node in an omnivariate tree, or none (Yıldız and Alpaydın 2001).

    f_test      five times the rows are halved, every kind is learned on each half and evaluated on the other; the
                simplest kind that is not significantly worse than the best (5x2 cv F test) wins
    aic, bic    -2 log likelihood of the children's predictions + 2 (or ln n) per parameter; the lowest wins
    validation  learned on two thirds of the rows, evaluated on the third; the lowest loss wins

The criterion is the loss of the leaves' predictions on held-out rows: the Brier score sum_k ([y = k] - p_k)^2, or the
squared error. The paper counts misclassified rows; with many classes two leaves misclassify nearly all rows for any
gate.

With `stop`, a leaf is a candidate too: if no gate has a lower loss, the node is not split.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softwood.arrays import Floats, Index
from softwood.kernels.arithmetic import dot, log
from softwood.kernels.formulas.class_impurity import entropy_loss
from softwood.learners.oblique.gate import Split
from softwood.learners.oblique.rows import Rows
from softwood.parts.groups import deal_groups
from softwood.stats import five_by_two_f_test

Find = Callable[[Rows], Split | None]

REPLICATIONS = 5
MIN_ROWS_TO_HALVE = 10  # rows that can be halved and still learned from
SAME_LOSS = 1e-12
LEAF = "leaf"  # competes with the kinds: no gate


@dataclass(frozen=True)
class Kind:
    """A kind of gate: its name, how it is found, and how many parameters it has for a given number of columns."""

    name: str
    find: Find
    parameters: Callable[[Rows], int]


class GateChoice(NamedTuple):
    """The kind that won (None: stay a leaf) and why."""

    kind: Kind | None
    note: str


def sums_of(rows: Rows, split: Split | None) -> Floats:
    """Sums of the tally in every leaf of the split (None: in the node), (leaves, sums)."""
    if split is None:
        return np.asarray(rows.tally.sum(axis=0, keepdims=True))
    place = split.place(rows)
    return np.array([rows.tally[place == leaf].sum(axis=0) for leaf in range(split.n_leaves)])


def answers(rows: Rows, split: Split | None) -> Floats:
    """Predictions of the leaves: class proportions or means, (leaves, outputs); those of the node for an empty leaf."""
    sums = sums_of(rows, split)
    size = sums.sum(axis=1) if rows.problem.is_classes else sums[:, 0]
    sums = np.where(size[:, None] > 0.0, sums, sums.sum(axis=0))
    if rows.problem.is_classes:
        return np.asarray(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300))
    n = (sums.shape[1] - 1) // 2
    return np.asarray(sums[:, 1 : n + 1] / np.maximum(sums[:, :1], 1e-300))


def held_loss(split: Split | None, learn: Rows, held: Rows) -> float:
    """Mean loss on `held` of the split's predictions learned from `learn`."""
    place = np.zeros(len(held.phi), np.intp) if split is None else split.place(held)
    given = answers(learn, split)[place]
    weight = held.split_weight
    if held.problem.is_classes:
        right = given[np.arange(len(given)), held.problem.y]
        loss = 1.0 - 2.0 * right + np.square(given).sum(axis=1)
        return dot(weight, loss) / float(weight.sum())
    n = given.shape[1]
    w, wy, wyy = held.tally[:, :1], held.tally[:, 1 : n + 1], held.tally[:, n + 1 :]
    return float((wyy - 2.0 * given * wy + w * np.square(given)).mean(axis=1).sum() / weight.sum())


def halves(rows: Rows, seed: int) -> list[tuple[Index, Index]]:
    """Five ways to halve the rows, with classes spread evenly. Rows are ordered by content, so the halves depend on it.

    No group is in both halves.
    """
    if rows.problem.group is not None:
        return [divided(rows, 2, seed + i) for i in range(REPLICATIONS)]
    rng, n = np.random.default_rng(seed), len(rows.phi)
    code = rows.problem.y if rows.problem.is_classes else np.zeros(n, np.int32)
    found = []
    for _ in range(REPLICATIONS):
        mixed = rng.permutation(n)
        order = mixed[np.argsort(code[mixed], kind="stable")]
        found.append((np.sort(order[::2]), np.sort(order[1::2])))
    return found


def divided(rows: Rows, n_parts: int, seed: int) -> tuple[Index, Index]:
    """The rows of all parts but one, and of that one; no group is split."""
    problem = rows.problem
    part = deal_groups(problem.group, problem.code, problem.weight, n_parts, seed)  # type: ignore[arg-type]  # is there
    return np.flatnonzero(part != 0), np.flatnonzero(part == 0)


def held_out_losses(rows: Rows, kinds: list[Kind], pairs: list[tuple[Index, Index]]) -> dict[str, Floats]:
    """Losses (replications, 2) of a leaf and of every kind, learned on one half and evaluated on the other."""
    table = {name: np.empty((len(pairs), 2)) for name in (LEAF, *(kind.name for kind in kinds))}
    for i, pair in enumerate(pairs):
        parts = [rows.some(at) for at in pair]
        for j, (learn, held) in enumerate((parts, parts[::-1])):
            table[LEAF][i, j] = held_loss(None, learn, held)
            for kind in kinds:
                table[kind.name][i, j] = held_loss(kind.find(learn), learn, held)
    return table


def by_f_test(table: Mapping[str, Floats], kinds: list[Kind], alpha: float, stop: bool) -> GateChoice:
    """The simplest kind that the F test does not find worse than the best one, from the losses of `held_out_losses`."""
    loss = {name: float(found.mean()) for name, found in table.items()}
    best = min(kinds, key=lambda kind: loss[kind.name])  # on ties the simpler one: min keeps the first
    if stop and loss[best.name] >= loss[LEAF] * (1.0 - SAME_LOSS):
        return GateChoice(None, "")
    p_value = {kind.name: five_by_two_f_test(table[kind.name], table[best.name]).p_value for kind in kinds}
    chosen = next(kind for kind in kinds if kind is best or p_value[kind.name] >= alpha)
    if chosen is not best:
        return GateChoice(chosen, _p_note(chosen.name, p_value[chosen.name], best.name))
    rivals = kinds[: kinds.index(best)] or [kind for kind in kinds if kind is not best]
    if not rivals:
        return GateChoice(chosen, chosen.name)
    rival = max(rivals, key=lambda kind: p_value[kind.name])
    return GateChoice(chosen, _p_note(chosen.name, p_value[rival.name], rival.name))


def _p_note(winner: str, p_value: float, other: str) -> str:
    return f"{winner}, p = {p_value:.2g} against {other}"


def by_information(rows: Rows, kinds: list[Kind], stop: bool, bayes: bool) -> GateChoice:
    """The kind with the lowest AIC or BIC."""
    price = log(max(float(rows.problem.weight.sum()), 2.0)) if bayes else 2.0
    per_leaf = rows.problem.n_classes - 1 if rows.problem.is_classes else (rows.tally.shape[1] - 1) // 2 + 1
    losses = {}
    for kind in kinds:
        split = kind.find(rows)
        if split is not None:
            answers_set = split.n_leaves * per_leaf
            losses[kind.name] = _deviance(rows, split) + price * (kind.parameters(rows) + answers_set)
    alone = _deviance(rows, None) + price * per_leaf
    return _least(kinds, losses, alone if stop else np.inf, "BIC" if bayes else "AIC")


def _deviance(rows: Rows, split: Split | None) -> float:
    """-2 log likelihood of the rows under their leaves' predictions, with a common variance for numbers."""
    sums = sums_of(rows, split)
    if rows.problem.is_classes:
        return 2.0 * float(entropy_loss(sums, sums.sum(axis=1, keepdims=True)).sum())
    n, size = (sums.shape[1] - 1) // 2, float(sums[:, 0].sum())
    left = np.maximum(sums[:, n + 1 :] - sums[:, 1 : n + 1] ** 2 / np.maximum(sums[:, :1], 1e-300), 0.0).sum(axis=0)
    all_left = np.maximum(rows.tally[:, n + 1 :].sum(axis=0), 1e-300)
    return float((size * log(np.maximum(left / all_left, 1e-12))).sum())  # relative, independent of units


def by_validation(rows: Rows, kinds: list[Kind], stop: bool, seed: int) -> GateChoice:
    """The kind with the lowest loss on a third of the rows."""
    if rows.problem.group is not None:
        learn, held = (rows.some(at) for at in divided(rows, 3, seed))
    else:
        mixed = np.random.default_rng(seed).permutation(len(rows.phi))
        learn, held = rows.some(np.sort(mixed[len(mixed) // 3 :])), rows.some(np.sort(mixed[: len(mixed) // 3]))
    losses = {kind.name: held_loss(kind.find(learn), learn, held) for kind in kinds}
    return _least(kinds, losses, held_loss(None, learn, held) if stop else np.inf, "held-out loss")


def _least(kinds: list[Kind], losses: Mapping[str, float], alone: float, measure: str) -> GateChoice:
    if not losses or min(losses.values()) >= alone - SAME_LOSS * abs(alone):
        return GateChoice(None, "")
    ranked = sorted((kind for kind in kinds if kind.name in losses), key=lambda kind: losses[kind.name])
    best, rest = ranked[0], ranked[1:]
    against = f" against {losses[rest[0].name]:.4g} of {rest[0].name}" if rest else ""
    return GateChoice(best, f"{best.name}, {measure} {losses[best.name]:.4g}{against}")
