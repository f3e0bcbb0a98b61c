"""`softwood fit` detects types and task, reports them, and writes the same model as in Python."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from softwood import CARTClassifier, load
from softwood.cli.models import MODELS
from tests.cli.conftest import CHILD
from tests.warm_process import WarmProcess

INPUTS = ["age", "income", "town"]
QUICK = ["--target", "good", "--drop", "limit", "--folds", "0"]


def test_fit_says_what_it_found_and_writes_the_model(run: Any, people: pd.DataFrame) -> None:
    said = run("fit", "people.csv", "--target", "good", "--drop", "limit", "--model", "cart").stdout
    assert "rows     120\n" in said
    assert "target   good: 2 classes: no, yes\n" in said
    assert "inputs   age number (14 missing), income number, town category of 3\n" in said
    assert "dropped  name (text, another in every row)" in said
    assert "node  rule" in said
    assert re.search(r"error  0\.\d+ \(95 % interval 0\.\d+ to 0\.\d+\), 5-fold cross-validation", said)
    assert said.endswith("wrote  people.softwood\n")
    model = load("people.softwood")
    assert model.tree_ == CARTClassifier(random_state=0).fit(people[INPUTS], people.good).tree_
    assert model.tree_.schema.target == "good"


def test_columns_that_tell_nothing_are_dropped_with_a_message(run: Any, people: pd.DataFrame) -> None:
    day = pd.Series(pd.date_range("2020-01-01", periods=120)).dt.date
    more = people.assign(
        customer_id=range(500, 620), day=day, country="NO", empty=None, half=np.where(day.index < 60, 1, None)
    )
    more.to_csv("more.csv", index=False)
    said = run("fit", "more.csv", *QUICK, "--model", "cart").stdout
    assert "half number (60 missing)" in said  # one value, but not in every row
    assert (
        "dropped  name (text, another in every row); day (a date: convert it to a number, such as a year); "
        "country, empty (the same in every row)\n"
    ) in said
    assert "check    customer_id: a different integer in every row; --drop columns that only identify rows\n" in said
    assert load("more.softwood").tree_.schema.features == (*INPUTS, "customer_id", "half")
    assert "check  " not in run("fit", "people.csv", *QUICK, "--model", "cart").stdout


def test_fewer_rows_than_folds_are_held_out_one_by_one(run: Any) -> None:
    Path("few.csv").write_text("x,y\n1,2.5\n2,3.5\n3,4.5\n")
    assert "3-fold cross-validation" in run("fit", "few.csv", "--target", "y", "--model", "cart").stdout


def test_a_terminal_is_not_overrun(folder: Path) -> None:
    words = ["fit", "people.csv", "--target", "good", "--drop", "limit", "--model", "cart", "--max-depth", "3"]
    shown = {}
    for command in (words, ["inspect", "people.softwood"], ["compare", *words[1:6], "--models", "omnivariate,cart"]):
        parent, child = pty.openpty()
        termios.tcsetwinsize(child, (24, 80))
        with WarmProcess(
            [sys.executable, "-m", "softwood", *command], stdout=child, stderr=subprocess.DEVNULL, env=CHILD
        ) as job:
            os.close(child)
            shown[command[0]] = read_all(parent)
        assert job.returncode == 0
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line.rstrip()) for text in shown.values() for line in text.splitlines()]
    assert [line for line in lines if len(line) > 80 and not line.startswith("Missing values use")] == []
    assert "omnivariate" in shown["compare"]


def read_all(terminal: int) -> str:
    told = b""
    with suppress(OSError):  # the other end was closed
        while more := os.read(terminal, 4096):
            told += more
    os.close(terminal)
    return told.decode()


def test_every_parameter_is_an_option_of_its_name(run: Any, people: pd.DataFrame) -> None:
    words = ["--model", "cart", "--max-depth", "2", "--criterion=entropy", "--no-one-se", "--costs", "[[0, 1], [5, 0]]"]
    run("fit", "people.csv", *QUICK, *words, "--seed", "3")
    model = load("people.softwood")
    told = {name: model.get_params()[name] for name in ("max_depth", "criterion", "one_se", "costs", "random_state")}
    assert told == {
        "max_depth": 2, "criterion": "entropy", "one_se": False, "costs": [[0, 1], [5, 0]], "random_state": 3,
    }  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_every_model_lists_its_options(run: Any, name: str) -> None:
    said = run("fit", "people.csv", "--model", name, "--options").stdout
    assert "--n_jobs" in said
    assert MODELS[name][2] in said


def test_numbers_are_regression_and_few_whole_ones_are_classes(run: Any, people: pd.DataFrame) -> None:
    words = ["--model", "cart", "--folds", "3", "--json"]
    told = json.loads(run("fit", "people.csv", "--target", "limit", *words).stdout)
    assert (told["task"], told["estimator"]) == ("regression", "CARTRegressor")
    error = told["error"]
    assert error["measure"] == "RMSE"
    assert error["low"] < error["value"] < error["high"] < people.limit.std()
    people.assign(rank=np.arange(120) % 3).to_csv("ranked.csv", index=False)
    ranked = ["fit", "ranked.csv", "--target", "rank", "--model", "cart", "--folds", "0", "--json"]
    assert json.loads(run(*ranked).stdout)["task"] == "classification"
    assert json.loads(run(*ranked, "--task", "regression").stdout)["task"] == "regression"


def test_auto_says_which_it_chose_and_why(run: Any) -> None:
    told = run("fit", "people.csv", "--target", "good", "--drop", "limit").stdout
    assert re.search(r"model  (cart|soft), chosen by auto \(error: cart [\d.]+, soft [\d.]+\)", told)


def test_a_pipe_gives_the_model_of_the_file(run: Any, folder: Path) -> None:
    run("fit", "people.csv", *QUICK, "--model", "cart")
    run("fit", "-", *QUICK, "--model", "cart", "--out", "piped.softwood", stdin=Path("people.csv").read_bytes())
    assert Path("piped.softwood").read_bytes() == Path("people.softwood").read_bytes()


def test_rows_without_a_target_are_dropped_with_a_message(run: Any, people: pd.DataFrame) -> None:
    people.assign(good=people.good.where(people.index >= 7)).to_csv("gaps.csv", index=False)
    said = run("fit", "gaps.csv", *QUICK, "--model", "cart").stdout
    assert "rows     113 of 120; the others have no good" in said
    again = CARTClassifier(random_state=0).fit(people[INPUTS][7:], people.good[7:])
    assert load("gaps.softwood").tree_ == again.tree_


def test_a_row_of_weight_two_is_the_row_twice(run: Any, people: pd.DataFrame) -> None:
    twice = pd.concat([people, people[:30]])
    people.assign(times=np.where(people.index < 30, 2, 1)).to_csv("weighed.csv", index=False)
    twice.drop(columns="name").to_csv("twice.csv", index=False)
    words = ["--target", "good", "--drop", "limit", "--model", "cart", "--folds", "4", "--json"]
    weighed = json.loads(run("fit", "weighed.csv", *words, "--weight", "times").stdout)
    copied = json.loads(run("fit", "twice.csv", *words).stdout)
    assert load("weighed.softwood").tree_ == load("twice.softwood").tree_
    assert weighed["error"]["value"] == pytest.approx(copied["error"]["value"], abs=1e-12)


def test_the_order_of_rows_does_not_matter_to_tree_and_error(run: Any, people: pd.DataFrame) -> None:
    words = ["--target", "good", "--drop", "limit", "--model", "cart", "--json"]
    people.sample(frac=1, random_state=1).to_csv("mixed.csv", index=False)
    first, second = (json.loads(run("fit", name, *words).stdout) for name in ("people.csv", "mixed.csv"))
    assert load("people.softwood").tree_ == load("mixed.softwood").tree_
    assert first["error"] == second["error"]


def test_what_is_stopped_leaves_no_file(folder: Path, people: pd.DataFrame) -> None:
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(30_000, 10))).assign(y=rng.integers(0, 2, 30_000)).to_csv("long.csv", index=False)
    # A shell's background jobs, and so these tests run as one, ignore SIGINT; the command is as a person starts it.
    hearing = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import runpy; "
    code = f"{hearing}runpy.run_module('softwood', run_name='__main__', alter_sys=True)"
    line = [sys.executable, "-c", code, "fit", "long.csv", "--target", "y", "--model", "soft"]
    with WarmProcess(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CHILD, text=True) as job:
        assert job.stdout is not None
        for text in job.stdout:
            if text.startswith("inputs"):  # it has read the rows and begins to learn
                break
        job.send_signal(signal.SIGINT)
        _, said = job.communicate(timeout=60)
    assert job.returncode == 130, said
    assert said == "softwood: stopped; no incomplete file was written.\n"
    assert sorted(path.name for path in folder.iterdir()) == ["long.csv", "people.csv"]
