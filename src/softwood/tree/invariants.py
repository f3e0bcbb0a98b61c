"""The invariants of a tree. Each check names the first invalid node and says what is wanted.

All checks run on whole arrays: a tree of a million nodes is checked in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softwood import kernels
from softwood.arrays import Array, Floats, Mask
from softwood.kernels.kinds import Link, Missing, Score, Squash, Term
from softwood.tree.arrays import TreeArrays
from softwood.tree.frozen import rises

# Allowed squashes (columns) for each score (rows).
MAY_SQUASH = np.zeros((len(Score), len(Squash)), np.bool_)
MAY_SQUASH[:, Squash.STEP] = True
MAY_SQUASH[Score.THRESHOLD, [Squash.RAMP, Squash.SIGMOID]] = True
MAY_SQUASH[Score.LINEAR, Squash.SIGMOID] = True


class TreeError(ValueError):
    """A tree that violates an invariant."""


def check_tree(tree: TreeArrays) -> None:
    """Raise TreeError at the first violated invariant."""
    _check_shapes(tree)
    _check_answers(tree)
    _check_description(tree)
    # Valid trees pass a native check; the others are checked here for the message.
    if not any(tree.schema.categories) and kernels.is_valid(tree):
        return
    _check_basis(tree)
    _check_structure(tree)
    _check_gates(tree)
    _check_missing(tree)
    _check_surrogates(tree)


def _require(good: bool | np.bool_, message: str) -> None:
    if not good:
        raise TreeError(message)


def _refuse(bad: Mask, say: Callable[[int], str], ids: Array | None = None) -> None:
    """Raise for the first True of `bad`; `say` gets its node id (its position, or the entry of `ids`)."""
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise TreeError(say(at if ids is None else int(ids[at])))


def _check_shapes(tree: TreeArrays) -> None:
    n = tree.n_nodes
    names = ("first_child", "n_children", "leafness", "score", "squash", "feature", "threshold", "missing", "default")
    for name in (*names, "fraction", "bias", "slope_row", "count", "impurity", "gain"):
        shape = getattr(tree, name).shape
        if shape != (n,):
            raise TreeError(f"{name} must have one entry for each of {n} nodes, got shape {shape}.")
    _require(tree.softness.shape == (n, 2), f"softness must have shape ({n}, 2), got {tree.softness.shape}.")
    for name in ("group", "group_level", "cut", "weight", "weight_column"):
        shape = getattr(tree, name).shape
        _require(len(shape) == 1, f"{name} must be flat, got shape {shape}.")
    for name, flat in (("group", tree.group), ("cut", tree.cut), ("weight", tree.weight)):
        begin = getattr(tree, f"{name}_begin")
        # formatted only on error: printing an array takes longer than all checks
        if not rises(begin, n + 1, len(flat)):
            raise TreeError(f"{name}_begin must rise from 0 to {len(flat)} in {n + 1} entries, got {begin}.")
    named, slots = len(tree.group_level), len(tree.group)
    _require(named in (0, slots), f"group_level must have an entry for each of {slots} slots, or none, got {named}.")
    _require(len(tree.note) in (0, n), f"note must have an entry for each of {n} nodes or none, got {len(tree.note)}.")
    columns, weights = len(tree.weight_column), len(tree.weight)
    _require(columns == weights, f"weight_column and weight must have one length, got {columns} and {weights}.")
    want = (len(tree.basis), tree.n_outputs)
    good = tree.slope.ndim == 3 and tree.slope.shape[1:] == want
    _require(good, f"slope must have shape (rows, {want[0]}, {want[1]}), got {tree.slope.shape}.")


def _check_basis(tree: TreeArrays) -> None:
    basis, last = tree.basis, tree.n_features - 1
    _refuse(
        (basis.feature < 0) | (basis.feature > last),
        lambda c: f"basis column {c}: feature {basis.feature[c]} is outside 0..{last}.",
    )
    for column in np.flatnonzero(basis.term == Term.CATEGORY):
        levels, code = tree.schema.n_levels(int(basis.feature[column])), basis.parameter[column]
        _require(0 <= code < levels, f"basis column {column}: category code {code:g} is outside 0..{levels - 1}.")


def _check_structure(tree: TreeArrays) -> None:
    first, n, kept = tree.first_child, tree.n_children, tree.leafness
    leaf, branch = n == 0, n != 0
    _refuse((n < 0) | (n == 1), lambda m: f"node {m}: n_children is {n[m]}; it must be 0 or at least 2.")
    _refuse(leaf & (first != -1), lambda m: f"node {m} is a leaf, so first_child must be -1, got {first[m]}.")
    _refuse(leaf & (kept != 1.0), lambda m: f"node {m} is a leaf, so leafness must be 1, got {kept[m]}.")
    _refuse(~((kept >= 0) & (kept <= 1)), lambda m: f"node {m}: leafness must be in [0, 1], got {kept[m]}.")
    ids = np.arange(tree.n_nodes)
    late = branch & ((first <= ids) | (first.astype(np.int64) + n > tree.n_nodes))
    _refuse(late, lambda m: f"node {m}: children from {first[m]} on must come after it and below {tree.n_nodes}.")
    # Every node but the root is claimed by one parent: add 1 where a family begins, subtract where it ends.
    claims = np.zeros(tree.n_nodes + 1, np.int64)
    np.add.at(claims, first[branch], 1)
    np.subtract.at(claims, first[branch] + n[branch], 1)
    parents = np.cumsum(claims)[:-1]
    _refuse(parents > 1, lambda m: f"node {m} has {parents[m]} parents; it must have one.")
    _refuse((parents == 0) & (ids > 0), lambda m: f"node {m} has no parent.")


def _check_gates(tree: TreeArrays) -> None:
    score, squash, n, feature = tree.score, tree.squash, tree.n_children, tree.feature
    leaf = n == 0
    _refuse((score >= len(Score)), lambda m: f"node {m}: score {score[m]} is not one of 0..{len(Score) - 1}.")
    _refuse(
        leaf & (score != Score.NONE),
        lambda m: f"node {m} is a leaf, so score must be NONE, got {Score(score[m]).name}.",
    )
    _refuse(~leaf & (score == Score.NONE), lambda m: f"node {m} has children but no gate: score is NONE.")
    _refuse((squash >= len(Squash)), lambda m: f"node {m}: squash {squash[m]} is not one of 0..{len(Squash) - 1}.")
    bad = ~MAY_SQUASH[score, squash]
    _refuse(bad, lambda m: f"node {m}: a {Score(score[m]).name} gate cannot have squash {Squash(squash[m]).name}.")
    two = (score == Score.THRESHOLD) | (score == Score.LINEAR)
    _refuse(two & (n != 2), lambda m: f"node {m}: a {Score(score[m]).name} gate has two children, got {n[m]}.")
    one_feature = ~leaf & (score != Score.LINEAR) & (score != Score.CONSTANT)
    last = tree.n_features - 1
    outside = one_feature & ((feature < 0) | (feature > last))
    _refuse(outside, lambda m: f"node {m}: feature {feature[m]} is outside 0..{last}.")
    sizes = [tree.schema.n_levels(f) for f in range(tree.n_features)] or [0]
    levels = np.array(sizes, np.int64)[np.clip(feature, 0, max(last, 0))]
    wrong = one_feature & ((levels > 0) != (score == Score.CATEGORY))
    name = tree.schema.features

    def say(m: int) -> str:
        kind = "a category" if levels[m] > 0 else "a number"
        return f"node {m}: a {Score(score[m]).name} gate on {name[feature[m]]!r}, which is {kind}."

    _refuse(wrong, say)
    _check_thresholds(tree)
    _check_groups(tree, levels)
    _check_cuts(tree)
    _check_weights(tree)


def _check_thresholds(tree: TreeArrays) -> None:
    at = tree.score == Score.THRESHOLD
    if not at.any():
        return
    step, ramp, sigmoid = (at & (tree.squash == kind) for kind in (Squash.STEP, Squash.RAMP, Squash.SIGMOID))
    # A step at +inf is allowed: it separates present from missing values.
    bad = at & ~np.isfinite(tree.threshold) & ~(step & (tree.threshold == np.inf))
    _refuse(bad, lambda m: f"node {m}: threshold must be finite, got {tree.threshold[m]}.")
    below, above = tree.softness[:, 0], tree.softness[:, 1]
    finite = np.isfinite(tree.softness).all(axis=1)
    bad = ramp & ~(finite & (below >= 0) & (above >= 0))
    _refuse(bad, lambda m: f"node {m}: softness of a ramp must be finite and >= 0, got {below[m]}, {above[m]}.")
    bad = sigmoid & ~(finite & (below > 0) & (below == above))
    _refuse(
        bad,
        lambda m: f"node {m}: softness of a sigmoid must be > 0, the same on both sides, got {below[m]}, {above[m]}.",
    )


def _check_groups(tree: TreeArrays, levels: Array) -> None:
    if not len(tree.group) and not np.any(tree.score == Score.CATEGORY):
        return
    sizes = np.diff(tree.group_begin)
    want = np.where(tree.score == Score.CATEGORY, levels, 0)
    if len(tree.group_level):
        bad = (sizes > want) | ((sizes == 0) & (want > 0))
        _refuse(bad, lambda m: f"node {m} must have slots for 1 to {want[m]} categories, got {sizes[m]}.")
        bad = _strays(tree.group_begin, tree.group_level, want)
        _refuse(bad, lambda m: f"node {m}: the levels that slots are of must rise, within 0..{want[m] - 1}.")
    else:
        _refuse(sizes != want, lambda m: f"node {m} must have a slot for each of {want[m]} categories, got {sizes[m]}.")
    node = np.flatnonzero(sizes)  # extremes of each: one number per entry is too much for many levels
    begin = tree.group_begin[node]
    low, high = np.minimum.reduceat(tree.group, begin), np.maximum.reduceat(tree.group, begin)
    bad = (low < -1) | (high >= tree.n_children[node])
    _refuse(bad, lambda m: f"node {m}: category slots must be -1..{tree.n_children[m] - 1}.", node)


def _strays(begin: Array, level: Array, levels: Array) -> Mask:
    """The gates whose listed levels are not increasing or do not exist."""
    owner = np.repeat(np.arange(len(levels)), np.diff(begin))
    bad = (level < 0) | (level >= levels[owner])
    bad[1:] |= (owner[1:] == owner[:-1]) & (level[1:] <= level[:-1])
    return np.bincount(owner[bad], minlength=len(levels)) > 0


def _check_cuts(tree: TreeArrays) -> None:
    if not len(tree.cut) and not np.any(tree.score == Score.INTERVAL):
        return
    sizes = np.diff(tree.cut_begin)
    want = np.where(tree.score == Score.INTERVAL, tree.n_children - 1, 0)
    _refuse(sizes != want, lambda m: f"node {m} must have {want[m]} cuts, got {sizes[m]}.")
    owner = np.repeat(np.arange(tree.n_nodes), sizes)
    bad = ~np.isfinite(tree.cut)
    bad[1:] |= (owner[1:] == owner[:-1]) & ~(tree.cut[1:] > tree.cut[:-1])
    _refuse(bad, lambda m: f"node {m}: cuts of an interval gate must be finite and rise.", owner)


def _check_weights(tree: TreeArrays) -> None:
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.weight_begin))
    column, width = tree.weight_column, len(tree.basis)
    _refuse(tree.score[owner] != Score.LINEAR, lambda m: f"node {m} has weights but is not a LINEAR gate.", owner)
    bad = (column < 0) | (column >= width)
    _refuse(bad, lambda m: f"node {m}: weight columns must be 0..{width - 1}.", owner)
    bad = np.zeros(len(column), np.bool_)
    bad[1:] = (owner[1:] == owner[:-1]) & (np.diff(column) <= 0)
    _refuse(bad, lambda m: f"node {m}: weight columns must rise.", owner)
    _refuse(~np.isfinite(tree.weight), lambda m: f"node {m}: weights must be finite.", owner)
    _refuse(~np.isfinite(tree.bias), lambda m: f"node {m}: bias must be finite, got {tree.bias[m]}.")


def _check_missing(tree: TreeArrays) -> None:
    constant = tree.score == Score.CONSTANT
    gate = (tree.n_children > 0) & (tree.score != Score.LINEAR) & ~constant
    how, n = tree.missing, tree.n_children
    _refuse(how >= len(Missing), lambda m: f"node {m}: missing {how[m]} is not one of 0..{len(Missing) - 1}.")
    bad = gate & ((tree.default < 0) | (tree.default >= n))
    _refuse(bad, lambda m: f"node {m}: default must be a child slot 0..{n[m] - 1}, got {tree.default[m]}.")
    in_parts = constant | (gate & (how == Missing.FRACTION))
    if not in_parts.any():
        return
    child = np.flatnonzero(in_parts[tree.parent] & (tree.parent >= 0))
    total = np.bincount(tree.parent[child], tree.fraction[child], tree.n_nodes)
    negative = np.bincount(tree.parent[child], ~(tree.fraction[child] >= 0), tree.n_nodes) > 0
    bad = in_parts & (negative | ~(np.abs(total - 1) < 1e-9))
    wanted = "fractions of the children must be >= 0 and sum to 1"
    _refuse(bad, lambda m: f"node {m}: {wanted}, got {tree.fraction[tree.children(m)]}.")


def _check_surrogates(tree: TreeArrays) -> None:
    table = tree.surrogates
    good = len(table.begin) in (0, tree.n_nodes + 1)
    _require(good, f"surrogates.begin must have {tree.n_nodes + 1} entries or none, got {len(table.begin)}.")
    if not len(table):
        return
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(table.begin))
    last = tree.n_features - 1
    _refuse(
        (table.feature < 0) | (table.feature > last),
        lambda m: f"node {m}: a surrogate's feature is outside 0..{last}.",
        owner,
    )
    _refuse(tree.n_children[owner] != 2, lambda m: f"node {m} has surrogates, which need two children.", owner)
    levels = np.array([tree.schema.n_levels(f) for f in range(tree.n_features)], np.int64)[table.feature]
    sizes = np.diff(table.group_begin)
    if len(table.group_level):
        bad = (sizes > levels) | ((sizes == 0) & (levels > 0)) | _strays(table.group_begin, table.group_level, levels)
        _refuse(bad, lambda m: f"node {m}: a surrogate's levels must rise, within those of its feature.", owner)
    else:
        bad = sizes != levels
        _refuse(bad, lambda m: f"node {m}: a surrogate needs a slot for every category of its feature.", owner)
    bad = (table.group < -1) | (table.group > 1)
    _refuse(bad, lambda m: f"node {m}: slots of a surrogate must be -1, 0 or 1.", np.repeat(owner, sizes))
    bad = (levels == 0) & ~np.isfinite(table.threshold)
    _refuse(bad, lambda m: f"node {m}: a surrogate's threshold must be finite.", owner)


def _check_answers(tree: TreeArrays) -> None:
    good = np.asarray(np.isfinite(tree.response).all(axis=1))
    _refuse(~good, lambda m: f"node {m}: response must be finite, got {tree.response[m]}.")
    last = len(tree.slope) - 1
    bad = (tree.slope_row < -1) | (tree.slope_row > last)
    _refuse(bad, lambda m: f"node {m}: slope_row must be -1..{last}, got {tree.slope_row[m]}.")
    _require(bool(np.isfinite(tree.slope).all()), "slope must be finite.")
    classes = tree.schema.task == "classification"
    _require(tree.link != Link.LOG or not classes, "a log link is for regression, but the schema has classes.")
    named, given, want = len(tree.schema.answers), tree.n_outputs, tree.n_answers
    _require(
        named == want, f"the schema names {named} answers, {given} outputs with link {tree.link.name} need {want}."
    )


def _check_description(tree: TreeArrays) -> None:
    """Check the statistics of the training rows: for every node, weight and slope, or empty."""
    wanted = {
        "mean": (tree.n_nodes, tree.n_answers),
        "arrived": (tree.n_nodes, tree.n_answers),
        "column_mean": (tree.n_nodes, len(tree.basis)),
        "weight_effect": tree.weight.shape,
        "slope_effect": tree.slope.shape,
    }
    for name, shape in wanted.items():
        array = getattr(tree, name)
        if array.shape != shape and array.size:
            raise TreeError(f"{name} must have shape {shape}, or be empty, got {array.shape}.")
    _check_means("mean", tree.mean)
    _check_means("arrived", tree.arrived)
    for name in ("column_mean", "weight_effect", "slope_effect"):
        _require(bool(np.isfinite(getattr(tree, name)).all()), f"{name} must be finite.")


def _check_means(name: str, mean: Floats) -> None:
    good = np.asarray(np.isfinite(mean).all(axis=1)) if mean.ndim == 2 else np.ones(0, np.bool_)
    _refuse(~good, lambda m: f"node {m}: {name} must be finite, got {mean[m]}.")
