"""Shapley values of products of factors, each of one input: exact, in time independent of the background.

For a row x and a background row z, with the inputs of a coalition S from x and the others from z:

    v(S) = prod_{i in S} a_i(x) prod_{i not in S} b_i(z)

Averaged over z, v(S) = prod_{i in S} a_i(x) * B(rest), where B holds the mean of each product of b's, for all rows. The
Shapley value of input i is sum_S coef_i(S) v(S) with coef_i(S) = W(|S| - 1) if i is in S, else -W(|S|), and
W(s) = s! (k - s - 1)! / k!. A linear response adds, for every input j of it, a product with one more factor.

A product of more than `MOST_INPUTS` inputs has too many coalitions; there the same value is an integral,

    phi_i = mean_z (a_i - b_i) int_0^1 prod_{j != i} (t a_j + (1 - t) b_j) dt,

a polynomial, which Gauss-Legendre nodes integrate exactly (Owen 1972, the multilinear extension).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats

MOST_INPUTS = 10  # maximum number of inputs of a product for tables of all coalitions
MOST_CELLS = 2**22  # maximum size of a table of rows and coalitions


@dataclass(frozen=True)
class Product:
    """One product: inputs (k), factors of the rows (rows, k) and of the background (background rows, k)."""

    inputs: tuple[int, ...]
    x: Floats
    z: Floats


@dataclass(frozen=True)
class Response:
    """The response that multiplies a product: a constant (outputs,) plus parts of `inputs`, (rows, inputs, outputs)."""

    constant: Floats
    inputs: tuple[int, ...]
    x: Floats
    z: Floats


def orderings(k: int) -> Floats:
    """W(s), s = 0..k: the proportion of orders of k inputs in which s given inputs, and no others, precede another
    given one; W(k) is 0.
    """
    weights = [factorial(s) * factorial(k - s - 1) / factorial(k) for s in range(k)]
    return np.array([*weights, 0.0])


def coalitions(k: int) -> npt.NDArray[np.bool_]:
    """All coalitions of k inputs, (2^k, k): coalition S has input i where bit i of S is set."""
    return (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(np.bool_)


def add_product(total: Floats, product: Product, response: Response, weight: Floats) -> None:
    """Add the Shapley values of product times response to `total`, (rows, inputs, outputs).

    Parameters
    ----------
    weight : weights of the background rows; they sum to 1.
    """
    if not response.inputs and len(product.inputs) > MOST_INPUTS:
        phi = _integrate(product, weight)
        total[:, list(product.inputs)] += phi[:, :, None] * response.constant
        return
    table = _Table(product, response, weight)
    n, step = len(product.x), max(1, MOST_CELLS >> len(product.inputs))
    if not response.inputs:
        distinct, where = _distinct(product.x)
        parts = [table.constant(distinct[at : at + step]) for at in range(0, len(distinct), step)]
        total[:, list(product.inputs)] += np.concatenate(parts)[where]
        return
    for at in range(0, n, step):
        table.add(total[at : at + step], product.x[at : at + step], response.x[at : at + step])


def _distinct(factors: Floats) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Distinct rows and the position of each; factors of hard gates are 0 or 1, so there are few."""
    if not np.all((factors == 0) | (factors == 1)):
        return factors, np.arange(len(factors))
    code = factors.astype(np.int64) @ (1 << np.arange(factors.shape[1]))
    _, first, where = np.unique(code, return_index=True, return_inverse=True)
    return factors[first], where


def _powerset(factors: Floats) -> Floats:
    """Products of every subset of the columns, (rows, 2^k)."""
    table = np.ones((len(factors), 1))
    for column in factors.T:
        table = np.concatenate([table, table * column[:, None]], axis=1)
    return table


