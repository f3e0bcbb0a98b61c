"""The target y: class labels become codes 0 .. K-1 into the sorted classes, numbers a float64 table.

Labels may be text, integers, booleans or floats without a fraction, as a list, an array or a series of any data-frame
library. A continuous y is refused with scikit-learn's own message. One class only, or one row, is not an error: the
tree is a single leaf.
"""

from __future__ import annotations

import warnings
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from softwood.arrays import Floats, Ints
from softwood.intake.cells.cells import blank, refuse_nonnumbers
from softwood.intake.cells.frames import read_vector, refuse_missing

FEW_NUMBERS = 10_000  # numbers that are checked faster than by scikit-learn
LARGEST_SUM = 1e307  # a sum over rows that doubles hold
LEAST_SPAN = 1e-130  # a range whose square doubles hold, and small parts of it
ONE_COLUMN = (
    "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for "
    "example using ravel()."  # scikit-learn's message
)


def read_classes(y: Any) -> tuple[npt.NDArray[Any], Ints]:
    """The sorted classes of y (what scikit-learn calls `classes_`) and the code of every row.

    Examples
    --------
    >>> read_classes(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    labels = _read_labels(y)
    whole = labels.dtype.kind in "biu"
    if not whole and set(map(type, labels.flat if labels.dtype == object else ())) != {str}:
        check_classification_targets(labels)  # text and integers are never continuous
    found, place = _factor(labels)
    if whole and 2 * len(found) > len(labels):
        check_classification_targets(labels)  # warns if more than half of the labels are distinct
    return np.array(found, labels.dtype), place


def warn_of_one_class(classes: npt.NDArray[Any]) -> None:
    """A warning if all rows have the same class."""
    if len(classes) == 1:
        only = classes.tolist()[0]
        warnings.warn(
            f"y has one class, {only!r:.80}: the tree is a single leaf that predicts it for every row. If that is not "
            "intended, check y.",
            UserWarning,
            stacklevel=6,
        )


def find_labels(y: Any, name: str = "y") -> tuple[list[Any], Ints, Any]:
    """The sorted distinct labels of some rows, the index of every label among them, and their dtype.

    Examples
    --------
    >>> find_labels(np.array([3, 1, 3]))[:2]
    ([1, 3], array([1, 0, 1], dtype=int32))
    """
    labels = _read_labels(y, name)
    return *_factor(labels), labels.dtype


def encode_classes(y: Any, classes: npt.NDArray[Any]) -> Ints:
    """Codes of labels of known classes; any other label is an error.

    Examples
    --------
    >>> encode_classes(["yes", "no"], np.array(["no", "yes"]))
    array([1, 0], dtype=int32)
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype == classes.dtype and y.dtype.kind in "iu":
        place = classes.searchsorted(y)  # a chunk of a stream: factoring it takes longer than to learn from a row
        if (classes.take(place, mode="clip") == y).all():
            return place.astype(np.int32)
    codes, unknown = match_classes(y, classes)
    if unknown:
        raise ValueError(
            f"y has labels that are not among the classes: {unknown!r:.200}; the classes are {classes.tolist()!r:.200}."
        )
    return codes


def match_classes(y: Any, classes: npt.NDArray[Any]) -> tuple[Ints, list[Any]]:
    """Codes of labels, -1 for those that are not among the classes, and these labels.

    Examples
    --------
    >>> match_classes(["yes", "maybe"], np.array(["no", "yes"]))
    (array([ 1, -1], dtype=int32), ['maybe'])
    """
    found, place = _factor(_read_labels(y))
    code = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([code.get(label, -1) for label in found], np.int32)[place], [x for x in found if x not in code]


def one_hot(codes: Ints, n_classes: int) -> Floats:
    """One column per class; for two classes only the second."""
    if n_classes == 2:
        return np.not_equal(codes, 0).astype(np.float64)[:, None]
    table: Floats = np.eye(n_classes)[codes]
    return table


def read_numbers(y: Any) -> tuple[Floats, bool]:
    """Regression targets (rows, targets), and whether there is one: y has one dimension, or one column (a warning).

    Examples
    --------
    >>> read_numbers([1, 2])
    (array([[1.],
           [2.]]), True)
    """
    values = read_vector(_given(y), "y")
    few = (
        type(values) is np.ndarray and values.ndim == 1 and values.dtype.char == "d" and 0 < values.size <= FEW_NUMBERS
    )
    if few and values.dtype.isnative and np.isfinite(values).all():  # scikit-learn's check takes longer than a row
        return values[:, None], True
    refuse_nonnumbers("y", values)
    if np.ndim(values) == 0:
        raise ValueError(f"y must have one number per row, got {y!r:.80}.")
    with np.errstate(over="ignore", invalid="ignore"):  # it sums them, to find infinity at once
        array: Floats = check_array(values, ensure_2d=False, dtype=np.float64, input_name="y", ensure_min_samples=0)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(ONE_COLUMN, DataConversionWarning, stacklevel=2)
        return array, True
    return (array[:, None], True) if array.ndim == 1 else (array, False)


