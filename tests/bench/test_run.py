"""The runner: skips existing results, resumes after a kill, reports what it skips and what failed."""

from __future__ import annotations

import csv
import platform
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softwood
from bench.papers import experiment, methods, run
from bench.papers.progress import Progress, spell
from bench.papers.store import Result, Task, put, read_all, read_method

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two small sets: three classes with a rare one, and numbers."""
    folder = tmp_path / "data"
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    labels = np.where(X[:, 0] > 0, "a", "b")
    labels[:2] = "rare"
    for name, target in (("glass", labels), ("boston", 5 + 2 * X[:, 0] + 0.1 * rng.normal(size=120))):
        lines = [",".join([*(f"{cell:.4f}" for cell in row), str(t)]) for row, t in zip(X, target, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["x,y,z,target", *lines]) + "\n")
    return folder


def go(data: Path, results: Path, *more: str) -> int:
    return run.main(["--data", str(data), "--results", str(results), "--sets", "glass,BOS", *more])


def only(results: Path, task: Task) -> Result:
    """The row of a fit."""
    (found,) = (one for one in read_all(results) if one.task == task)
    return found


def test_every_fit_leaves_a_row_that_tells_all(data: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert go(data, results, "--methods", "cart,c45,scikit-learn", "--folds", "2") == 0
    assert sorted(path.name for path in results.iterdir()) == ["c45.csv", "cart.csv", "scikit-learn.csv"]
    assert len(list(read_all(results))) == 10  # C4.5 knows no regression
    told = only(results, Task(1, "cart", "boston"))
    assert (told.seed, told.rows, told.options) == (1, "half", "one_se=False prune='validation'")
    assert (told.accuracy, told.log_loss, told.brier) == (None, None, None)
    assert told.nodes == 2 * told.leaves - 1
    assert told.n_train + told.n_validation + told.n_test == 120
    assert told.mse is not None
    assert 0 < told.mse < 1
    with (results / "cart.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["set"], row["fold"]) for row in rows] == [
        ("boston", "0"),
        ("boston", "1"),
        ("glass", "0"),
        ("glass", "1"),
    ]
    assert rows[0]["processor"] == platform.machine()
    assert rows[0]["version"] == softwood.__version__
    assert rows[0]["commit"] == experiment.commit()


def test_what_is_done_is_not_done_again(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results"
    assert go(data, results, "--methods", "cart", "--folds", "1") == 0
    monkeypatch.setattr(experiment, "measure", lambda *_: pytest.fail("ran again"))
    assert go(data, results, "--methods", "cart", "--folds", "1") == 0
    assert "2 fits, 2 done already." in capsys.readouterr().out


def test_a_fit_of_other_options_is_run_again(data: Path, tmp_path: Path) -> None:
    results, ask = tmp_path / "results", ("--methods", "cart", "--folds", "1")
    assert go(data, results, *ask) == 0
    told = only(results, Task(0, "cart", "glass"))
    put(results, replace(told, options="prune='cv'", nodes=999))
    assert go(data, results, *ask) == 0
    again = only(results, told.task)
    assert (again.options, again.nodes, again.accuracy) == (told.options, told.nodes, told.accuracy)


def test_again_makes_results_anew(data: Path, tmp_path: Path) -> None:
    results, ask = tmp_path / "results", ("--methods", "cart", "--folds", "1")
    assert go(data, results, *ask) == 0
    told = only(results, Task(0, "cart", "glass"))
    put(results, replace(told, nodes=999))
    put(results, replace(told, fold=7))
    assert go(data, results, *ask, "--again") == 0
    assert only(results, told.task).nodes == told.nodes
    assert only(results, Task(7, "cart", "glass")) == replace(told, fold=7)  # was not asked for


@pytest.mark.long
def test_a_killed_run_goes_on_where_it_was(data: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    ask = ["--data", str(data), "--results", str(results), "--sets", "glass", "--methods", "forest", "--folds", "4"]
    process = subprocess.Popen([sys.executable, "-m", "bench.papers.run", *ask], cwd=ROOT, stdout=subprocess.DEVNULL)
    limit = time.monotonic() + 60
    while not read_method(results, "forest") and time.monotonic() < limit:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = read_method(results, "forest")
    assert 1 <= len(done) < 4
    assert run.main(ask) == 0
    found = read_method(results, "forest")
    assert len(found) == 4
    assert [one for one in found if one in done] == done  # their seconds, too: not run again


@pytest.mark.long
def test_two_jobs_give_what_one_gives(data: Path, tmp_path: Path) -> None:
    found = []
    for jobs in ("1", "2"):
        results = tmp_path / jobs
        assert go(data, results, "--methods", "cart,soft-incremental", "--folds", "1", "--jobs", jobs) == 0
        found.append([(one.task, one.nodes, one.mse, one.accuracy) for one in read_all(results)])
    assert found[0] == found[1]
    assert len(found[0]) == 4


def test_a_fit_that_fails_is_told_and_stops_no_other(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = methods.make

    def make(method: methods.Method, task: str, **more: Any) -> Any:
        if task == "regression":
            raise ArithmeticError("no numbers today")
        return real(method, task, **more)

    monkeypatch.setattr(methods, "make", make)
    assert go(data, tmp_path / "results", "--methods", "cart", "--folds", "1") == 1
    assert "failed: cart on boston, fold 0: ArithmeticError: no numbers today" in capsys.readouterr().err
    assert [one.set for one in read_all(tmp_path / "results")] == ["glass"]


def test_a_method_that_is_not_there_is_skipped_in_words(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = methods.Method("sequoia", "sequoia", "softwood.SequoiaClassifier")
    monkeypatch.setattr(methods, "METHODS", (absent, methods.BY_NAME["cart"]))
    assert go(data, tmp_path / "results", "--folds", "1") == 0
    assert "skipped: sequoia: softwood has no SequoiaClassifier." in capsys.readouterr().out


def test_unknown_names_are_refused_with_the_known_ones(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--data", str(data), "--methods", "bonsai"]) == 2
    assert "There is no method 'bonsai'; there are cart, c45" in capsys.readouterr().err
    assert run.main(["--data", str(data), "--sets", "glas"]) == 2
    assert "Did you mean 'glass'?" in capsys.readouterr().err


def test_quick_takes_only_small_sets() -> None:
    quick = run.find_sets([], quick=True)
    assert {"glass", "boston", "pima"} <= {entry.name for entry in quick} < {e.name for e in run.find_sets([])}
    assert [entry.task for entry in run.find_sets(["binary"])] == ["binary"] * 10


def test_a_plan_goes_fold_by_fold() -> None:
    tasks = run.plan(run.find_sets(["glass", "boston"]), methods.find_methods(["cart", "c45"]), 2)
    assert [task.fold for task in tasks] == [0, 0, 0, 1, 1, 1]


def test_time_left_follows_the_work_that_is_left() -> None:
    tasks = [Task(fold, "cart", "glass") for fold in range(4)]
    progress = Progress(tasks, jobs=2)
    line = progress.line(tasks[0], 10.0, "words")
    assert line == "[1/4] glass cart fold 0: words; about 15 s left"
    for task in tasks[1:]:
        progress.line(task, 10.0, "words")
    assert progress.seconds_left() == 0
    assert spell(7200) == "about 2.0 h"
