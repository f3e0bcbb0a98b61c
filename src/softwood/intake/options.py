"""Checks of parameters: an error says what was given, what is wanted and what to do."""

from __future__ import annotations

import numbers
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs

from softwood.arrays import Floats
from softwood.learners.hard.smoothing import M, Smoothing
from softwood.tree import Kind, Schema

MOST_COUNTED = 2**31 - 1
POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
SIZE = re.compile(r"(\d+\.?\d*|\.\d+)\s*([KMGT]?)(I?)B?", re.IGNORECASE | re.ASCII)
LEAST_MEMORY = 4096
Fold = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def one_of(name: str, value: Any, options: Sequence[Any]) -> Any:
    """The value, if it is one of the options."""
    if not any(value is option or (isinstance(value, str) and value == option) for option in options):
        wanted = ", ".join(map(repr, options))
        raise ValueError(f"{name} must be one of {wanted}, got {value!r}.")
    return value


def integer(name: str, value: Any, least: int, most: int | None = None, otherwise: int | None = None) -> int:
    """The value as an int within bounds; None becomes `otherwise` if given.

    Values beyond the largest integer of the kernels are clipped to it.
    """
    if value is None and otherwise is not None:
        return otherwise
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not good or value < least or (most is not None and value > most):
        upper = f" and <= {most}" if most is not None else ""
        none = "None or " if otherwise is not None else ""
        raise ValueError(f"{name} must be {none}an integer >= {least}{upper}, got {value!r}.")
    return min(int(value), MOST_COUNTED)


def seed_of(random_state: Any) -> int:
    """The seed of a `random_state`; None is 0.

    >>> seed_of(None) == seed_of(0)
    True
    """
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(MOST_COUNTED))
    given = 0 if random_state is None else random_state
    good = isinstance(given, numbers.Integral) and not isinstance(given, bool) and 0 <= int(given) < 2**32
    if not good:
        wanted = "None, an integer from 0 to 4294967295 or a numpy.random.RandomState"
        raise ValueError(f"random_state must be {wanted}, got {random_state!r:.80}.")
    return _seed_of_int(int(given))


@lru_cache(maxsize=128)
def _seed_of_int(given: int) -> int:
    return int(np.random.RandomState(given).randint(MOST_COUNTED))  # slower to make than a small tree


