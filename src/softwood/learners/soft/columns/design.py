"""The design matrix of a soft tree: its columns as affine combinations of `Basis` terms of the raw inputs.

So a tree learned over these columns is exactly a Tree in the user's units. build.py makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Index
from softwood.kernels import make_linear_columns
from softwood.kernels.arithmetic import matmul
from softwood.kernels.kinds import Term
from softwood.learners.soft.columns.mix import Mix
from softwood.learners.soft.regimes import MAX_NUMBERS_AT_ONCE
from softwood.tree import Basis
from softwood.tree.once import computed_once

HINGE, MISSING = int(Term.HINGE), int(Term.MISSING)
CLIP_SPREADS = 8.0  # values further out have no further effect on a gate
MAX_LEVELS = 128  # most frequent levels of a category, which have an indicator
MIN_LEVEL_ROWS = 2.0  # of a level with an indicator: a single row cannot be confirmed
NO_PLACES = np.zeros(0, np.intp), np.zeros(0, np.intp)


@dataclass(frozen=True)
class DesignMatrix:
    """phi(x) = shift + terms(x) @ mix, where terms is a `Basis` of the raw inputs.

    feature : the input of each column.  kind : 0 linear, 1 square, 2 curve, 3 indicator.
    rising : columns of monotone inputs, which increase in the required direction; None if no input is monotone.
    """

    basis: Basis
    mix: Mix  # (terms, columns)
    shift: Floats  # (columns,)
    feature: npt.NDArray[np.int32]
    kind: npt.NDArray[np.uint8]
    rising: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.shift)

    def make(self, X: Floats) -> Floats:
        """Columns of the rows X, shape (rows, columns)."""
        if self.is_linear:
            scale = self.mix.value
            return make_linear_columns(X, self.basis.feature.tolist(), self.basis.when_missing, scale, self.shift)
        phi = np.empty((len(X), len(self)))
        for f, (_, mine) in self._inputs.items():
            phi[:, mine] = self.of_input(f, X[:, f], mine)
        return phi

    @computed_once
    def is_linear(self) -> bool:
        """Whether every column is one scaled input: the common case, computed at once."""
        return bool(np.all(self.basis.term == Term.IDENTITY)) and self.mix.is_diagonal

    @computed_once
    def _inputs(self) -> dict[int, tuple[Index, Index]]:
        """Indices of the terms and columns of each input; a stream appends some after those of all others."""
        of_term, of_column = (np.argsort(feature, kind="stable") for feature in (self.basis.feature, self.feature))
        inputs = np.union1d(self.basis.feature, self.feature)
        if not len(inputs):  # all inputs are constant
            return {}
        terms = np.split(of_term, np.searchsorted(self.basis.feature, inputs[1:], sorter=of_term))
        columns = np.split(of_column, np.searchsorted(self.feature, inputs[1:], sorter=of_column))
        return {int(f): (of, made) for f, of, made in zip(inputs, terms, columns, strict=True)}

    def terms_of(self, f: int) -> Index:
        """The terms of input `f`, in increasing order."""
        return self._inputs.get(f, NO_PLACES)[0]

    def columns_of(self, f: int) -> Index:
        """The columns of input `f`, in increasing order."""
        return self._inputs.get(f, NO_PLACES)[1]

    def mix_of(self, f: int) -> Floats:
        """The mix of the columns of input `f`, (terms, columns)."""
        return self.mix.block(self.terms_of(f), self.columns_of(f))

    def of_input(self, f: int, x: Floats, columns: Index) -> Floats:
        """Some columns of input `f` at the values x, shape (values, columns)."""
        if self.is_linear:
            known = np.where(np.isnan(x)[:, None], self.basis.when_missing[columns], x[:, None])
            return np.asarray(known * self.mix.value[columns] + self.shift[columns])
        if len(columns) == 1 and (alone := self.mix.single(int(columns[0]))) is not None:
            term, value = alone
            return np.asarray(_terms(self.basis, np.array([term]), x) * value + self.shift[columns])
        return self.of_terms(f, x, columns, self.mix.block(self.terms_of(f), columns))

    def of_terms(self, f: int, x: Floats, columns: Index, mix: Floats) -> Floats:
        """The same, given the mix of these columns, (terms of the input, columns)."""
        return np.asarray(matmul(_terms(self.basis, self.terms_of(f), x), mix) + self.shift[columns])

    def only(self, inputs: npt.NDArray[np.bool_]) -> DesignMatrix:
        """The columns of some inputs; `inputs` has one entry per input."""
        term, at = inputs[self.basis.feature], inputs[self.feature]
        rising = None if self.rising is None else self.rising[at]
        return DesignMatrix(
            _part(self.basis, term), self.mix.only(term, at), self.shift[at], self.feature[at], self.kind[at], rising
        )

    def scaled(self, factor: Floats) -> DesignMatrix:
        """Each column times its factor."""
        return replace(self, mix=self.mix.scaled(factor), shift=self.shift * factor)

    def in_user_units(self, weight: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """Weights over columns (any leading axes) as weights over the basis terms, and the resulting bias."""
        bias = bias + matmul(weight, self.shift)
        if len(self.basis) * len(self) <= MAX_NUMBERS_AT_ONCE:
            return matmul(weight, self.mix.dense().T), bias
        if self.mix.is_diagonal:
            return weight * self.mix.value, bias
        of_terms = np.zeros((*weight.shape[:-1], len(self.basis)))
        for terms, columns in self._inputs.values():
            of_terms[..., terms] = matmul(weight[..., columns], self.mix.block(terms, columns).T)
        return of_terms, bias


@dataclass(frozen=True)
class BasisSpec:
    """Which columns a number has, and their scales (0: none); linear ones are clipped at `limit` spreads.

    evidence : whether it has columns by the prior of its curve (curve_prior.py).
    """

    linear: float = 1.0
    square: float = 0.0
    normal_score: float = 0.0
    curve: tuple[float, ...] = ()
    quadratic: float = 0.0
    limit: float = CLIP_SPREADS
    evidence: bool = False

    @property
    def is_nonlinear(self) -> bool:
        """Whether there are columns other than linear ones."""
        return bool(self.square or self.normal_score or self.curve or self.quadratic or self.evidence)


PLAIN = BasisSpec(limit=float("inf"))  # linear columns in the inputs' own units, never clipped


def _part(basis: Basis, which: npt.NDArray[np.bool_]) -> Basis:
    return Basis(*(getattr(basis, name)[which] for name in ("term", "feature", "parameter", "when_missing")))


def _terms(basis: Basis, at: Index, x: Floats) -> Floats:
    """Terms of one input at its values x, as kernels/reference/evaluate.py expands them."""
    term, parameter = basis.term[at], basis.parameter[at]
    gone = np.isnan(x)
    known = np.where(gone, 0.0, x)[:, None]
    value = np.maximum(known - parameter, 0.0)  # most terms are hinges
    for c in np.flatnonzero(term != HINGE):
        if term[c] == Term.IDENTITY:
            value[:, c] = known[:, 0]
        elif term[c] == Term.SQUARE:
            value[:, c] = known[:, 0] ** 2
        else:
            value[:, c] = known[:, 0] == parameter[c] if term[c] == Term.CATEGORY else 0.0
    value[gone] = np.where(term == MISSING, 1.0, basis.when_missing[at])
    return value


class Builder:
    """Collects terms and columns."""

    def __init__(self) -> None:
        self.terms: list[tuple[int, int, float, float]] = []
        self.at: dict[tuple[int, int, float], int] = {}
        self.columns: list[tuple[dict[int, float], float, int, int]] = []

    def term(self, kind: Term, feature: int, parameter: float, when_missing: float) -> int:
        key = (int(kind), feature, parameter)
        if key not in self.at:
            self.at[key] = len(self.terms)
            self.terms.append((*key, when_missing))
        return self.at[key]

    def column(self, mix: dict[int, float], shift: float, feature: int, kind: int) -> None:
        self.columns.append((mix, shift, feature, kind))

    def build(self) -> DesignMatrix:
        mix = Mix.of([parts for parts, *_ in self.columns], len(self.terms))
        table = list(zip(*self.terms, strict=True)) or [(), (), (), ()]
        basis = Basis(*(np.array(column) for column in table))
        shift = np.array([s for _, s, _, _ in self.columns])
        feature = np.array([f for *_, f, _ in self.columns], np.int32)
        return DesignMatrix(basis, mix, shift, feature, np.array([k for *_, k in self.columns], np.uint8))