class _Table:
    """Means over the background of the product of every coalition's complement, with and without the response."""

    def __init__(self, product: Product, response: Response, weight: Floats) -> None:
        k, self.inputs = len(product.inputs), product.inputs
        self.response = response
        member, size = coalitions(k), coalitions(k).sum(axis=1)
        self.member = member
        w = orderings(k)
        self.coef = np.where(member, w[size - 1][:, None], -w[size][:, None])
        # With one more player outside the product: without it in the coalition, with it, and its own weight.
        more = orderings(k + 1)
        self.without = np.where(member, more[size - 1][:, None], -more[size][:, None])
        self.within = np.where(member, more[size][:, None], -more[np.minimum(size + 1, k + 1)][:, None])
        self.own = more[size]
        self.mean, self.mean_times = np.zeros(2**k), np.zeros((2**k, *response.z.shape[1:]))
        z, parts = product.z, response.z
        if not response.inputs:
            z, where = _distinct(z)
            weight = np.asarray(np.bincount(where, weight, len(z)), np.float64)
        step = max(1, MOST_CELLS >> k)
        for at in range(0, len(z), step):
            some = slice(at, at + step)
            rest = _powerset(z[some])[:, ::-1] * weight[some, None]  # column S: of those that are not in S
            self.mean += rest.sum(axis=0)
            if response.inputs:
                self.mean_times += np.tensordot(rest.T, parts[some], 1)

    def constant(self, x: Floats) -> Floats:
        """Values of the product times the constant, (rows, k, outputs)."""
        phi = _powerset(x) @ (self.coef * self.mean[:, None])
        return np.asarray(phi[:, :, None] * self.response.constant)

    def add(self, total: Floats, x: Floats, parts: Floats) -> None:
        """Values of the product times constant and parts."""
        mine, every = list(self.inputs), _powerset(x)
        phi = (every @ (self.coef * self.mean[:, None]))[:, :, None] * self.response.constant
        strange = [at for at, f in enumerate(self.response.inputs) if f not in self.inputs]
        for at, f in enumerate(self.response.inputs):
            if f in self.inputs:
                inside = self.member[:, mine.index(f)][:, None]
                known = every @ (self.coef * inside * self.mean[:, None])
                phi += known[:, :, None] * parts[:, at, None, :]
                unknown = (self.coef * ~inside)[:, :, None] * self.mean_times[:, at, None, :]
                phi += np.tensordot(every, unknown, 1)
        if strange:
            phi += self._beside(every, parts, strange)
            others = [self.response.inputs[at] for at in strange]
            alone = (every @ (self.own * self.mean))[:, None, None] * parts[:, strange]
            total[:, others] += alone - np.tensordot(every, self.own[:, None, None] * self.mean_times[:, strange], 1)
        total[:, mine] += phi

    def _beside(self, every: Floats, parts: Floats, strange: list[int]) -> Floats:
        """The values of the product's own inputs from parts of other inputs."""
        there = (every @ (self.within * self.mean[:, None]))[:, :, None] * parts[:, strange].sum(axis=1)[:, None, :]
        away = self.without[:, :, None] * self.mean_times[:, strange].sum(axis=1)[:, None, :]
        return np.asarray(there + np.tensordot(every, away, 1))


def _integrate(product: Product, weight: Floats) -> Floats:
    """The same by quadrature, (rows, k), for products of many inputs and the constant 1."""
    k = len(product.inputs)
    node, part = np.polynomial.legendre.leggauss(k // 2 + 1)  # exact to degree 2 * (k // 2 + 1) - 1 >= k - 1
    phi = np.zeros(product.x.shape)
    distinct, where = _distinct(product.x)
    found = phi[: len(distinct)]
    for z, share in zip(product.z, weight, strict=True):
        for t, dt in zip((node + 1.0) / 2.0, part / 2.0, strict=True):
            mixed = t * distinct + (1.0 - t) * z
            below = np.cumprod(np.hstack([np.ones((len(mixed), 1)), mixed[:, :-1]]), axis=1)
            above = np.cumprod(np.hstack([np.ones((len(mixed), 1)), mixed[:, :0:-1]]), axis=1)[:, ::-1]
            found += (share * dt) * (distinct - z) * below * above
    return np.asarray(found[where])