def real(name: str, value: Any, least: float, or_else: str = "") -> float:
    """The value as a float, finite and not below `least`; `or_else` names other allowed values."""
    good = isinstance(value, numbers.Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not good or float(value) < least:
        raise ValueError(f"{name} must be {or_else}a number >= {least:g}, got {value!r}.")
    return float(value)


def auto(name: str, value: Any) -> float | None:
    """A number >= 0, or None for "auto"."""
    return None if isinstance(value, str) and value == "auto" else real(name, value, 0.0, "'auto' or ")


def verbosity(value: Any) -> int:
    """The option `verbose`: 0, 1 or 2.

    >>> verbosity(False), verbosity(True), verbosity(2)
    (0, 1, 2)
    """
    if not isinstance(value, numbers.Integral | np.bool_) or not 0 <= int(value) <= 2:
        raise ValueError(f"verbose must be 0, 1 or 2 (False is 0, True is 1), got {value!r}.")
    return int(value)


def boolean(name: str, value: Any) -> bool:
    """The value as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def smoothing_of(value: Any) -> Smoothing | None:
    """How probabilities are smoothed: None, "laplace", "m_estimate", or the weight of the prior in rows.

    >>> smoothing_of(None), smoothing_of(4)
    (None, Smoothing(strength=4.0, equal=False))
    """
    if value is None:
        return None
    if isinstance(value, str) and value in ("laplace", "m_estimate"):
        return Smoothing() if value == "laplace" else Smoothing(M, equal=False)
    strength = real("smoothing", value, 0.0, "None, 'laplace', 'm_estimate' or ")
    if strength == 0.0:
        raise ValueError(f"smoothing must be a number of pseudo-rows > 0, got {value!r}; None does not smooth.")
    return Smoothing(strength, equal=False)


def row_count(name: str, value: Any, least: int, total: float) -> float:
    """Rows: an integer >= least, or a float in (0, 1), a proportion of all rows (rounded up, never below `least`)."""
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0.0 < float(value) < 1.0:
        return float(max(least, np.ceil(float(value) * total)))
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not good or value < least:
        wanted = f"an integer >= {least}, or a float between 0 and 1 for a proportion of the rows"
        raise ValueError(f"{name} must be {wanted}, got {value!r}.")
    return float(value)


def threads(n_jobs: Any) -> int:
    """Number of threads, as in joblib: None is one (or set by a surrounding joblib context), -1 all."""
    good = n_jobs is None or (isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool) and n_jobs != 0)
    if not good:
        raise ValueError(f"n_jobs must be None or an integer other than 0 (-1 uses all cores), got {n_jobs!r}.")
    return min(int(effective_n_jobs(n_jobs)), MOST_COUNTED)


def size_in_bytes(name: str, value: Any) -> int:
    """Bytes: a whole number, or text with a unit; GB and G are 1000^3 bytes, GiB and Gi are 1024^3.

    >>> size_in_bytes("memory", "1.5 GiB"), size_in_bytes("memory", "1.5 GB"), size_in_bytes("memory", 4096)
    (1610612736, 1500000000, 4096)
    """
    found = value
    if isinstance(value, str):
        read = SIZE.fullmatch(value.strip())
        found = int(float(read[1]) * (1024 if read[3] else 1000) ** POWERS[read[2].upper()]) if read else 0
    if isinstance(found, bool) or not isinstance(found, numbers.Integral) or found < LEAST_MEMORY:
        raise ValueError(f"{name} must be bytes, at least {LEAST_MEMORY}, or text such as '4 GiB', got {value!r:.80}.")
    return int(found)


def warn_of_light_rows(weight: Floats, least: float) -> None:
    """A warning if there are enough rows to split but their weight is too small."""
    if weight.sum() < least <= np.count_nonzero(weight):
        warnings.warn(
            f"sample_weight sums to {weight.sum():.4g}, less than the {least:g} that a split needs, so nothing is "
            "split. Weights count as rows (a weight of 2 counts as two equal rows; weights that sum to less than the "
            "number of distinct rows were scaled up to it): scale them to sum to the number of rows.",
            UserWarning,
            stacklevel=4,
        )


def monotone_signs(given: Any, columns: Schema, *, ordered: bool = False) -> npt.NDArray[np.int8]:
    """One sign per column from a list of signs, or a mapping from column name or index to sign; empty for none.

    ordered : whether a category whose levels have an order may have a sign.
    """
    if given is None:
        return np.zeros(0, np.int8)
    n = len(columns.features)
    if isinstance(given, Mapping):
        signs = [0] * n
        for key, sign in given.items():
            signs[_column(key, columns.features)] = sign
    else:
        if isinstance(given, str) or not isinstance(given, Iterable):
            wanted = "a list of -1, 0 or 1, one for each feature, or a dict {name or index: sign}"
            raise ValueError(f"monotonic_cst must be {wanted}, got {given!r}.")
        signs = list(given)
        if len(signs) != n:
            raise ValueError(f"monotonic_cst must have one sign for each of {n} features, got {len(signs)}.")
    for name, sign, kind in zip(columns.features, signs, columns.kinds, strict=True):
        if sign not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst must hold -1, 0 or 1, got {sign!r} for feature {name!r}.")
        if sign and kind == Kind.ORDERED and not ordered:
            raise ValueError(
                f"monotonic_cst has a sign for {name!r}, an ordered category, which this tree splits by sets of "
                f"levels; pass its codes as numbers, or use a soft tree, which keeps the order."
            )
        if sign and kind == Kind.CATEGORY:
            advice = "make it an ordered categorical (pandas) or an Enum (polars)" if ordered else "give it as a number"
            raise ValueError(f"monotonic_cst has a sign for {name!r}, which is an unordered category; {advice}.")
    return np.array(signs, np.int8) if any(signs) else np.zeros(0, np.int8)


def _column(key: Any, names: Sequence[str]) -> int:
    if isinstance(key, numbers.Integral) and 0 <= int(key) < len(names):
        return int(key)
    if key in names:
        return names.index(key)
    raise ValueError(f"monotonic_cst names {key!r}, which is not a feature; the features are {list(names)!r:.200}.")


def cost_matrix(costs: Any, classes: npt.NDArray[Any]) -> Floats | None:
    """Costs (actual, predicted) from a square table in the order of the classes, or a dict of pairs of labels."""
    if costs is None:
        return None
    k, labels = len(classes), classes.tolist()
    if isinstance(costs, Mapping):
        matrix = 1.0 - np.eye(k)
        for pair, cost in costs.items():
            if not (isinstance(pair, tuple) and len(pair) == 2 and all(label in labels for label in pair)):
                raise ValueError(
                    f"costs must have keys (actual label, predicted label) of {labels!r:.200}, got {pair!r}."
                )
            matrix[labels.index(pair[0]), labels.index(pair[1])] = _number("costs", cost)
    else:
        matrix = _numbers("costs", costs, f"a table of shape ({k}, {k}) or a dict {{(actual, predicted): cost}}")
    if matrix.shape != (k, k):
        raise ValueError(f"costs must have shape ({k}, {k}), one row per actual class, got {matrix.shape}.")
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()) or np.diag(matrix).any():
        raise ValueError(
            "costs must be finite and >= 0, with zeros on the diagonal (a correct prediction costs nothing), got "
            f"{matrix.tolist()!r:.120}."
        )
    if k > 1 and not (matrix.sum(axis=1) > 0).all():
        free = labels[int(np.argmin(matrix.sum(axis=1)))]
        raise ValueError(f"costs must be > 0 for some error of each class, but misclassifying {free!r} costs nothing.")
    return matrix


def _numbers(name: str, given: Any, wanted: str) -> Floats:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {wanted}, got {given!r:.80}.") from None


def _number(name: str, given: Any) -> float:
    if not isinstance(given, numbers.Real):
        raise ValueError(f"{name} must hold numbers, got {given!r}.")
    return float(given)


def prior_shares(priors: Any, classes: npt.NDArray[Any]) -> Floats | None:
    """Prior class shares, from a list in the order of the classes or a mapping by label; they sum to 1."""
    if priors is None:
        return None
    labels = classes.tolist()
    if isinstance(priors, Mapping):
        if set(priors) != set(labels):
            raise ValueError(
                f"priors must have exactly the classes {labels!r:.200} as keys, got {list(priors)!r:.200}."
            )
        priors = [priors[label] for label in labels]
    share = _numbers("priors", priors, "a list of shares in the order of the classes, or a dict by label")
    if share.shape != (len(labels),):
        raise ValueError(f"priors must have one number for each of {len(labels)} classes, got shape {share.shape}.")
    if not (np.isfinite(share).all() and (share > 0).all() and abs(share.sum() - 1) < 1e-6):
        raise ValueError(f"priors must be > 0 and sum to 1, got {share.tolist()}.")
    return np.asarray(share / share.sum())


def fold_rows(
    cv: Any, X: Floats, y: npt.NDArray[np.generic], group: npt.NDArray[np.int64] | None = None
) -> int | list[Fold]:
    """A number of folds as it is; the rows of each fold for a splitter or a list of (train, test) rows."""
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool) and int(cv) >= 2:
        return int(cv)
    splits = cv.split(X, y, group) if hasattr(cv, "split") and not isinstance(cv, str) else cv
    if isinstance(splits, str) or not isinstance(splits, Iterable):
        raise ValueError(
            f"cv must be an integer >= 2, a splitter, or a list of (train, test) rows, got {cv!r}; "
            "to grow without choosing a size, set prune=None."
        )
    folds = []
    for pair in splits:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(f"cv must give pairs (rows to train on, rows to test on), got {pair!r:.80}.")
        folds.append((_row_ids(pair[0], len(X)), _row_ids(pair[1], len(X))))
    if not folds:
        raise ValueError(f"cv must give at least one pair (train, test) of rows, got none from {cv!r:.80}.")
    return folds


def _row_ids(rows: Any, n: int) -> npt.NDArray[np.int64]:
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iub" or (chosen.dtype.kind == "b" and len(chosen) != n):
        raise ValueError(f"cv must give row numbers, or a mask of {n} rows, got {rows!r:.80}.")
    if chosen.dtype.kind == "b":
        return np.flatnonzero(chosen)
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < n):
        outside = chosen[(chosen < 0) | (chosen >= n)][0]
        raise ValueError(f"cv must give row numbers in 0 .. {n - 1}, got {outside}; were they made for another table?")
    return np.asarray(np.unique(chosen), np.int64)
