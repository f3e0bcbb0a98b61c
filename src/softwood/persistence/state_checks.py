"""Checks of learned values from a file, before any other code (native code in particular) reads them.

`Tree`, `Basis` and `Schema` check themselves. Other values come from learners and need no check, unless they are read
from a file: sizes must agree, positions must be in range, numbers must be finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Array
from softwood.kernels.contracts.online_state import NODES, OnlineOptions, OnlineState, Rule, size_of
from softwood.kernels.kinds import Link, Loss, LossKind
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.scaling import FixedScale, Moments, RunningScale
from softwood.learners.budding.stream import Stream
from softwood.learners.conformal.score_table import ScoreTable
from softwood.learners.conformal.spread import Spread
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.learners.soft.columns.design import BasisSpec, DesignMatrix
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.params.params import SoftTreeParams
from softwood.learners.soft.warm_start import WarmStart
from softwood.persistence.stored import CHECKS, FORMER, MAKERS
from softwood.tree import RuleSet
from softwood.tree.gain import Sample


def require(good: Any, message: str) -> None:
    """A ValueError if the condition does not hold."""
    if not good:
        raise ValueError(message)


def require_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """Check that an array has this shape and finite numbers."""
    require(array.shape == shape, f"{name} must have shape {shape}, got {array.shape}.")
    require(np.isfinite(array).all(), f"{name} must be finite.")


def require_pairs(name: str, first_child: npt.NDArray[np.int32]) -> None:
    """Check that nodes have two children or none, after their parents, and that all nodes but the root have one
    parent.
    """
    require(first_child.ndim == 1 and len(first_child) > 0, f"{name} needs a root.")
    n, branch = len(first_child), np.flatnonzero(first_child != -1)
    child = first_child[branch].astype(np.int64)
    require(np.all((child > branch) & (child + 1 < n)), f"{name}: children must come after their parent, below {n}.")
    claimed = np.sort(np.concatenate([child, child + 1]))
    require(np.array_equal(claimed, np.arange(1, n)), f"{name}: every node but the root must have one parent.")


def require_feature(name: str, feature: npt.NDArray[np.int32], n_features: int) -> None:
    """Check that inputs exist."""
    require(np.all((feature >= 0) & (feature < n_features)), f"{name}: inputs must be 0..{n_features - 1}.")


# -- hard trees ---------------------------------------------------------------------------------------------------


def _check_sequence(sequence: PruningSequence) -> None:
    for name in ("risk", "error"):
        require_shape(f"{name} of the pruning sequence", getattr(sequence, name), (sequence.tree.n_nodes,))


def _check_table(table: PruningTable) -> None:
    require(table.alpha.ndim == 1 and len(table) > 0, "a pruning table needs a row.")
    for name in ("n_leaves", "error", "tested_error", "standard_error"):
        require(getattr(table, name).shape == table.alpha.shape, f"{name} of the pruning table must have its rows.")
    require(0 <= table.chosen < len(table), f"the pruning table has no row {table.chosen}.")
    require(not np.isnan(table.alpha).any() and table.n_leaves[0] == 1, "a pruning table begins with the root alone.")


def check_rules(rules: RuleSet) -> None:
    """Check that classes, inputs and levels exist."""
    n_answers, n_features = len(rules.schema.answers), rules.schema.n_features
    require(0 <= rules.default < n_answers, f"the default of the rules must be a class, got {rules.default}.")
    for rule in rules:
        require(0 <= rule.answer < n_answers, f"a rule must answer a class, got {rule.answer}.")
        for one in rule.conditions:
            require(0 <= one.feature < n_features, f"a rule uses input {one.feature}, which does not exist.")
            levels = rules.schema.n_levels(one.feature)
            require(all(0 <= code < levels for code in one.levels or ()), "a rule uses a level that does not exist.")


# -- intervals ----------------------------------------------------------------------------------------------------


def _check_scores(table: ScoreTable) -> None:
    require(table.score.ndim == 1 and len(table.score) > 0, "a table of scores needs a score.")
    for name in ("score", "weight"):
        require_shape(f"{name} of a table of scores", getattr(table, name), table.score.shape)
    require(np.all(np.diff(table.score) > 0), "score of a table of scores must rise.")
    # A row of small weight next to a heavy one may be lost in rounding.
    require(np.all(np.diff(table.weight) >= 0), "weight of a table of scores must not fall.")
    require(table.score[0] >= 0 and table.weight[0] > 0, "scores and their weights must not be negative.")


def _check_spread(spread: Spread) -> None:
    require(0.0 < spread.floor < np.inf, f"the floor of a spread must be > 0, got {spread.floor}.")


# -- soft trees ---------------------------------------------------------------------------------------------------


def _check_mix(mix: Mix, shape: tuple[int, int]) -> None:
    require(mix.shape == shape and mix.value.ndim == 1, f"mix of columns must have shape {shape}, got {mix.shape}.")
    for name, end in (("term", shape[0]), ("column", shape[1])):
        place = getattr(mix, name)
        require_shape(f"{name} of mix", place, mix.value.shape)
        require(np.all((place >= 0) & (place < end)), f"{name} of mix must be 0..{end - 1}.")
    require_shape("value of mix", mix.value, mix.value.shape)
    require(np.all(np.diff(mix.column) >= 0), "columns of mix must rise.")


def _check_columns(columns: DesignMatrix) -> None:
    require(columns.shift.ndim == 1, "shift of columns must have one axis.")
    n = len(columns)
    require_shape("shift of columns", columns.shift, (n,))
    _check_mix(columns.mix, (len(columns.basis), n))
    require_shape("feature of columns", columns.feature, (n,))
    require_shape("kind of columns", columns.kind, (n,))
    require(np.all(columns.kind <= 3) and np.all(columns.feature >= 0), "columns must be of kinds 0 to 3.")
    same = columns.basis.feature[columns.mix.term] == columns.feature[columns.mix.column]
    require(np.all(same), "a column must be made of terms of its own input.")


def _check_nodes(name: str, nodes: SoftTreeParams | BuddingParams) -> None:
    """Common checks of SoftTreeParams and BuddingParams."""
    require_pairs(name, nodes.first_child)
    require(nodes.gate.ndim == 2 and nodes.gate.shape[1] > 0, f"{name}: gate must have two axes.")
    require(nodes.response.ndim == 2 and nodes.response.shape[1] > 0, f"{name}: response must have two axes.")
    n, columns, outputs = len(nodes.first_child), nodes.gate.shape[1] - 1, nodes.response.shape[1]
    slopes = {"none": 0, "shared": 1, "own": n, "mixed": 1 + n}[nodes.slopes]
    shapes = {"gate": (n, columns + 1), "response": (n, outputs), "slope": (slopes, outputs, columns)}
    shapes |= {"frozen": (n, columns + 1), "unpenalized": (n,)}
    for part, shape in shapes.items():
        require_shape(f"{name}: {part}", getattr(nodes, part), shape)


def _check_soft_params(tree: SoftTreeParams) -> None:
    _check_nodes("the tree to go on from", tree)
    outputs, columns = tree.response.shape[1], tree.gate.shape[1] - 1
    _check_own_columns(tree)
    require_shape("origin", tree.origin, (outputs,))
    require_shape("origin_slope", tree.origin_slope, (outputs, columns))
    require(0.0 <= tree.log_penalty < np.inf and tree.n_iter >= 0, "log_penalty and n_iter must not be negative.")
    is_plain = tree.leaf_link == Link.IDENTITY
    require(is_plain or tree.slopes == "none", "leaves that mix answers must have no slopes.")
    require(tree.leaf_link != Link.SIGMOID or outputs == 1, "leaves that mix one probability must have one output.")


def _check_own_columns(tree: SoftTreeParams) -> None:
    own, columns = tree.own_columns, tree.gate.shape[1] - 1
    require(own.ndim == 1 and np.all((own >= 0) & (own < columns)), f"own_columns must be 0..{columns - 1}.")
    require(np.all(np.diff(own.astype(np.int64)) > 0), "own_columns must rise.")
    require(len(own) == 0 or tree.slopes == "mixed", "own_columns are for mixed slopes only.")


def _check_grown(grown: WarmStart) -> None:
    outputs = grown.tree.response.shape[1]
    require(len(grown.design) == grown.tree.gate.shape[1] - 1, "the columns must be those of the gates.")
    _check_units(grown.centre, grown.scale, outputs)
    require(0.0 <= grown.penalty < np.inf, f"a penalty must be >= 0, got {grown.penalty}.")


def _check_basis_spec(basis_spec: BasisSpec) -> None:
    numbers = (basis_spec.linear, basis_spec.square, basis_spec.normal_score, basis_spec.quadratic, *basis_spec.curve)
    require(np.all(np.isfinite(numbers)) and basis_spec.limit > 0, "scales of columns must be finite.")


def _check_units(centre: Array, scale: Array, outputs: int) -> None:
    require_shape("centre", centre, (outputs,))
    require_shape("scale", scale, (outputs,))
    require(np.all(scale > 0), "scale must be > 0.")


# -- budding trees ------------------------------------------------------------------------------------------------


def _check_budding_params(params: BuddingParams) -> None:
    require(params.slopes != "mixed", "slopes of a budding tree must be none, shared or own.")
    _check_nodes("the budding tree", params)
    require_shape("leafness of the budding tree", params.leafness, (len(params.first_child),))
    require(np.all((params.leafness >= 0) & (params.leafness <= 1)), "leafness must be in [0, 1].")


def _check_online_state(state: OnlineState) -> None:
    """The state of the native code, which checks it again."""
    whole = all(0 <= getattr(state, name) < 2**31 for name in ("columns", "outputs", "started", "seed"))
    require(whole and state.outputs > 0, "sizes of a state must be whole numbers >= 0.")
    require(state.started <= state.columns, "a state has fewer columns than it started with.")
    require(state.first_child.ndim == 1 and state.count.shape == (3,), "a state needs nodes and three counts.")
    room, nodes = state.room, int(state.count[NODES])
    require(1 <= nodes <= room and np.all(state.count >= 0), f"a state with room for {room} nodes has {nodes}.")
    size = size_of(room, state.columns, state.outputs, state.linear)
    for name in ("number", "memory", "speed", "pending"):
        array = getattr(state, name)
        require(array.dtype == np.float32, f"{name} of a state must be float32, got {array.dtype}.")
        empty = name in ("speed", "pending") and not array.size
        require_shape(f"{name} of a state", array, (0,) if empty else (size,))
    require_shape("age of a state", state.age, (room,))
    require_pairs("a state", state.first_child[:nodes])
    require(np.all(state.first_child[nodes:] == -1), "a state has children where it has no nodes.")
    require(np.all((state.leafness >= 0) & (state.leafness <= 1)), "leafness must be in [0, 1].")


# The smallest and the largest parameter of losses that have one.
OF_LOSS = {LossKind.HUBER: (1e-300, 1e300), LossKind.QUANTILE: (1e-300, 1.0), LossKind.TWEEDIE: (1.0, 2.0)}


def _check_online_options(options: OnlineOptions) -> None:
    numbers = (options.leafness_penalty, options.weight_penalty, options.step)
    require(np.all(np.isfinite(numbers)) and min(numbers) >= 0, "penalties and step must be finite and >= 0.")
    require(1 <= options.batch < 2**31, f"batch must be >= 1, got {options.batch}.")
    low, high = OF_LOSS.get(options.loss.kind, (0.0, 0.0))
    require(low <= options.loss.parameter <= high, f"no loss {options.loss.kind.name} has {options.loss.parameter:g}.")


def _check_moments(moments: Moments) -> None:
    require(moments.weight.ndim == 1, "moments must have one axis.")
    for name in ("first", "weight", "total", "squares", "low", "high"):
        require(getattr(moments, name).shape == moments.weight.shape, f"{name} of moments must have its columns.")
    for name in ("weight", "total", "squares"):
        require(np.isfinite(getattr(moments, name)).all(), f"{name} of moments must be finite.")


def _make_running_scale(given: dict[str, Any]) -> RunningScale:
    """Its columns follow from its levels, so these are compared first."""
    levels, gaps, moments = given["n_levels"], given.get("gaps", []), given.pop("moments")
    n = len(levels)
    require(all(0 <= each < 2**31 for each in levels), "levels of a stream must be whole numbers >= 0.")
    require(sum(max(each, 1) for each in levels) == len(moments.weight), "levels and moments of a stream must agree.")
    require(len(set(gaps)) == len(gaps) and all(0 <= f < n for f in gaps), f"gaps must be inputs 0..{n - 1}.")
    made = RunningScale(**given)
    require(len(made.gap_moments.weight) == len(gaps), "gaps and their moments must agree.")
    require(0.0 <= made.weight < np.inf, "the weight of a stream must be finite.")
    made.moments = moments
    return made


def _check_sample(sample: Sample) -> None:
    require(sample.X.ndim == 2 and sample.target.ndim == 2, "recent rows must have two axes.")
    require(not np.isinf(sample.X).any(), "recent rows must be finite or missing.")
    require(len(sample.X) == len(sample.target), "there must be as many recent rows as targets.")
    require_shape("recent targets", sample.target, sample.target.shape)
    require_shape("recent weights", sample.weight, (len(sample.X),))
    require(np.all(sample.weight >= 0), "weights must not be negative.")


def _check_stream(stream: Stream) -> None:
    state, options, inputs = stream.state, stream.options, stream.inputs
    columns = len(inputs.fixed) if isinstance(inputs, FixedScale) else inputs.started + len(inputs.gaps)
    require(columns == state.columns, f"the stream has {columns} columns and its state {state.columns}.")
    require(bool(state.speed.size) == (options.rule == Rule.ADAM), "speed is for Adam, and Adam needs it.")
    require(bool(state.pending.size) == (options.batch > 1), "pending is for batches, and batches need it.")
    require(options.loss != Loss.LOGISTIC or state.outputs == 1, "two classes have one output.")
    _check_units(stream.centre, stream.scale, state.outputs)
    fixed = options.loss == Loss.SQUARED or stream.targets is None
    require(fixed, "targets of this loss have a fixed scale.")
    require(stream.targets is None or len(stream.targets.weight) == state.outputs, "targets must be the outputs.")
    require(0.0 <= stream.weight < np.inf, "the weight of a stream must be finite.")
    if len(stream.recent.X):
        require(stream.recent.target.shape[1] == state.outputs, "recent targets must be the outputs.")


CHECKS |= {
    PruningSequence: _check_sequence,
    PruningTable: _check_table,
    ScoreTable: _check_scores,
    Spread: _check_spread,
    RuleSet: check_rules,
    DesignMatrix: _check_columns,
    SoftTreeParams: _check_soft_params,
    WarmStart: _check_grown,
    BasisSpec: _check_basis_spec,
    BuddingParams: _check_budding_params,
    OnlineState: _check_online_state,
    OnlineOptions: _check_online_options,
    Moments: _check_moments,
    Sample: _check_sample,
    Stream: _check_stream,
}
MAKERS[RunningScale] = _make_running_scale
FORMER[BasisSpec] = frozenset(("ramp", "n_ramps"))
