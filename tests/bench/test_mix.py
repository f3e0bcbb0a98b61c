"""The page on the cost of mixing probabilities agrees with the runs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bench.mix import HEAD, MIXES, PAGE, RESULTS, calibration_error, to_markdown
from bench.pages import lay_out


def test_the_page_is_made_of_the_runs() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert {key.split("/")[2] for key in results} == set(MIXES)
    assert len({key.split("/")[0] for key in results}) == 20
    assert PAGE.read_text(encoding="utf-8") == lay_out(HEAD, to_markdown(results))


def test_an_answer_that_comes_true_as_often_as_it_says_is_calibrated() -> None:
    assert calibration_error(np.full(1000, 0.8), np.tile([1.0] * 4 + [0.0], 200)) == pytest.approx(0.0, abs=1e-12)
    assert calibration_error(np.full(50, 0.75), np.ones(50)) == 0.25
