"""`softwood compare` tests all models on the same folds and says which to pick."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from softwood import CARTClassifier, load
from softwood.cli.compare import Compared, pick
from softwood.cli.measure import HeldOutLosses
from softwood.cli.models import models_for


def compared(name: str, losses: list[float], nodes: int) -> Compared:
    rows = np.arange(len(losses))
    return Compared(
        name, HeldOutLosses("error", np.array(losses), np.ones(len(losses)), rows, "by hand"), nodes, 1, 0.1
    )


def test_the_table_has_every_model_and_says_which_to_pick(run: Any) -> None:
    words = ["people.csv", "--target", "good", "--drop", "limit", "--models", "cart,c45,ldt", "--folds", "3"]
    told = json.loads(run("compare", *words, "--json").stdout)
    assert {row["model"] for row in told["models"]} == {"cart", "c45", "ldt"}
    errors = [row["error"]["value"] for row in told["models"]]
    assert errors == sorted(errors)
    assert told["pick"] in told["why"]
    said = run("compare", *words).stdout
    lines = [line.split() for line in said.splitlines()]
    assert [line for line in lines if line[:2] == ["*", told["pick"]]]
    assert said.endswith(f"{told['why']}\n")


def test_the_error_is_that_of_fit(run: Any) -> None:
    words = ["people.csv", "--target", "good", "--drop", "limit", "--folds", "3", "--json"]
    (row,) = json.loads(run("compare", *words, "--models", "cart").stdout)["models"]
    told = json.loads(run("fit", *words, "--model", "cart").stdout)
    assert row["error"] == told["error"]
    assert row["nodes"] == load("people.softwood").tree_.n_nodes


def test_the_smallest_of_equals_is_picked() -> None:
    best, worse = [0.0] * 90 + [1.0] * 10, [0.0] * 60 + [1.0] * 40
    alike = [1.0, *best[1:-1], 0.0]
    rows = [compared("soft", best, 15), compared("cart", alike, 3), compared("c45", worse, 1)]
    picked, why = pick(rows)
    assert picked.name == "cart"
    assert "with 3 nodes it is the smallest" in why
    assert pick([rows[0], rows[2]])[0].name == "soft"


def test_classes_have_all_models_and_numbers_those_that_learn_them() -> None:
    assert "c45" in models_for("classification")
    assert "c45" not in models_for("regression")


def test_wilson_interval_by_hand() -> None:
    tested = HeldOutLosses("error", np.array([1.0, 0.0, 0.0, 0.0]), np.ones(4), np.arange(4), "by hand")
    z = 1.959964
    center, half = 0.25 + z * z / 8, z * np.sqrt(0.25 * 0.75 / 4 + z * z / 64)
    assert tested.interval == pytest.approx(
        (0.25, (center - half) / (1 + z * z / 4), (center + half) / (1 + z * z / 4))
    )


def test_held_out_rows_are_not_learned_from(run: Any, people: Any) -> None:
    """A name per row is useless for other rows: a model that saw all rows would make no error."""
    people.assign(noise=np.random.default_rng(1).permutation(np.arange(120) % 2)).to_csv("noise.csv", index=False)
    words = ["noise.csv", "--target", "noise", "--model", "cart", "--prune", "none", "--json"]
    told = json.loads(run("fit", *words).stdout)
    X, y = people[["age", "income", "town", "good", "limit"]], np.random.default_rng(1).permutation(np.arange(120) % 2)
    assert CARTClassifier(prune=None).fit(X, y).score(X, y) > 0.95
    assert told["error"]["value"] > 0.35
