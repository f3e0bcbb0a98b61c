"""Scaling for streams: native where it is built, else reference/running_scale.py."""

from __future__ import annotations

from typing import Any

from softwood.kernels.backend import native
from softwood.kernels.reference import running_scale as reference
from softwood.kernels.reference.running_scale import Floats, Ints, ScaleRule, place_of

__all__ = ["ScaleRule", "place_of", "scale_running"]


def scale_running(
    X: Floats, feature: Ints, code: Floats, weight: Floats, moments: Any, rule: ScaleRule, phi: Floats
) -> bool:
    """Scale rows, each as of itself, into `phi` (rows, columns); false where squares are no longer finite."""
    if native is None:
        return reference.scale_running(X, feature, code, weight, moments, rule, phi)
    return bool(native.scale_running(X, feature, code, weight, moments, rule, phi))