def refuse_extreme(values: Floats, weight: Floats) -> None:
    """An error for targets (rows, targets) whose squared distances overflow a double: an impurity is a sum of these.

    >>> refuse_extreme(np.array([[0.0], [1e200]]), np.ones(2))
    Traceback (most recent call last):
    ValueError: y must range over 1e-130 to 2.2e+153 (or not at all), so that doubles hold its squares; it ranges from \
0.0 to 1e+200. Divide it by 1e+200.
    """
    if not values.size:
        return
    low, high = values.min(axis=0), values.max(axis=0)
    total = max(float(weight.sum()), 1.0)
    most = float(np.sqrt(LARGEST_SUM / total))
    with np.errstate(over="ignore"):
        span = high - low
    bad = ((span > 0.0) & (span < LEAST_SPAN)) | (span > most) | (np.maximum(-low, high) > LARGEST_SUM / total)
    if bad.any():
        at = int(bad.argmax())
        size = float(span[at] if span[at] < LEAST_SPAN else max(-low[at], high[at]))
        raise ValueError(
            f"y must range over {LEAST_SPAN:g} to {most:.2g} (or not at all), so that doubles hold its squares; it "
            f"ranges from {low[at]} to {high[at]}. Divide it by {size:.0g}."
        )


def _given(y: Any) -> Any:
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None.")
    return y


# -- labels --------------------------------------------------------------------------------------------------------


def _read_labels(y: Any, name: str = "y") -> npt.NDArray[Any]:
    """Labels of one type, none missing, one dimension."""
    values = read_vector(_given(y), name)
    if isinstance(values, list | tuple) and np.asarray(values).dtype.kind in "US":
        values = np.asarray(values, object)  # NumPy would make text of everything: [1, "a"] or [nan, "a"]
        return np.array(_one_type(column_or_1d(values, warn=True), name).tolist())
    _refuse_several(values, name)
    flat = type(values) is np.ndarray and values.ndim == 1  # scikit-learn's check takes longer than a small tree
    labels: npt.NDArray[Any] = values if flat else column_or_1d(values, warn=True)
    if labels.dtype == object:
        return _one_type(labels, name)
    if labels.dtype.kind == "f":
        _refuse_not_finite(labels, name)
    return labels


def _refuse_several(values: Any, name: str) -> None:
    """An error for labels of several columns, with alternatives; scikit-learn's message comes first."""
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"{name} should be a 1d array, got an array of shape {shape} instead. A classifier predicts one label "
            "per row. For several binary labels fit a regressor, such as CARTRegressor, on columns of 0, 1: its "
            "predictions are their probabilities. Otherwise fit one classifier per column, as "
            "sklearn.multioutput.MultiOutputClassifier does."
        )


def _refuse_not_finite(labels: npt.NDArray[Any], name: str) -> None:
    if np.isnan(labels).any():
        refuse_missing(name, int(np.isnan(labels).argmax()))
    if np.isinf(labels).any():
        raise ValueError(
            f"Input {name} contains infinity, first at row {np.isinf(labels).argmax()}; it is not a label."
        )


def _one_type(labels: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Labels of dtype object: text is kept, numbers become a numeric array, a mixture is an error."""
    values = blank(labels.tolist())
    if type(None) in set(map(type, values)):
        refuse_missing(name, next(row for row, value in enumerate(values) if value is None))
    is_text = [isinstance(value, str) for value in values]
    if all(is_text):
        return labels
    if any(is_text):
        text, other = values[is_text.index(True)], values[is_text.index(False)]
        raise ValueError(f"{name} mixes labels of different types, {text!r} and {other!r}; convert them to one type.")
    if all(isinstance(value, bool | int | float | np.generic) for value in values):
        return np.array(values)
    return labels


def _factor(labels: npt.NDArray[Any]) -> tuple[list[Any], Ints]:
    """The sorted distinct labels and the index of every label among them."""
    if len(labels) == 1:  # a row of a stream
        return labels.tolist(), np.zeros(1, np.int32)
    if labels.dtype.kind in "OUS":  # a set is several times faster than sorting text
        values = labels.tolist()
        found = sorted(set(values))
        place = dict(zip(found, range(len(found)), strict=True))
        return found, np.fromiter(map(place.get, values, repeat(-1)), np.int32, len(values))
    distinct, inverse = np.unique(labels, return_inverse=True)
    return distinct.tolist(), inverse.astype(np.int32)
