"""What an estimator learns is set on it at once, when all is learned.

`fit` runs on a copy of the estimator that shares its parts; only when it has ended does the estimator take over what
the copy has. Until then, and where it refuses the data or is interrupted, the estimator stays as it was: never the
classes of one fit beside the tree of another.
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

OF_ANOTHER_TREE = "_conformal"  # what was learned of the errors of the tree before (intervals.py)


def transactional_fit(learn: Learn) -> Learn:
    """A method that learns, made all or nothing. What it had before must be replaced, never changed in place.

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
                f"{type(self).__name__}.{learn.__name__} takes no callback: it does not grow in steps that are trees. "
                "Trees that do: CART, C4.5, discriminant, omnivariate, soft and budding trees (fit). For partial_fit, "
                "keep tree_ after each call."
            )
        learner = object.__new__(type(self))
        learner.__dict__ = {name: value for name, value in vars(self).items() if name != OF_ANOTHER_TREE}
        begin_fit()
        try:
            learn(learner, *args, **kwargs)
        finally:
            end_fit()
        self.__dict__ = vars(learner)
        return self

    return cast(Learn, all_or_nothing)


def warn_if_interrupted(interrupted: bool) -> None:
    """What `keep_on_interrupt=True` promises: the fit ends, and says that it was cut short."""
    if interrupted:
        told = "interrupted: the best tree so far is kept, as keep_on_interrupt=True asks for."
        warnings.warn(told, ConvergenceWarning, stacklevel=5)
