"""`mix`: what a soft tree averages, outputs before the link or predictions of the leaves after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softwood.intake import options
from softwood.kernels.kinds import Link, Loss

MIXES = ("output", "probability")


def loss_of_mix(params: Mapping[str, Any], engine: str, loss: Loss) -> Loss:
    """The loss of a tree with this `mix`; parameters that exclude mixing probabilities are refused.

    Without a link, as for the squared error, the two are the same.
    """
    mix = options.one_of("mix", params["mix"], MIXES)
    if mix == "output" or loss.link == Link.IDENTITY:
        return loss
    if params["leaf"] == "linear":
        raise ValueError(
            "mix='probability' needs leaf='constant', got leaf='linear'. Set leaf='constant', or mix='output'."
        )
    if params["learner"] == "incremental":
        raise ValueError("mix='probability' needs learner='joint', got learner='incremental'.")
    if engine == "torch":
        raise ValueError(
            "mix='probability' needs engine='memory', 'batches' or 'dask', got engine='torch'. Drop the device, or "
            "set mix='output'."
        )
    return loss.mixing_answers
