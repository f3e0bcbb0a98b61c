"""Random trees of every kind, and adversarial rows.

A tree is drawn from a seed, so a failing example is one number; hypothesis picks the seed and the size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from softwood import Basis, Schema, Surrogates, Tree
from softwood.kernels.kinds import Link, Missing, Score, Squash, Term
from softwood.tree import join_trees

Floats = npt.NDArray[np.float64]

GRID = 4  # numbers are quarters, so that rows meet thresholds, knots and cuts exactly
N_LEVELS = (0, 0, 0, 4, 0, 7)  # per input: 0 for a number, else its categories


def trees(*, hard: bool = False, smooth: bool = False) -> st.SearchStrategy[Tree]:
    """Trees of all kinds (a fifth are means of several), or hard ones without linear gates and responses, or smooth
    ones: linear sigmoids only.
    """

    def make(seed: int, n: int) -> Tree:
        if not hard and not smooth and seed % 5 == 4:
            return random_joined(seed, n // 3)
        return random_tree(seed, n, hard=hard, smooth=smooth)

    return st.builds(make, st.integers(0, 2**32 - 1), st.integers(0, 12))


def random_schema(n_answers: int) -> Schema:
    categories = tuple(tuple(f"c{code}" for code in range(n)) if n else None for n in N_LEVELS)
    return Schema(tuple(f"x{f}" for f in range(len(N_LEVELS))), categories, tuple(range(n_answers)))


def random_basis(rng: np.random.Generator) -> Basis:
    """Every term, on inputs where it makes sense, shuffled."""
    number = rng.permutation(np.flatnonzero(np.equal(N_LEVELS, 0)))
    category = int(rng.choice(np.flatnonzero(N_LEVELS)))
    columns = [(Term.IDENTITY, int(f), 0.0) for f in number]
    columns += [(Term.SQUARE, int(number[0]), 0.0), (Term.HINGE, int(number[1]), quarters(rng, ())[()])]
    columns += [(Term.CATEGORY, category, float(rng.integers(N_LEVELS[category]))), (Term.MISSING, int(number[2]), 0.0)]
    order = rng.permutation(len(columns))
    term, feature, parameter = zip(*(columns[i] for i in order), strict=True)
    return Basis(
        np.array(term, np.uint8), np.array(feature, np.int32), np.array(parameter), quarters(rng, len(columns))
    )


def quarters(rng: np.random.Generator, shape: Any) -> Any:
    return np.asarray(rng.integers(-2 * GRID, 2 * GRID + 1, shape) / GRID)


def random_joined(
    seed: int, n_branches: int = 3, n_trees: int = 3, *, hard: bool = False, smooth: bool = False
) -> Tree:
    """The mean of random trees, of random weights; the last tree is a leaf."""
    first = random_tree(seed, n_branches, hard=hard, smooth=smooth)
    sizes = [n_branches + 1] * (n_trees - 2) + [0]
    rest = [
        random_tree(seed + 1 + i, size, hard=hard, smooth=smooth, like=first) for i, size in enumerate(sizes)
    ]  # fmt: skip
    return join_trees([first, *rest], np.random.default_rng(seed).random(n_trees))


def random_tree(
    seed: int, n_branches: int = 6, *, hard: bool = False, smooth: bool = False, like: Tree | None = None
) -> Tree:
    """A tree with `n_branches` gates, each of a random kind; with outputs and link of another one, if it is given."""
    rng = np.random.default_rng(seed)
    n_outputs = int(rng.integers(1, 4))
    link = Link(rng.choice([Link.IDENTITY, Link.SOFTMAX] + [Link.SIGMOID] * (n_outputs == 1)))
    n_outputs, link = (n_outputs, link) if like is None else (like.n_outputs, like.link)
    nodes = _Nodes(rng, hard, smooth)
    for _ in range(n_branches):
        nodes.split(int(rng.choice(nodes.leaves())))
    return nodes.tree(n_outputs, link)


class _Nodes:
    """A tree under construction: one dict of fields per node."""

    def __init__(self, rng: np.random.Generator, hard: bool, smooth: bool) -> None:
        self.rng, self.hard, self.smooth = rng, hard, smooth
        self.basis = random_basis(rng)
        self.node: list[dict[str, Any]] = [{}]

    def leaves(self) -> list[int]:
        return [m for m, node in enumerate(self.node) if "first_child" not in node]

    def split(self, m: int) -> None:
        """Give node m a random gate and as many children as it needs."""
        rng, node = self.rng, self.node[m]
        scores = [Score.THRESHOLD, Score.CATEGORY, Score.INTERVAL] * (not self.smooth) + [Score.LINEAR] * (
            not self.hard
        )
        node["score"] = score = Score(rng.choice(scores))
        n = 2 if score in (Score.THRESHOLD, Score.LINEAR) or rng.random() < 0.5 else int(rng.integers(2, 5))
        node.update(first_child=len(self.node), n_children=n, default=int(rng.integers(n)))
        node["missing"] = Missing(rng.choice(list(Missing)))
        if not self.hard:
            node["leafness"] = float(rng.choice([0.0, 0.0, 0.25, rng.random(), 1.0]))
        getattr(self, f"_{score.name.lower()}")(node, n)
        fraction = rng.dirichlet(np.ones(n))
        self.node += [{"fraction": f} for f in fraction]
        if n == 2 and score != Score.LINEAR and node["missing"] == Missing.SURROGATE:
            node["surrogates"] = [self._surrogate() for _ in range(rng.integers(0, 4))]

    def _number(self) -> int:
        return int(self.rng.choice(np.flatnonzero(np.equal(N_LEVELS, 0))))

    def _threshold(self, node: dict[str, Any], n: int) -> None:
        squash = Squash.STEP if self.hard else Squash(self.rng.choice(list(Squash)))
        node.update(feature=self._number(), threshold=float(quarters(self.rng, ())), squash=squash)
        if squash == Squash.STEP and self.rng.random() < 0.1:
            node["threshold"] = np.inf  # "is it there?"
        if squash == Squash.RAMP:
            node["softness"] = self.rng.choice([0.0, 0.25, 1.0, 0.3], 2)
        if squash == Squash.SIGMOID:
            node["softness"] = np.repeat(self.rng.choice([1e-3, 0.5, 2.0]), 2)

    def _category(self, node: dict[str, Any], n: int) -> None:
        node["feature"] = feature = int(self.rng.choice(np.flatnonzero(N_LEVELS)))
        node["group"] = self.rng.integers(-1, n, N_LEVELS[feature])

    def _interval(self, node: dict[str, Any], n: int) -> None:
        cut = self.rng.choice(np.arange(-2 * GRID, 2 * GRID), n - 1, replace=False)
        node.update(feature=self._number(), cut=np.sort(cut) / GRID)

    def _linear(self, node: dict[str, Any], n: int) -> None:
        size = int(self.rng.integers(0, len(self.basis) + 1))
        node["weight_column"] = np.sort(self.rng.choice(len(self.basis), size, replace=False))
        exact = self.rng.random() < 0.3  # quarters: scores of exactly 0 happen
        node["weight"] = quarters(self.rng, size) if exact else self.rng.normal(size=size) * self.rng.choice([1, 50])
        node["bias"] = float(quarters(self.rng, ()) if exact else self.rng.normal())
        node["squash"] = Squash.SIGMOID if self.smooth else Squash(self.rng.choice([Squash.STEP, Squash.SIGMOID]))

    def _surrogate(self) -> dict[str, Any]:
        feature = int(self.rng.integers(len(N_LEVELS)))
        group = self.rng.integers(-1, 2, N_LEVELS[feature])
        return {"feature": feature, "threshold": float(quarters(self.rng, ())), "flip": bool(self.rng.integers(2)),
                "group": group}  # fmt: skip

    def tree(self, n_outputs: int, link: Link) -> Tree:
        rng, n = self.rng, len(self.node)
        per_node: dict[str, Any] = {
            name: [node.get(name, value) for node in self.node]
            for name, value in {
                "first_child": -1, "n_children": 0, "leafness": np.nan, "score": Score.NONE, "squash": Squash.STEP,
                "feature": -1, "threshold": np.nan, "missing": Missing.DIRECTION, "default": 0, "fraction": np.nan,
                "bias": 0.0, "softness": [0.0, 0.0],
            }.items()
        }  # fmt: skip
        for name in ("group", "cut", "weight"):
            per_node[f"{name}_begin"], per_node[name] = _flatten([node.get(name, ()) for node in self.node])
        per_node["weight_column"] = _flatten([node.get("weight_column", ()) for node in self.node])[1].astype(np.int32)
        per_node["group"] = per_node["group"].astype(np.int32)
        if not self.hard:
            n_slopes = int(rng.integers(0, 3))
            per_node["slope"] = rng.normal(size=(n_slopes, len(self.basis), n_outputs))
            per_node["slope_row"] = rng.integers(-1, n_slopes, n) if n_slopes else np.full(n, -1)
        n_answers = 2 if link == Link.SIGMOID and n_outputs == 1 else n_outputs
        return Tree(
            response=rng.normal(size=(n, n_outputs)), schema=random_schema(n_answers), link=link, basis=self.basis,
            surrogates=self._table(), **per_node,
        )  # fmt: skip

    def _table(self) -> Surrogates:
        of_node = [node.get("surrogates", []) for node in self.node]
        flat = [surrogate for some in of_node for surrogate in some]
        group_begin, group = _flatten([surrogate["group"] for surrogate in flat])
        return Surrogates(
            begin=np.cumsum([0, *map(len, of_node)]).astype(np.int32),
            feature=np.array([s["feature"] for s in flat], np.int32),
            threshold=np.array([s["threshold"] for s in flat], np.float64),
            flip=np.array([s["flip"] for s in flat], np.bool_),
            group_begin=group_begin, group=group.astype(np.int32),
            agreement=np.ones(len(flat)), adjusted=np.ones(len(flat)),
        )  # fmt: skip


def _flatten(pieces: list[Any]) -> tuple[npt.NDArray[np.int32], Floats]:
    begin = np.cumsum([0, *map(len, pieces)]).astype(np.int32)
    return begin, np.concatenate([np.asarray(piece, np.float64) for piece in [[], *pieces]])


def random_rows(seed: int, n: int, *, missing: float = 0.15) -> Floats:
    """Rows on the grid and off it, with missing values, category codes that no tree has seen and infinite values."""
    rng = np.random.default_rng(seed)
    X = np.where(
        rng.random((n, len(N_LEVELS))) < 0.5, quarters(rng, (n, len(N_LEVELS))), rng.normal(size=(n, len(N_LEVELS)))
    )
    for feature in np.flatnonzero(N_LEVELS):
        X[:, feature] = rng.integers(-1, N_LEVELS[feature] + 2, n)
    X[rng.random(X.shape) < missing] = np.nan
    X[rng.random(X.shape) < missing / 50] = rng.choice([np.inf, -np.inf, -0.0])
    return X
