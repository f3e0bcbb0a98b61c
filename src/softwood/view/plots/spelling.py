"""Short spellings of numbers and predictions on pictures."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.tree.spelling import spell_fixed, spell_number
from softwood.view.plots.scene import Scene


def spell_answers(scene: Scene, mean: Floats) -> str:
    """`virginica 0.98`, `152`."""
    if scene.classes:
        best = int(scene.tree.schema.decide(mean[None])[0])
        label = scene.labels[best]
        label = f"class {label}:" if label[:1].isdigit() else label  # two numbers without names mean little
        return f"{label} {spell_fixed(float(mean[best]), 2)}"
    return ", ".join(short_number(float(value)) for value in mean)


def short_number(value: float) -> str:
    """Three or so significant digits."""
    if not np.isfinite(value) or value == 0:
        return spell_number(value)
    if not 1e-4 < abs(value) < 1e6:
        return spell_number(value)
    return spell_fixed(value, max(0, 2 - int(np.floor(np.log10(abs(value))))))


def per_cent(part: float) -> str:
    """Whole per cent, with < 1 % and > 99 %."""
    return "<1%" if 0 < part < 0.005 else ">99%" if 0.995 < part < 1 else f"{100 * part:.0f}%"
