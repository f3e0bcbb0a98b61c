"""The enumerations of a tree, as numbers that Python, C++ and files share.

The numbers are part of the file format: add to the end, never renumber.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar


class Score(IntEnum):
    """The number (or slot) that a gate computes from a row."""

    NONE = 0  # a leaf has no gate
    THRESHOLD = 1  # x[feature] - threshold, two children
    CATEGORY = 2  # the group x[feature] belongs to, two or more children
    INTERVAL = 3  # the interval x[feature] falls in, two or more children
    LINEAR = 4  # bias + weights . basis(x), two children
    CONSTANT = 5  # nothing: every child gets its `fraction` of every row, two or more children


class Squash(IntEnum):
    """The map from a gate's score to shares."""

    STEP = 0  # all or nothing
    RAMP = 1  # piecewise linear around a threshold
    SIGMOID = 2  # 1 / (1 + exp(-score))


class Missing(IntEnum):
    """The treatment of a row whose value a gate cannot read."""

    DIRECTION = 0  # the row goes to the child in slot `default`
    FRACTION = 1  # every child gets its `fraction` of the row
    SURROGATE = 2  # the surrogates in order, then slot `default`
    CATEGORY = 3  # missing is a separate value; its slot is `default`


class Link(IntEnum):
    """The map from the output of the tree to the prediction."""

    IDENTITY = 0
    SIGMOID = 1
    SOFTMAX = 2
    LOG = 3  # the prediction is exp(output)


class Term(IntEnum):
    """The function of one input in a column of the basis."""

    IDENTITY = 0  # x
    SQUARE = 1  # x * x
    HINGE = 2  # max(0, x - knot)
    CATEGORY = 3  # 1 if x is the category, else 0
    MISSING = 4  # 1 if x is missing, else 0


class Criterion(IntEnum):
    """The criterion that a hard split minimises."""

    GINI = 0
    ENTROPY = 1
    ERROR = 2
    SQUARED_ERROR = 3
    ABSOLUTE_ERROR = 4
    POISSON = 5  # half the deviance of counts from their mean
    QUANTILE = 6  # the pinball loss about a quantile
    HUBER = 7  # squared near the centre, linear far from it


class LossKind(IntEnum):
    """The kinds of losses of a soft tree; formulas/losses.py has their formulas."""

    SQUARED = 0  # half the squared error, summed over targets
    LOGISTIC = 1  # minus the log probability, two classes, one output
    SOFTMAX = 2  # minus the log probability, one output per class (targets may be proportions that sum to 1)
    HUBER = 3  # squared up to `parameter`, linear beyond
    QUANTILE = 4  # minimal at the quantile `parameter` of the targets, slightly smoothed
    TWEEDIE = 5  # half the deviance of power `parameter`, of exp(output): 1 Poisson, 2 gamma, compound between
    PROBABILITY = 6  # as LOGISTIC, if leaves mix probabilities: the output is that of the second class
    PROBABILITIES = 7  # as SOFTMAX, if leaves mix probabilities: one output per class
    MEAN = 8  # as TWEEDIE, if leaves mix means: the output is the mean


@dataclass(frozen=True)
class Loss:
    """The loss of a soft tree: a kind, and the parameter of some kinds.

    Examples
    --------
    >>> Loss.POISSON == Loss(LossKind.TWEEDIE, 1.0), Loss.POISSON.link
    (True, <Link.LOG: 3>)
    """

    kind: LossKind
    parameter: float = 0.0

    SQUARED: ClassVar[Loss]
    LOGISTIC: ClassVar[Loss]
    SOFTMAX: ClassVar[Loss]
    ABSOLUTE: ClassVar[Loss]
    POISSON: ClassVar[Loss]
    GAMMA: ClassVar[Loss]

    @property
    def is_classes(self) -> bool:
        """Whether targets are classes, not numbers."""
        return self.mixing_outputs.kind in (LossKind.LOGISTIC, LossKind.SOFTMAX)

    @property
    def link(self) -> Link:
        """The map from the response of a leaf to its prediction: a probability, a mean."""
        return _LINKS.get(self.mixing_outputs.kind, Link.IDENTITY)

    @property
    def leaf_link(self) -> Link:
        """The link applied to the response of each leaf before the leaves are mixed."""
        return self.link if self.mixes_answers else Link.IDENTITY

    @property
    def output_link(self) -> Link:
        """The link applied to the output of the tree, after the leaves are mixed."""
        return Link.IDENTITY if self.mixes_answers else self.link

    @property
    def mixes_answers(self) -> bool:
        """Whether predictions are means of the leaves' predictions, not the link of the mean of their responses."""
        return self.kind in _MIXING_OUTPUTS

    @property
    def mixing_answers(self) -> Loss:
        """The same loss of a tree that mixes answers; without a link there is no difference.

        >>> Loss.POISSON.mixing_answers.kind.name, Loss.SQUARED.mixing_answers == Loss.SQUARED
        ('MEAN', True)
        """
        return Loss(_MIXING_ANSWERS.get(self.kind, self.kind), self.parameter)

    @property
    def mixing_outputs(self) -> Loss:
        """The same loss of a tree that mixes outputs."""
        return Loss(_MIXING_OUTPUTS.get(self.kind, self.kind), self.parameter)


_MIXING_ANSWERS = {
    LossKind.LOGISTIC: LossKind.PROBABILITY,
    LossKind.SOFTMAX: LossKind.PROBABILITIES,
    LossKind.TWEEDIE: LossKind.MEAN,
}
_MIXING_OUTPUTS = {answers: outputs for outputs, answers in _MIXING_ANSWERS.items()}
_LINKS = {LossKind.LOGISTIC: Link.SIGMOID, LossKind.SOFTMAX: Link.SOFTMAX, LossKind.TWEEDIE: Link.LOG}


Loss.SQUARED, Loss.LOGISTIC, Loss.SOFTMAX = (Loss(kind) for kind in (LossKind(0), LossKind(1), LossKind(2)))
Loss.ABSOLUTE, Loss.POISSON = Loss(LossKind.QUANTILE, 0.5), Loss(LossKind.TWEEDIE, 1.0)
Loss.GAMMA = Loss(LossKind.TWEEDIE, 2.0)


def class_loss(n_classes: int) -> Loss:
    """The log loss for this number of classes: up to two share one output, more have one output each.

    Examples
    --------
    >>> class_loss(2).kind.name, class_loss(3).kind.name
    ('LOGISTIC', 'SOFTMAX')
    """
    return Loss.LOGISTIC if n_classes <= 2 else Loss.SOFTMAX
