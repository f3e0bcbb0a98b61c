"""The equality script: hashes detect one bit, comparisons report differences, new fields do not count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import softwood
from bench.equality import __main__ as script
from bench.equality import hashes, models
from bench.equality.compare import compare
from bench.equality.tables import TABLES


@dataclass(frozen=True)
class Stub:
    """A fitted model for the script."""

    tree_: Any

    def predict(self, X: Any) -> Any:
        return self.tree_.predict(X)


def stump() -> Any:
    return models.fit("CART best first", TABLES["friedman"]()).tree_


def test_there_are_twelve_tables_of_every_kind() -> None:
    tables = [make() for make in TABLES.values()]
    assert len(tables) == 12
    for has in (
        [table.is_classes for table in tables],
        [bool(table.categories) for table in tables],
        [bool(np.isnan(table.X).any()) for table in tables],
        [table.weight is not None for table in tables],
        [table.y.ndim == 2 for table in tables],
    ):
        assert 0 < sum(has) < 12


def test_every_estimator_takes_part() -> None:
    table = TABLES["iris"]()
    fitted = {kind for kind, _ in {**models.BOTH, **models.CLASSES_ONLY, **models.NUMBERS_ONLY}.values()}
    public = {name.removesuffix("Classifier") for name in softwood.__all__ if name.endswith("Classifier")}
    assert fitted == public - {"Softened"}  # what `soften` returns
    assert set(models.SOFTENED) < set(models.names_for(table))


def test_one_bit_is_seen_and_told() -> None:
    tree, X = stump(), TABLES["friedman"]().X
    threshold = tree.threshold.copy()
    threshold[0] = np.nextafter(threshold[0], np.inf)
    old, new = (hashes.hash_model(Stub(one), X) for one in (tree, tree.replace(threshold=threshold)))
    found = compare({"data": {"model": old}}, {"data": {"model": new}})
    assert not found.is_equal
    assert found.differ == {"data, model": ["threshold"]}
    assert compare({"data": {"model": old}}, {"data": {"model": dict(old)}}).is_equal


def test_new_fields_are_told_and_do_not_count_but_lost_ones_do() -> None:
    old, new = {"d": {"m": {"a": "1"}}}, {"d": {"m": {"a": "1", "b": "2"}}}
    assert compare(old, new).is_equal
    assert any("new field: b" in line for line in compare(old, new).lines())
    assert compare(new, old).differ == {"d, m": ["b (gone)"]}


def test_what_one_run_lacks_is_not_equal() -> None:
    tree, refused = {"a": "1"}, {"error": "TypeError: no such parameter"}
    assert not compare({"d": {"m": refused}}, {"d": {"m": tree}}).is_equal
    assert not compare({"d": {}}, {"d": {"m": tree}}).is_equal
    assert compare({"d": {"m": refused}}, {"d": {"m": dict(refused)}}).is_equal


def test_a_saved_run_is_compared(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(hashes, "TABLES", {"iris": TABLES["iris"]})
    names = ["CART", "C4.5", "CART annealed"]
    monkeypatch.setattr(models, "names_for", lambda table: names)
    file = tmp_path / "hashes.json"
    assert script.main(["--save", str(file), "--jobs", "1"]) == 0
    assert script.main(["--against", str(file), "--jobs", "1"]) == 0
    assert "3 trees are equal, 0 differ" in capsys.readouterr().out
    other = replace(TABLES["iris"](), weight=np.arange(150.0))
    monkeypatch.setattr(hashes, "TABLES", {"iris": lambda: other})
    assert script.main(["--against", str(file), "--jobs", "1"]) == 1
    assert "differs: iris, CART: " in capsys.readouterr().out
