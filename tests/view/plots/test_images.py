"""Some pictures, compared with those that were looked at.

Fonts are rasterised a little differently by every version of matplotlib, so means over squares of eight pixels are
compared. `SOFTWOOD_REGENERATE=1 pytest tests/view/plots` rewrites the pictures: look at them before you commit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib import image

import softwood
from softwood.view import plots
from tests.view.plots import scenes

PICTURES = Path(__file__).parent / "pictures"
SQUARE = 8
ALIKE = 0.005  # mean difference of the squares, where black and white differ by 1


def draw_hard() -> Any:
    return plots.plot_tree(scenes.hard_iris(), *scenes.iris_rows())


def draw_soft() -> Any:
    return plots.plot_tree(scenes.soft_iris(), *scenes.iris_rows())


def draw_gate() -> Any:
    return plots.plot_gate(scenes.soft_iris(), *scenes.iris_rows())


def draw_plane() -> Any:
    return plots.plot_surface(scenes.soft_iris(), *scenes.iris_rows())


def draw_curve() -> Any:
    return plots.plot_surface(*scenes.curve_of_numbers())


def draw_categories() -> Any:
    return plots.plot_tree(*scenes.with_categories())


def draw_row() -> Any:
    return plots.plot_row(scenes.soft_iris(), *scenes.iris_rows(), row=75)


def draw_reasons() -> Any:
    return plots.plot_reasons(softwood.explain(scenes.soft_iris(), scenes.iris_rows()[0]), 75)


def draw_curves() -> Any:
    return plots.plot_curves(scenes.soft_iris(), *scenes.iris_rows())


DRAWN: dict[str, Callable[[], Any]] = {
    "hard": draw_hard, "soft": draw_soft, "gate": draw_gate, "plane": draw_plane, "curve": draw_curve,
    "categories": draw_categories, "row": draw_row, "reasons": draw_reasons, "curves": draw_curves,
}  # fmt: skip


def pixels(path: Path) -> npt.NDArray[np.float64]:
    return np.asarray(image.imread(path)[:, :, :3], np.float64)


def difference(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Mean difference of squares; pictures of other sizes differ wholly."""
    if max(abs(a - b) for a, b in zip(one.shape, other.shape, strict=True)) > 2:
        return 1.0
    high, wide = (min(one.shape[i], other.shape[i]) // SQUARE for i in (0, 1))
    small = [
        picture[: high * SQUARE, : wide * SQUARE].reshape(high, SQUARE, wide, SQUARE, 3).mean(axis=(1, 3))
        for picture in (one, other)
    ]
    return float(np.abs(small[0] - small[1]).mean())


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_is_the_one_that_was_looked_at(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.png"
    DRAWN[name]().get_figure().savefig(path, dpi=60)
    if os.environ.get("SOFTWOOD_REGENERATE"):
        (PICTURES / path.name).write_bytes(path.read_bytes())
    assert difference(pixels(path), pixels(PICTURES / path.name)) < ALIKE


def test_the_comparison_tells_small_changes_apart(tmp_path: Path) -> None:
    path = tmp_path / "other.png"
    tree = scenes.hard_iris().replace(threshold=[4.0, np.nan, 1.0, np.nan, np.nan])
    plots.plot_tree(tree, *scenes.iris_rows()).get_figure().savefig(path, dpi=60)
    assert difference(pixels(path), pixels(PICTURES / "hard.png")) > ALIKE
