"""The content of a picture: a tree and rows, encoded for the tree.

Every picture reads a model through `look_at`, so all accept the same models, rows and actual values, with the same
errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.explain.ranges import used_inputs
from softwood.explain.rows import read_rows, some_rows
from softwood.formats.models import look_inside
from softwood.tree import Kind, Tree
from softwood.tree.arrived import arrived_targets
from softwood.tree.labels import plain_label
from softwood.tree.node_numbers import NodeNumbers, node_numbers
from softwood.tree.once import computed_once
from softwood.tree.row_sum import RowSum, row_sum
from softwood.tree.spelling import spell_label
from softwood.tree.views import ConstantGate, LinearGate
from softwood.tree.wording import Wording
from softwood.view.plots.canvas import import_matplotlib

STRAIGHT = 0.03  # maximum bend of a curve, relative to its height, that is drawn as a weight


@dataclass(frozen=True)
class Scene:
    """A tree with some rows.

    Attributes
    ----------
    tree : with the names to print.
    model : the estimator that has it, or the tree itself.
    X : (rows, inputs) as the tree reads them; None without rows.
    y : actual values: class codes (rows,), or numbers (rows, targets); None if unknown.
    followed : the row whose path is drawn; None for all rows.
    """

    tree: Tree
    model: Any
    X: Floats | None = None
    y: npt.NDArray[Any] | None = None
    followed: int | None = None

    @property
    def classes(self) -> bool:
        """Whether the task is classification."""
        return self.tree.schema.task == "classification"

    @computed_once
    def words(self) -> Wording:
        return Wording(self.tree)

    @computed_once
    def labels(self) -> list[str]:
        """Names of the classes or targets."""
        return [spell_label(answer) for answer in self.tree.schema.answers]

    @computed_once
    def reach(self) -> Floats:
        """Proportion of each row at each node, (rows, nodes)."""
        return self.tree.reach(self.rows)

    @property
    def rows(self) -> Floats:
        """The rows; an error without rows."""
        if self.X is None:
            raise ValueError("no rows were given; pass X.")
        return self.X

    @computed_once
    def numbers(self) -> NodeNumbers:
        """What arrives at every node and what each adds, from the tree."""
        return node_numbers(self.tree)

    @computed_once
    def arrives(self) -> Floats:
        """What arrives at every node, (nodes, answers): from the given rows if their actual values are known, weighted
        by the proportion that arrives; otherwise, and where none of them arrives, from the training rows.
        """
        if self.y is None:
            return self.numbers.arrives
        total = self.reach.sum(axis=0)[:, None]
        if self.classes:
            k = len(self.labels)
            counts = [np.bincount(self.y, self.reach[:, node], k) for node in range(self.tree.n_nodes)]
            found = np.asarray(counts) / np.where(total > 0, total, 1.0)
        else:
            found = arrived_targets(np.asarray(self.y, np.float64), self.reach, self.tree.parent)
        return np.where(total > 0, found, self.numbers.arrives)

    @computed_once
    def sum_of_row(self) -> RowSum | None:
        """The sum that gives the output of the followed row."""
        return None if self.row is None else row_sum(self.tree, self.row)

    def share_of_row(self, node: int) -> float | None:
        """The proportion of the followed row that a node keeps; None without a followed row."""
        if self.followed is None:
            return None
        return float(self.reach[self.followed, node] * self.tree.leafness[node])

    def answered_place(self) -> int:
        """The predicted class of the followed row; for regression the first target."""
        if self.sum_of_row is None or not self.classes:
            return 0
        return int(self.tree.schema.decide(self.sum_of_row.answer[None])[0])

    @computed_once
    def count(self) -> Floats:
        """Number of rows at every node: given rows, else training rows; NaN if unknown."""
        return self.tree.count if self.X is None else np.asarray(self.reach.sum(axis=0))

    @computed_once
    def share(self) -> Floats:
        """Proportion of all rows at every node; equal shares if unknown."""
        if np.isfinite(self.count).all() and self.count[0] > 0:
            part = self.tree.constant_share if self.X is None else 1.0  # of given rows, shares are summed
            return np.asarray(part * self.count / self.count[0])
        part = np.ones(self.tree.n_nodes)
        for node in range(self.tree.n_nodes):
            for child in self.tree.children(node):
                part[child] = part[node] / self.tree.n_children[node]
        return part

    @property
    def row(self) -> Floats | None:
        """The followed row, (1, inputs)."""
        return None if self.followed is None else self.rows[[self.followed]]

    def name(self, feature: int) -> str:
        """Name of an input, on one line."""
        return self.words.names[feature]

    def levels(self, feature: int) -> list[str]:
        """Levels of an input in the order of their codes: of a category, or false and true; otherwise none."""
        if self.tree.schema.kinds[feature] == Kind.BOOLEAN:
            return ["false", "true"]
        return [spell_label(level) for level in self.tree.schema.categories[feature] or ()]

    def score(self, node: int, X: Floats) -> Floats:
        """The score of a linear gate for every row: its constant and what the curve of every input adds."""
        gate = self.tree.gate(node)
        if not isinstance(gate, LinearGate):
            raise ValueError(f"node {node} has no linear gate, so no score.")
        total = np.full(len(X), gate.bias)
        for feature in gate.features:
            total += self.tree.curve(node, feature)(X[:, feature])
        return total

    @computed_once
    def used(self) -> list[int]:
        """Inputs that gates or responses use, in ascending order."""
        return used_inputs(self.tree, surrogates=False)

    def typical(self) -> Floats:
        """A typical row: medians and most frequent levels, of the given or the training rows."""
        return np.array([self._middle(feature) for feature in range(self.tree.n_features)])

    def _middle(self, feature: int) -> float:
        known = self.tree.schema.inputs[feature].summary
        levels = self.tree.schema.n_levels(feature)
        if self.X is not None and np.isfinite(self.X[:, feature]).any():
            values = self.X[:, feature]
            values = values[np.isfinite(values)]
            return float(np.bincount(values.astype(np.int64)).argmax() if levels else np.median(values))
        if known is None:
            return 0.0
        if known.counts:
            return float(np.argmax(known.counts))
        return dict(known.quantiles).get(0.5, np.nan)

    def span(self, feature: int, part: float = 0.99) -> tuple[float, float]:
        """The range of a number: the middle `part` of the given rows, or all of the training rows."""
        known = self.tree.schema.inputs[feature].summary
        low, high = 0.0, 1.0
        if self.X is not None and np.isfinite(self.X[:, feature]).any():
            values = self.X[:, feature]
            ends = np.quantile(values[np.isfinite(values)], [(1 - part) / 2, (1 + part) / 2])
            low, high = float(ends[0]), float(ends[1])
        elif known is not None and known.range is not None:
            low, high = known.range
        return (low, high) if high > low else (low - 0.5, high + 0.5)


def look_at(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    wanted_by: str,
    feature_names: Sequence[str] | None = None,
    needs_rows: str = "",
    needs_answers: str = "",
) -> Scene:
    """The tree of a model with rows, checked.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a pipeline or search that ends in one.
    X, y : rows as the model takes them (for a pipeline: before its steps), and their actual values.
    wanted_by : the calling function, for error messages.
    needs_rows, needs_answers : why it needs them; "" if it does not.
    """
    import_matplotlib(wanted_by)
    inside = look_inside(model, feature_names, wanted_by=wanted_by)
    if X is None and needs_rows:
        raise ValueError(f"{wanted_by} needs rows {needs_rows}: pass X.")
    if y is None and needs_answers:
        raise ValueError(f"{wanted_by} needs actual values {needs_answers}: pass y.")
    if y is not None and X is None:
        raise ValueError("y without X: actual values belong to rows; pass both or neither.")
    cells = None if X is None else some_rows(read_rows(model, X), "X")
    return Scene(
        inside.tree, inside.model, cells, None if y is None or cells is None else _known(inside.tree, y, cells)
    )


def _known(tree: Tree, y: Any, X: Floats) -> npt.NDArray[Any]:
    """Class codes or numbers of the actual values."""
    given = np.asarray(y, object if tree.schema.task == "classification" else np.float64)
    if len(given) != len(X):
        raise ValueError(f"y must have a value for each of {len(X)} rows, got {len(given)}.")
    if tree.schema.task == "regression":
        numbers = given.reshape(len(given), -1)
        if numbers.shape[1] != tree.n_outputs:
            raise ValueError(f"y must have {tree.n_outputs} targets, as the tree has, got {numbers.shape[1]}.")
        return numbers
    codes = {answer: code for code, answer in enumerate(tree.schema.answers)}
    flat = [plain_label(label) for label in given.ravel()]
    unknown = next((label for label in flat if label not in codes), None)
    if any(label not in codes for label in flat):
        raise ValueError(f"y has the label {unknown!r:.60}, which is not one of the classes {list(codes)!r:.200}.")
    return np.array([codes[label] for label in flat], np.int64)


def order_inputs(scene: Scene, node: int) -> list[int]:
    """Inputs of a linear gate, the largest effect on its score first."""
    gate = scene.tree.gate(node)
    if not isinstance(gate, LinearGate):
        return [] if gate is None or isinstance(gate, ConstantGate) else [gate.feature]
    effect = {f: sum(term.effect or 0.0 for term in gate.terms if term.feature == f) for f in gate.features}
    if not any(effect.values()):
        for f in gate.features:
            effect[f] = float(np.ptp(scene.tree.curve(node, f)(grid_of(scene, f))))
    return sorted(gate.features, key=lambda f: (-effect[f], f))


def grid_of(scene: Scene, feature: int, n: int = 120) -> Floats:
    """Values of an input to draw a curve over: codes of a category, else evenly spaced over its range, with the
    knots.
    """
    levels = scene.levels(feature)
    if levels:
        return np.arange(float(len(levels)))
    low, high = scene.span(feature)
    return np.linspace(low, high, n)


def is_additive(scene: Scene, node: int) -> bool:
    """Whether some input of a gate has a curve that is not a straight line."""
    gate = scene.tree.gate(node)
    if not isinstance(gate, LinearGate):
        return False
    return any(_bends(scene, node, feature) for feature in gate.features)


def _bends(scene: Scene, node: int, feature: int) -> bool:
    curve, grid = scene.tree.curve(node, feature), grid_of(scene, feature)
    if curve.levels:
        return True
    if len(grid) < 3:
        return False
    height = curve(grid)
    straight = np.linspace(height[0], height[-1], len(grid))
    return bool(np.abs(height - straight).max() > STRAIGHT * (np.ptp(height) or 1.0))
