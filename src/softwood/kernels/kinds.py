"""The small vocabularies of a tree, as numbers that Python, C++ and files share.

The numbers are part of the file format: add to the end, never renumber.
"""

from __future__ import annotations

from enum import IntEnum


class Score(IntEnum):
    """What number (or slot) a gate computes from a row."""

    NONE = 0  # a leaf has no gate
    THRESHOLD = 1  # x[feature] - threshold, two children
    CATEGORY = 2  # the group x[feature] belongs to, two or more children
    INTERVAL = 3  # the interval x[feature] falls in, two or more children
    LINEAR = 4  # bias + weights . basis(x), two children


class Squash(IntEnum):
    """How a gate turns its score into shares."""

    STEP = 0  # all or nothing
    RAMP = 1  # piecewise linear around a threshold
    SIGMOID = 2  # 1 / (1 + exp(-score))


class Missing(IntEnum):
    """What a gate does with a row whose value it cannot read."""

    DIRECTION = 0  # the row goes to the child in slot `default`
    FRACTION = 1  # every child gets its `fraction` of the row
    SURROGATE = 2  # the surrogates in order, then slot `default`
    CATEGORY = 3  # "missing" is a value of its own; its slot is `default`


class Link(IntEnum):
    """From the output of the tree to the answer."""

    IDENTITY = 0
    SIGMOID = 1
    SOFTMAX = 2


class Term(IntEnum):
    """What a column of the basis makes of its one input."""

    IDENTITY = 0  # x
    SQUARE = 1  # x * x
    HINGE = 2  # max(0, x - knot)
    CATEGORY = 3  # 1 if x is the category, else 0
    MISSING = 4  # 1 if x is missing, else 0


class Criterion(IntEnum):
    """What a hard split tries to make small."""

    GINI = 0
    ENTROPY = 1
    ERROR = 2
    SQUARED_ERROR = 3
    ABSOLUTE_ERROR = 4


class Loss(IntEnum):
    """What a soft tree tries to make small."""

    SQUARED = 0  # half the squared error, summed over targets
    LOGISTIC = 1  # minus the log probability, two classes, one output
    SOFTMAX = 2  # minus the log probability, an output a class (targets may be shares of classes that sum to 1)
