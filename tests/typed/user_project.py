"""A user's program, checked by mypy --strict and pyright: softwood's types reach its users (`make lint`)."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import assert_type

import numpy as np
import numpy.typing as npt

import softwood
from softwood import CARTClassifier, SoftTreeRegressor, Tree, export, load, save, soften, summary, to_text
from softwood.datasets import make_friedman
from softwood.stats import five_by_two_f_test

Floats = npt.NDArray[np.float64]


def describe(tree: Tree) -> str:
    return f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}"


def fit_and_keep(X: Floats, y: Floats, folder: Path) -> str:
    model = SoftTreeRegressor(readable=True, random_state=0)
    fitted = model.fit(X, y)
    assert_type(fitted, SoftTreeRegressor)
    save(fitted, folder / "model.softwood")
    again = load(folder / "model.softwood")
    print(again.predict(X[:3]))
    print(summary(fitted))
    return describe(fitted.tree_)


def rules(X: Floats, y: list[str]) -> str:
    model = CARTClassifier(max_depth=3, costs={("ill", "well"): 10.0}).fit(X, y)
    softer = soften(model, X, y)
    assert_type(to_text(model, digits=2), str)
    print(softer.predict_proba(X[:2]))
    return str(export(model, to="sql", dialect="duckdb"))


def wrong(model: CARTClassifier) -> None:
    """What the checkers must refuse; where one does not, its comment is unused, which is an error."""
    describe("tree")  # type: ignore[arg-type]
    CARTClassifier(depth=3)  # type: ignore[call-arg]
    to_text(model, digits="two")  # type: ignore[arg-type]


def main() -> None:
    X, y = make_friedman(200, random_state=0)
    print(softwood.__version__, fit_and_keep(X, y, Path(mkdtemp())))
    print(rules(X, ["ill" if value > 14 else "well" for value in y]))
    print(softwood.explain(SoftTreeRegressor().fit(X, y), X))
    print(five_by_two_f_test(np.zeros((5, 2)), np.ones((5, 2))).p_value)


if __name__ == "__main__":
    main()
