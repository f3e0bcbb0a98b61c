"""Fits that set all learned attributes at once, at the end.

`fit` runs on a shallow copy of the estimator, whose attributes are taken over when it has ended. If it raises an error
or is interrupted, the estimator is unchanged: it never has the classes of one fit and the tree of another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from sklearn.exceptions import ConvergenceWarning

from softwood.kernels import begin_fit, end_fit

Learn = TypeVar("Learn", bound=Callable[..., Any])

OF_ANOTHER_TREE = "_conformal"  # learned from the errors of the previous tree (intervals.py)


def transactional_fit(learn: Learn) -> Learn:
    """Make a learning method all or nothing. It must replace earlier attributes, never change them in place.

    Examples
    --------
    >>> class Estimator:
    ...     @transactional_fit
    ...     def fit(self, y):
    ...         self.classes_ = set(y)
    ...         self.least_ = min(y)
    >>> estimator = Estimator().fit([2, 1])
    >>> estimator.fit([2, "1"])
    Traceback (most recent call last):
    TypeError: '<' not supported between instances of 'str' and 'int'
    >>> estimator.classes_
    {1, 2}
    """
    takes_callback = "callback" in signature(learn).parameters

    @wraps(learn)
    def all_or_nothing(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if "callback" in kwargs and not takes_callback:
            raise TypeError(
                f"{type(self).__name__}.{learn.__name__} does not support callback, because it has no steps that are "
                "trees. fit of CART, C4.5, discriminant, omnivariate, soft and budding trees supports it. For "
                "partial_fit, keep tree_ after each call."
            )
        learner = object.__new__(type(self))
        learner.__dict__ = dict(vars(self))
        learner.__dict__.pop(OF_ANOTHER_TREE, None)
        begin_fit()
        try:
            learn(learner, *args, **kwargs)
        finally:
            end_fit()
        self.__dict__ = vars(learner)
        return self

    return cast(Learn, all_or_nothing)


def warn_if_interrupted(interrupted: bool) -> None:
    """The end of a fit with `keep_on_interrupt=True`: a warning that it was interrupted."""
    if interrupted:
        told = "interrupted: the best tree so far is kept (keep_on_interrupt=True)."
        warnings.warn(told, ConvergenceWarning, stacklevel=5)
