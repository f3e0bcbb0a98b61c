"""Pictures, pages and reports of a tree. Views depend on the tree alone, not on how it was learned.

`softwood.view` is this package and, when called, the function `view`, in any order of imports.
"""

import sys
from types import ModuleType
from typing import Any

from softwood.view.page import Page, view

__all__ = ["Page", "view"]


class _CallableRoom(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Page:
        return view(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableRoom
