"""Output of `verbose`: lines, log records, a bar on a terminal; and the notice for long fits."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import numpy as np
import pytest

from softwood import BuddingTreeRegressor, CARTRegressor, SoftTreeClassifier, SoftTreeRegressor
from softwood.estimators.base import progress
from softwood.parts import messages
from tests.warm_process import WarmProcess

X = np.random.default_rng(0).normal(size=(80, 2))
Y = np.tanh(3 * X[:, 0]) + X[:, 1]
QUICK: dict[str, Any] = {"weight_penalty": 0.01, "max_leaves": 3}


@pytest.mark.parametrize("kind", [CARTRegressor, SoftTreeRegressor, BuddingTreeRegressor])
@pytest.mark.parametrize("verbose", [-1, 3, 1.0, "yes", None])
def test_verbose_is_a_whole_number(kind: Any, verbose: Any) -> None:
    with pytest.raises(ValueError, match=r"verbose must be 0, 1 or 2 \(False is 0, True is 1\), got"):
        kind(verbose=verbose).fit(X, Y)


def test_true_and_false_are_one_and_zero(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for verbose in (True, 1, False, 0):
        SoftTreeRegressor(verbose=verbose, **QUICK).fit(X, Y)
        shown.append([line.split("; took")[0] for line in capsys.readouterr().out.splitlines()])
    assert shown[0] == shown[1] != []
    assert shown[2] == shown[3] == []


def test_two_shows_more_than_one(capsys: pytest.CaptureFixture[str]) -> None:
    lines = []
    for verbose in (1, 2):
        SoftTreeRegressor(verbose=verbose, **QUICK).fit(X, Y)
        lines.append(capsys.readouterr().out.splitlines())
    few, many = lines
    assert few[0] == many[0] == "engine: memory"
    assert len(many) > len(few) == 2
    assert few[1].startswith(f"soft tree: {len(many) - 2} tried, lowest loss ")


def test_a_log_has_the_lines_whole_and_nothing_is_printed(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    with caplog.at_level(logging.INFO, "softwood"):
        SoftTreeRegressor(verbose=2, **QUICK).fit(X, Y)
    assert capsys.readouterr() == ("", "")
    assert {record.name for record in caplog.records} == {"softwood"}
    assert any("leaves, 2 inputs, penalty 0.01" in line for line in caplog.messages)
    assert not any("\n" in line for line in caplog.messages)


def test_a_logger_with_a_level_of_its_own_decides(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.WARNING, "softwood"):
        SoftTreeRegressor(verbose=2, **QUICK).fit(X, Y)
    assert capsys.readouterr().out == ""
    assert caplog.messages == []
    messages.say(1, "a handler that takes warnings alone")
    assert capsys.readouterr().out == "a handler that takes warnings alone\n"


def test_lines_in_a_file_are_not_broken(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    SoftTreeRegressor(verbose=2, **QUICK).fit(X, Y)
    starts = ("engine", "soft tree", "linear gates", "additive gates", "unpenalized", "curves", "axis", "quadratic")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) > 60
    assert all(line.startswith(starts) for line in lines)


def test_a_terminal_has_a_bar_with_the_time_left() -> None:
    program = (
        "import numpy as np; from softwood import SoftTreeRegressor;"
        "X = np.random.default_rng(0).normal(size=(300, 3));"
        "SoftTreeRegressor(verbose=1).fit(X, np.tanh(3 * X[:, 0]) * X[:, 1])"
    )
    above, below = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with WarmProcess([sys.executable, "-c", program], stdout=below, stderr=below, env=environment) as process:
        os.close(below)
        shown = b""
        while True:
            try:
                part = os.read(above, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
    os.close(above)
    assert process.returncode == 0, shown.decode()
    assert "tried, lowest loss" in shown.decode()
    assert " left" in shown.decode()


@pytest.mark.parametrize(("kind", "y"), [(SoftTreeClassifier, Y[:40] > 0), (BuddingTreeRegressor, Y[:40])])
def test_a_long_fit_says_so_once_and_on_a_terminal_alone(
    kind: Any, y: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_has_noticed", False)
    kind().fit(X[:40], y)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "NOTICE_SECONDS", 0.0)
    kind().fit(X[:40], y)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "is_terminal", lambda stream=None: True)
    kind().fit(X[:40], y)
    kind().fit(X[:40], y)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("softwood: this fit will take about ")
    assert line.endswith("; verbose=1 shows how far it is.")
