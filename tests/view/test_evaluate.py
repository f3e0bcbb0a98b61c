"""The equation in JavaScript is the equation in Python, over random trees of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softwood import Tree
from softwood.formats.json import to_json
from softwood.kernels.kinds import Link
from softwood.tree.spelling import spell_number
from tests.strategies import random_joined, random_rows, random_tree

HERE = Path(__file__).parent
KINDS: list[dict[str, bool]] = [{}, {"hard": True}, {"smooth": True}]
N_TREES, N_MEANS, N_ROWS = 240, 12, 40


def numbers(nested: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    ends = {None: np.nan, "inf": np.inf, "-inf": -np.inf}
    return np.array([[ends.get(value, value) if not isinstance(value, float | int) else value for value in row]
                     for row in nested], np.float64)  # fmt: skip


def as_json(X: np.ndarray[Any, np.dtype[np.float64]]) -> list[list[Any]]:
    return [[None if np.isnan(x) else x if np.isfinite(x) else "inf" if x > 0 else "-inf" for x in row] for row in X]


@pytest.fixture(scope="module")
def cases() -> list[tuple[Tree, Any]]:
    trees = [random_tree(seed, seed % 13, **KINDS[seed % 3]) for seed in range(N_TREES)]
    for seed in range(5, N_TREES, 11):  # of every kind
        if trees[seed].n_answers == trees[seed].n_outputs:
            trees[seed] = trees[seed].replace(link=Link.LOG)
    trees += [random_joined(seed, **KINDS[seed % 3]) for seed in range(N_MEANS)]
    return [(tree, random_rows(seed + 1, N_ROWS)) for seed, tree in enumerate(trees)]


def test_javascript_equals_python_on_trees_of_every_kind(
    cases: list[tuple[Tree, Any]], node: Callable[..., str], tmp_path: Path
) -> None:
    stored = [{"model": json.loads(to_json(tree)), "rows": as_json(X)} for tree, X in cases]
    (tmp_path / "cases.json").write_text(json.dumps(stored), encoding="utf-8")
    answers = json.loads(node(HERE / "evaluate_rows.mjs", tmp_path / "cases.json"))
    assert len(answers) == N_TREES + N_MEANS
    with np.errstate(invalid="ignore", over="ignore"):
        for (tree, X), told in zip(cases, answers, strict=True):
            wanted = {"reach": tree.reach(X), "output": tree.output(X), "answer": tree.predict(X)}
            for name, value in wanted.items():
                np.testing.assert_allclose(numbers(told[name]), value, rtol=1e-9, atol=1e-9, err_msg=name)


def test_the_modules_pass_their_own_tests(node: Callable[..., str]) -> None:
    said = node("--test", *sorted(HERE.glob("*.test.mjs")))
    assert "# fail 0" in said
    assert "# skipped 0" in said


def test_javascript_spells_numbers_as_python_does(node: Callable[..., str]) -> None:
    rng = np.random.default_rng(0)
    values = [*(rng.normal(size=400) * 10.0 ** rng.integers(-8, 18, 400)), 0.0, 1.0, -3.0, 1e-4, 1e15, 0.5, 1234.5]
    values = [value for value in values if value == float(f"{value:.6g}") or abs(value * 1000 % 1 - 0.5) > 1e-6]
    program = """
        const { spellNumber } = await import(new URL("spell.js", process.env.SOFTWOOD_VIEWER));
        process.stdout.write(JSON.stringify(JSON.parse(process.argv[1]).map((value) => spellNumber(value))));
    """
    told = json.loads(node("--input-type=module", "-e", program, json.dumps(values)))
    assert told == [spell_number(value) for value in values]
