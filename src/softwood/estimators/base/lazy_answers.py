"""Predictions for rows of Dask: lazy, partition by partition, on the workers that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy.typing as npt

Answers = TypeVar("Answers", bound=npt.NDArray[Any])


def answer_lazily(estimator: Any, method: str, X: Any, empty: Answers) -> Answers:
    """An array of Dask: the result of a method of a fitted estimator for the rows of X; `empty` is its result for no
    rows.

    Dask has no type hints; the return type is that of the computed array.
    """
    from softwood.engines.dask import map_rows

    return cast(Answers, map_rows(PartAnswer(estimator, method, empty), X, empty))


@dataclass(frozen=True, repr=False)
class PartAnswer:
    """The predictions of one partition, which may be empty."""

    estimator: Any
    method: str
    empty: npt.NDArray[Any]

    def __call__(self, X: Any) -> Any:
        return getattr(self.estimator, self.method)(X) if len(X) else self.empty
