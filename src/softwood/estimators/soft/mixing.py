"""`mix`: what a soft tree takes the mean of, outputs before the link or the leaves' answers behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softwood.intake import options
from softwood.kernels.kinds import Link, Loss

MIXES = ("output", "probability")


def loss_of_mix(params: Mapping[str, Any], engine: str, loss: Loss) -> Loss:
    """The loss of a tree that mixes as `mix` says; what does not go with mixing answers is refused.

    Without a link, as for the squared error, the two are the same.
    """
    mix = options.one_of("mix", params["mix"], MIXES)
    if mix == "output" or loss.link == Link.IDENTITY:
        return loss
    if params["leaf"] == "linear":
        raise ValueError(
            "mix='probability' needs leaf='constant', got leaf='linear': a leaf that mixes has one answer for all of "
            "its rows. Take leaf='constant', or mix='output'."
        )
    if params["learner"] == "incremental":
        raise ValueError("mix='probability' needs learner='joint', got learner='incremental', which mixes outputs.")
    if engine == "torch":
        raise ValueError(
            "mix='probability' is for engine='memory', 'batches' or 'dask', got engine='torch', whose sums on a device "
            "mix outputs. Drop the device, or take mix='output'."
        )
    return loss.mixing_answers
