"""CART from rows in batches: before pruning the binned tree of rows in memory, then pruned by held-out rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softwood import Batches, CARTClassifier, CARTRegressor
from softwood.intake.options import size_in_bytes
from softwood.intake.parts.sources import MEMORY
from softwood.learners.hard.gathered_rows import needed_bytes
from tests.intake.batch_tables import INPUTS, SMALL, pieces, table_of

HOW = {"max_bins": 32, "missing": "direction", "min_samples_leaf": 5, "max_leaves": 20}
CASES: list[tuple[Any, str, dict[str, Any]]] = [
    (CARTRegressor, "y", {}),
    (CARTRegressor, "y", {"max_leaves": None, "max_depth": 4}),
    (CARTRegressor, "y", {"monotonic_cst": {"a": 1}}),
    (CARTRegressor, "y", {"missing": "category", "min_impurity_decrease": 0.001}),
    (CARTClassifier, "two", {}),
    (CARTClassifier, "two", {"class_weight": "balanced", "criterion": "entropy"}),
    (CARTClassifier, "three", {"costs": {(0, 2): 5.0}}),
    (CARTClassifier, "three", {"priors": [0.2, 0.2, 0.6], "max_bins": None}),
]


def assert_same_tree(ours: Any, theirs: Any) -> None:
    for name in ("first_child", "feature", "threshold", "group_begin", "group", "missing", "default"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for name in ("response", "count", "impurity", "gain"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9, err_msg=name)
    assert ours.schema == replace(theirs.schema, target=ours.schema.target)  # a column of an Arrow table has no name


@pytest.mark.fewer(6)
@pytest.mark.parametrize(("kind", "target", "how"), CASES)
@pytest.mark.parametrize("weight", [None, "w"])
def test_the_unpruned_tree_is_that_of_memory(kind: Any, target: str, how: dict[str, Any], weight: str | None) -> None:
    table = table_of()
    options = {**HOW, **how, "prune": None}
    source = Batches(pieces(table), memory=SMALL, columns=INPUTS)
    batched = kind(**options).fit(source, target, sample_weight=weight)
    bins = options["max_bins"] or 256
    weights = None if weight is None else table[weight]
    memory = kind(**{**options, "max_bins": bins}).fit(table.select(INPUTS), table[target], sample_weight=weights)
    assert memory.tree_.n_nodes > 5
    assert_same_tree(batched.tree_, memory.tree_)


@pytest.mark.parametrize(("kind", "target", "how"), CASES)
def test_rows_that_fit_in_memory_give_the_tree_of_histograms(kind: Any, target: str, how: dict[str, Any]) -> None:
    table, options = table_of(), {**HOW, **how, "prune": None}
    assert needed_bytes(len(table), len(INPUTS)) > size_in_bytes("memory", SMALL)  # from histograms
    gathered, counted = (
        kind(**options).fit(Batches(pieces(table), memory=memory, columns=INPUTS), target) for memory in (MEMORY, SMALL)
    )
    assert_same_tree(gathered.tree_, counted.tree_)


@pytest.mark.parametrize("prune", ["validation", "reduced_error"])
def test_validation_rows_prune_as_in_memory(prune: str) -> None:
    table, held = table_of(), table_of(800, seed=1)
    rows = {"X_val": held.select(INPUTS), "y_val": held["two"]}
    batched = CARTClassifier(**HOW, prune=prune).fit(Batches(pieces(table), columns=INPUTS), "two", **rows)
    memory = CARTClassifier(**HOW, prune=prune).fit(table.select(INPUTS), table["two"], **rows)
    assert 1 < memory.tree_.n_nodes < memory.pruning_sequence_.tree.n_nodes
    assert_same_tree(batched.tree_, memory.tree_)


@pytest.mark.parametrize(
    ("few", "by"), [pytest.param(100_000, "by cross-validation", marks=pytest.mark.long), (1000, "on validation rows")]
)
def test_folds_by_content_prune_to_about_the_size_of_memory(few: int, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("softwood.learners.hard.batched_cart.ALL_FOLDS_MAX_ROWS", few)
    table, fresh = table_of(4000), table_of(4000, seed=1)
    how = {**HOW, "max_leaves": 100, "min_samples_leaf": 1, "cv": 3}
    batched = CARTClassifier(**how).fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), "two")
    memory = CARTClassifier(**how).fit(table.select(INPUTS), table["two"])
    assert batched.held_out_["by"] == by
    assert batched.tree_.n_nodes < batched.pruning_sequence_.tree.n_nodes
    scores = [model.score(fresh.select(INPUTS), fresh["two"].to_pylist()) for model in (batched, memory)]
    assert abs(scores[0] - scores[1]) < 0.03
    assert abs(batched.held_out_["value"] - (1 - scores[0])) < 0.03
    backwards = table.take(np.arange(len(table))[::-1])
    again = CARTClassifier(**how).fit(Batches(pieces(backwards, 401), memory=SMALL, columns=INPUTS), "two")
    assert_same_tree(again.tree_, batched.tree_)


def test_a_fit_of_cart_goes_on_where_it_was(tmp_path: Path) -> None:
    table, walked, stop = table_of(), [], [4]

    def read() -> Any:
        walked.append(1)
        if len(walked) == stop[0]:
            raise KeyboardInterrupt
        yield from pieces(table)()

    source = Batches(read, memory=SMALL, columns=INPUTS, checkpoint=tmp_path / "fit.journal")
    with pytest.raises(KeyboardInterrupt):
        CARTRegressor(**HOW).fit(source, "y")
    stop[0] = -1
    again = CARTRegressor(**HOW).fit(source, "y")
    assert len(walked) == 4 + 2  # the first pass, and that which puts rows into bins
    assert not (tmp_path / "fit.journal").exists()
    assert_same_tree(
        again.tree_, CARTRegressor(**HOW).fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), "y").tree_
    )


def test_what_needs_single_rows_says_so() -> None:
    source = Batches(pieces(table_of(200)), columns=INPUTS)
    for criterion in ("absolute_error", "poisson", "quantile", "huber"):
        with pytest.raises(ValueError, match=f"criterion='{criterion}' needs individual rows"):
            CARTRegressor(criterion=criterion).fit(source, "y")
    with pytest.raises(ValueError, match="missing='fraction' needs individual rows"):
        CARTRegressor(missing="fraction").fit(source, "y")
    with pytest.raises(ValueError, match="cv must be a number of folds for batched input"):
        CARTRegressor(cv=[([0], [1])]).fit(source, "y")
    with pytest.warns(UserWarning, match="missing values of b, colour go to the side of the larger gain"):
        CARTRegressor().fit(source, "y")


def test_one_class_and_a_constant_target() -> None:
    X = np.arange(40.0).reshape(20, 2)
    assert CARTClassifier().fit(Batches([(X, ["only"] * 20)])).tree_.n_nodes == 1
    assert CARTRegressor().fit(Batches([(X, np.full(20, 3.0))])).predict([[1.0, 2.0]]).tolist() == [3.0]
