"""The annealer by native code; contract: contracts/anneal.py, twin: reference/anneal.py."""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats
from softwood.kernels import _native
from softwood.kernels.contracts.anneal import AnnealProblem, Progress, Ramps
from softwood.kernels.native.tables import flat


class Annealer:
    """Anneals widths. `problem` must not change."""

    def __init__(self, problem: AnnealProblem, seed: int) -> None:
        self._native = _native.Annealer(problem, seed)
        self._problem = problem

    def run(self, max_calls: int, patience: int) -> Progress:
        return Progress(*self._native.run(max_calls, patience))

    def theta(self) -> Floats:
        return self._native.theta()

    def loss(self, theta: Floats, n_threads: int = 1) -> float:
        return self._native.loss(flat(theta), n_threads)

    def gradient(self, ramps: Ramps, n_threads: int = 1) -> tuple[float, Ramps]:
        """The loss, and its gradient with respect to the ramps."""
        given = flat(ramps.theta).ravel(), flat(ramps.threshold), flat(ramps.response).ravel()
        slope = np.zeros(sum(map(len, given)))
        loss = self._native.gradient(*given, slope, n_threads)
        theta, threshold, response = np.split(slope, [len(given[0]), len(given[0]) + len(given[1])])
        return loss, Ramps(theta.reshape(-1, 2), threshold, response.reshape(ramps.response.shape))
