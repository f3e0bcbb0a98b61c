"""What must hold in learned values that come from a file, before anything (native code above all) reads them.

`Tree`, `Basis` and `Schema` check themselves. The others are made by learners, which need no check; those that a file
gives back are checked here: sizes that belong together agree, places are in range, numbers are finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.estimators.stored import CHECKS, MAKERS
from softwood.kernels.kinds import Loss
from softwood.kernels.plant import NODES, Plant, Rule, Tending, size_of
from softwood.learners.budding.bush import Bush
from softwood.learners.budding.scaling import FixedScale, Moments, RunningScale
from softwood.learners.budding.stream import Stream
from softwood.learners.hard.sequence import PruningSequence
from softwood.learners.hard.table import PruningTable
from softwood.learners.soft.columns import Columns, Recipe
from softwood.learners.soft.joint import Grown
from softwood.learners.soft.mix import Mix
from softwood.learners.soft.sapling import Sapling
from softwood.tree import RuleSet
from softwood.tree.gain import Sample

Array = npt.NDArray[Any]


def require(good: Any, message: str) -> None:
    """A ValueError where something does not hold."""
    if not good:
        raise ValueError(message)


def require_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """An array of just that shape whose numbers are finite."""
    require(array.shape == shape, f"{name} must have shape {shape}, got {array.shape}.")
    require(np.isfinite(array).all(), f"{name} must be finite.")


def require_pairs(name: str, first_child: npt.NDArray[np.int32]) -> None:
    """Nodes with two children or none, children after parents, every node but the root the child of one."""
    require(first_child.ndim == 1 and len(first_child) > 0, f"{name} needs a root.")
    n, branch = len(first_child), np.flatnonzero(first_child != -1)
    child = first_child[branch].astype(np.int64)
    require(np.all((child > branch) & (child + 1 < n)), f"{name}: children must come after their parent, below {n}.")
    claimed = np.sort(np.concatenate([child, child + 1]))
    require(np.array_equal(claimed, np.arange(1, n)), f"{name}: every node but the root must have one parent.")


def require_feature(name: str, feature: npt.NDArray[np.int32], n_features: int) -> None:
    """Inputs that are there."""
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
    """Classes, inputs and levels that are there."""
    n_answers, n_features = len(rules.schema.answers), rules.schema.n_features
    require(0 <= rules.default < n_answers, f"the default of the rules must be a class, got {rules.default}.")
    for rule in rules:
        require(0 <= rule.answer < n_answers, f"a rule must answer a class, got {rule.answer}.")
        for one in rule.conditions:
            require(0 <= one.feature < n_features, f"a rule asks for input {one.feature}, which is not there.")
            levels = rules.schema.n_levels(one.feature)
            require(all(0 <= code < levels for code in one.levels or ()), "a rule asks for a level that is not there.")


# -- soft trees ---------------------------------------------------------------------------------------------------


def _check_mix(mix: Mix, shape: tuple[int, int]) -> None:
    require(mix.shape == shape and mix.value.ndim == 1, f"mix of columns must have shape {shape}, got {mix.shape}.")
    for name, end in (("term", shape[0]), ("column", shape[1])):
        place = getattr(mix, name)
        require_shape(f"{name} of mix", place, mix.value.shape)
        require(np.all((place >= 0) & (place < end)), f"{name} of mix must be 0..{end - 1}.")
    require_shape("value of mix", mix.value, mix.value.shape)
    require(np.all(np.diff(mix.column) >= 0), "columns of mix must rise.")


def _check_columns(columns: Columns) -> None:
    require(columns.shift.ndim == 1, "shift of columns must have one axis.")
    n = len(columns)
    require_shape("shift of columns", columns.shift, (n,))
    _check_mix(columns.mix, (len(columns.basis), n))
    require_shape("feature of columns", columns.feature, (n,))
    require_shape("kind of columns", columns.kind, (n,))
    require(np.all(columns.kind <= 3) and np.all(columns.feature >= 0), "columns must be of kinds 0 to 3.")
    same = columns.basis.feature[columns.mix.term] == columns.feature[columns.mix.column]
    require(np.all(same), "a column must be made of terms of its own input.")


def _check_nodes(name: str, nodes: Sapling | Bush) -> None:
    """What a sapling and a bush have in common."""
    require_pairs(name, nodes.first_child)
    require(nodes.gate.ndim == 2 and nodes.gate.shape[1] > 0, f"{name}: gate must have two axes.")
    require(nodes.response.ndim == 2 and nodes.response.shape[1] > 0, f"{name}: response must have two axes.")
    n, columns, outputs = len(nodes.first_child), nodes.gate.shape[1] - 1, nodes.response.shape[1]
    slopes = {"none": 0, "shared": 1, "own": n}[nodes.slopes]
    shapes = {"gate": (n, columns + 1), "response": (n, outputs), "slope": (slopes, outputs, columns)}
    shapes |= {"closed": (n, columns + 1), "steep": (n,)}
    for part, shape in shapes.items():
        require_shape(f"{name}: {part}", getattr(nodes, part), shape)


def _check_sapling(tree: Sapling) -> None:
    _check_nodes("the tree to go on from", tree)
    outputs, columns = tree.response.shape[1], tree.gate.shape[1] - 1
    require_shape("origin", tree.origin, (outputs,))
    require_shape("origin_slope", tree.origin_slope, (outputs, columns))
    require(0.0 <= tree.ease < np.inf and tree.n_iter >= 0, "ease and n_iter must not be negative.")


def _check_grown(grown: Grown) -> None:
    outputs = grown.tree.response.shape[1]
    require(len(grown.columns) == grown.tree.gate.shape[1] - 1, "the columns must be those of the gates.")
    _check_units(grown.centre, grown.scale, outputs)
    require(0.0 <= grown.penalty < np.inf, f"a penalty must be >= 0, got {grown.penalty}.")


def _check_recipe(recipe: Recipe) -> None:
    numbers = (recipe.line, recipe.square, recipe.score, recipe.bow, *recipe.curve)
    require(np.all(np.isfinite(numbers)) and recipe.limit > 0, "scales of columns must be finite.")


def _check_units(centre: Array, scale: Array, outputs: int) -> None:
    require_shape("centre", centre, (outputs,))
    require_shape("scale", scale, (outputs,))
    require(np.all(scale > 0), "scale must be > 0.")


# -- budding trees ------------------------------------------------------------------------------------------------


def _check_bush(bush: Bush) -> None:
    _check_nodes("the bush", bush)
    require_shape("leafness of the bush", bush.leafness, (len(bush.first_child),))
    require(np.all((bush.leafness >= 0) & (bush.leafness <= 1)), "leafness must be in [0, 1].")


def _check_plant(plant: Plant) -> None:
    """As the native code has it, which checks again."""
    whole = all(0 <= getattr(plant, name) < 2**31 for name in ("columns", "outputs", "started", "seed"))
    require(whole and plant.outputs > 0, "sizes of a plant must be whole numbers >= 0.")
    require(plant.started <= plant.columns, "a plant has fewer columns than it started with.")
    require(plant.first_child.ndim == 1 and plant.count.shape == (3,), "a plant needs nodes and three counts.")
    room, nodes = plant.room, int(plant.count[NODES])
    require(1 <= nodes <= room and np.all(plant.count >= 0), f"a plant with room for {room} nodes has {nodes}.")
    size = size_of(room, plant.columns, plant.outputs, plant.linear)
    for name in ("number", "memory", "speed", "pending"):
        array = getattr(plant, name)
        require(array.dtype == np.float32, f"{name} of a plant must be float32, got {array.dtype}.")
        empty = name in ("speed", "pending") and not array.size
        require_shape(f"{name} of a plant", array, (0,) if empty else (size,))
    require_shape("age of a plant", plant.age, (room,))
    require_pairs("a plant", plant.first_child[:nodes])
    require(np.all(plant.first_child[nodes:] == -1), "a plant has children where it has no nodes.")
    require(np.all((plant.leafness >= 0) & (plant.leafness <= 1)), "leafness must be in [0, 1].")


def _check_tending(tending: Tending) -> None:
    numbers = (tending.leafness_penalty, tending.weight_penalty, tending.step)
    require(np.all(np.isfinite(numbers)) and min(numbers) >= 0, "penalties and step must be finite and >= 0.")
    require(1 <= tending.batch < 2**31, f"batch must be >= 1, got {tending.batch}.")


def _check_moments(moments: Moments) -> None:
    require(moments.weight.ndim == 1, "moments must have one axis.")
    for name in ("first", "weight", "total", "squares", "low", "high"):
        require(getattr(moments, name).shape == moments.weight.shape, f"{name} of moments must have its columns.")
    for name in ("weight", "total", "squares"):
        require(np.isfinite(getattr(moments, name)).all(), f"{name} of moments must be finite.")


def _make_running_scale(given: dict[str, Any]) -> RunningScale:
    """Its columns follow from its levels, so these are compared with what is there first."""
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
    require(len(sample.X) == len(sample.target), "recent rows and targets must be as many.")
    require_shape("recent targets", sample.target, sample.target.shape)
    require_shape("recent weights", sample.weight, (len(sample.X),))
    require(np.all(sample.weight >= 0), "weights must not be negative.")


def _check_stream(stream: Stream) -> None:
    plant, tending, inputs = stream.plant, stream.tending, stream.inputs
    columns = len(inputs.fixed) if isinstance(inputs, FixedScale) else inputs.started + len(inputs.gaps)
    require(columns == plant.columns, f"the stream has {columns} columns and its plant {plant.columns}.")
    require(bool(plant.speed.size) == (tending.rule == Rule.ADAM), "speed is for Adam, and Adam needs it.")
    require(bool(plant.pending.size) == (tending.batch > 1), "pending is for batches, and batches need it.")
    require(tending.loss != Loss.LOGISTIC or plant.outputs == 1, "two classes have one output.")
    _check_units(stream.centre, stream.scale, plant.outputs)
    require(stream.targets is None or len(stream.targets.weight) == plant.outputs, "targets must be the outputs.")
    require(0.0 <= stream.weight < np.inf, "the weight of a stream must be finite.")
    if len(stream.recent.X):
        require(stream.recent.target.shape[1] == plant.outputs, "recent targets must be the outputs.")


CHECKS |= {
    PruningSequence: _check_sequence, PruningTable: _check_table, RuleSet: check_rules, Columns: _check_columns,
    Sapling: _check_sapling, Grown: _check_grown, Recipe: _check_recipe, Bush: _check_bush, Plant: _check_plant,
    Tending: _check_tending, Moments: _check_moments, Sample: _check_sample, Stream: _check_stream,
}  # fmt: skip
MAKERS[RunningScale] = _make_running_scale
