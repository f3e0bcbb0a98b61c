"""The ablation harness: tables, steps left out, verdicts, and resumed runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bench.ablation import run
from bench.ablation.report import judge, to_text
from bench.ablation.shaken import shake, spreads
from bench.ablation.shaken import to_text as spread_text
from bench.ablation.substitutes import ADDED, LEFT_OUT, find, substituted
from bench.ablation.tables import NOISE, SURFACES, make_rows, sample, tables
from bench.ablation.variants import STEPS, VARIANTS


def test_there_are_sixty_tables_where_the_data_are() -> None:
    assert len(SURFACES) * len(NOISE) * 2 == 48
    assert 48 + 30 + 4 >= 60
    assert len(tables()) >= 48


def test_made_rows_are_the_same_again_and_a_seed_draws_others() -> None:
    once, again = make_rows("local", "much", True, 0), make_rows("local", "much", True, 0)
    np.testing.assert_array_equal(once[0], again[0])
    np.testing.assert_array_equal(once[1], again[1])
    first, second = (sample((once, True), 100, seed) for seed in (0, 1))
    assert len(first.X) == 100
    assert not np.array_equal(first.X, second.X)
    assert not set(map(tuple, first.X)) & set(map(tuple, first.X_test))


def test_a_variant_leaves_out_its_step_alone() -> None:
    model = VARIANTS["without try_axis_gates"].make(False, 0)
    steps = model._joint().steps
    assert [name for name in STEPS if not getattr(steps, name)] == ["try_axis_gates"]
    assert all(getattr(VARIANTS["default"].make(True, 0)._joint().steps, name) for name in STEPS)


def made(table: str, seed: int, variant: str, error: float, seconds: float = 1.0) -> dict[str, str]:
    return {"table": table, "rows": "600", "seed": str(seed), "variant": variant, "error": str(error),
            "log_loss": "nan", "seconds": str(seconds)}  # fmt: skip


def test_a_step_is_judged_by_standard_errors_time_and_spread() -> None:
    runs = []
    for i in range(8):
        for seed in range(3):
            table, error = f"t{i}", 0.2 + 0.01 * seed
            runs += [
                made(table, seed, "default", error),
                made(table, seed, "halved", 0.5 * error),
                made(table, seed, "shaky", 0.5 * error * (1.0 + seed)),
                made(table, seed, "quicker", error * (1.01 if i % 2 else 0.99), 0.5),
                made(table, seed, "bad", 1.2 * error),
            ]
    verdict = {each.variant: each for each in judge(runs)}
    assert verdict["halved"].ratio == pytest.approx(0.5)
    assert verdict["halved"].word == "better"
    assert verdict["shaky"].word == "better, but less steady"
    assert verdict["quicker"].word == "the same, and saves time"
    assert verdict["bad"].word == "worse"
    assert "| halved | 8 | 0.500 ± 0.000 |" in to_text(runs)


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOFTWOOD_DATA", raising=False)
    file, begun = tmp_path / "ablation.csv", []
    measure = run.measure
    monkeypatch.setattr(run, "measure", lambda *args: begun.append(args[0]) or measure(*args))
    asked = ["ablation", "--rows", "60", "--tables", "1", "--variants", "quick", "--results", str(file)]
    monkeypatch.setattr(sys, "argv", [*asked, "--seeds", "1"])
    run.main()
    run.main()
    assert len(begun) == 1
    monkeypatch.setattr(sys, "argv", [*asked, "--seeds", "2"])
    run.main()
    assert len(begun) == 2
    lines = run.known_runs(file)
    assert [line["seed"] for line in lines] == ["0", "1"]
    assert all(0 <= float(line["error"]) < 2 for line in lines)
    assert all(line["processor"] for line in lines)


def test_a_substitute_stands_while_its_variant_is_fitted_and_not_longer() -> None:
    for name, places in (LEFT_OUT | ADDED).items():
        standing = {where: getattr(*find(where)) for where in places}
        with substituted((name,)):
            assert all(getattr(*find(where)) is not before for where, before in standing.items()), name
        assert all(getattr(*find(where)) is before for where, before in standing.items()), name


def test_a_substitute_changes_what_is_learned() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    spreads = []
    for name in ("default", "without linear gates"):
        with substituted(VARIANTS[name].substituted):
            kinds = VARIANTS[name].make(False, 0).fit(X, y).history_
        spreads.append({kind["gate"] for kind in kinds})
    assert "linear" in spreads[0]
    assert "linear" not in spreads[1]


@pytest.mark.parametrize("names", [LEFT_OUT, ADDED], ids=["left out", "added"])
def test_the_learner_goes_through_all_substitutes(names: dict[str, object]) -> None:
    """A name inside the learner that was changed would end hours of runs in the middle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    with substituted(tuple(names)):
        assert VARIANTS["default"].make(False, 0).fit(X, X[:, 0] > 0).tree_.n_nodes


def test_variants_may_be_compared_with_another_than_the_default() -> None:
    runs = [made(f"t{i}", 0, name, error) for i in range(3) for name, error in (("one node", 0.4), ("evidence", 0.2))]
    assert judge(runs) == []
    assert [(each.variant, round(each.ratio, 6)) for each in judge(runs, "one node")] == [("evidence", 0.5)]


def test_shaken_rows_are_the_same_but_for_what_is_shaken() -> None:
    rows = sample((make_rows("local", "much", True, 0), True), 200, 0)
    assert shake(rows, "seeds", 1) is rows
    moved = shake(rows, "columns", 1)
    assert list(moved.X.columns) == list(moved.X_test.columns) != sorted(moved.X.columns)
    np.testing.assert_array_equal(moved.X[sorted(moved.X.columns)].to_numpy(), rows.X)
    noisy, fewer = shake(rows, "noise", 1), shake(rows, "rows", 1)
    assert not np.array_equal(noisy.X, rows.X)
    np.testing.assert_allclose(noisy.X, rows.X, rtol=1e-8)
    assert len(fewer.X) == len(fewer.y) == 198
    assert set(map(tuple, fewer.X)) < set(map(tuple, rows.X))
    assert all(one.X_test.shape == rows.X_test.shape for one in (moved, noisy, fewer))


def test_spreads_are_of_one_table_and_one_way_to_shake() -> None:
    runs = [made("t", seed, "default", error) | {"shaken": "noise"} for seed, error in enumerate((0.1, 0.2))]
    runs += [made("u", seed, "default", 0.1) | {"shaken": "noise"} for seed in range(2)]
    runs += [made("t", 0, "default", 0.3) | {"shaken": "rows"}, made("t", 1, "default", 0.5)]
    (found,) = spreads(runs)
    assert (found.variant, found.shaken, found.steady) == ("default", "noise", 1)
    assert found.tables == pytest.approx({"t": np.log(2) / np.sqrt(2), "u": 0.0})
    assert "| default | noise | 2 | 0.245 | 1 | t 0.490, u 0.000 |" in spread_text(runs)


def test_the_yardstick_is_shaken_beside_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOFTWOOD_DATA", raising=False)
    file = tmp_path / "shaken.csv"
    asked = ["ablation", "--rows", "60", "--tables", "1", "--seeds", "2", "--results", str(file)]
    monkeypatch.setattr(sys, "argv", [*asked, "--variants", "quick,LightGBM", "--shaken", "columns,rows"])
    run.main()
    lines = run.known_runs(file)
    assert len(lines) == 8
    assert len({line["error"] for line in lines if (line["variant"], line["shaken"]) == ("quick", "columns")}) == 1
