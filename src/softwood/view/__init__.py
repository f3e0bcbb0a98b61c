"""A tree to look at: a page in the browser. Views know the tree, never how it was learned.

`softwood.view` is this room and, called, the function `view`: whichever of the two was imported first.
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
