"""A property that is computed on first access and cached in the object.

Like functools.cached_property, but without its lock: in Python 3.11 it is one lock for all objects of a class, held
during the computation. A process forked while another thread holds it would deadlock. Here two threads may both compute
a value; both get the first result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class computed_once(Generic[T]):  # noqa: N801  # a decorator, named as `property` is
    """Decorates a method without parameters; its value is stored in the object's `__dict__` under the method's name.

    Examples
    --------
    >>> class Square:
    ...     side = 3
    ...     @computed_once
    ...     def area(self) -> int:
    ...         print("computed")
    ...         return self.side**2
    >>> square = Square()
    >>> square.area + square.area
    computed
    18
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__
        self.name = compute.__name__

    @overload
    def __get__(self, struct: None, owner: type) -> Self: ...
    @overload
    def __get__(self, struct: object, owner: type) -> T: ...
    def __get__(self, struct: object | None, owner: type) -> Self | T:
        if struct is None:
            return self
        value: T = vars(struct).setdefault(self.name, self.compute(struct))
        return value
