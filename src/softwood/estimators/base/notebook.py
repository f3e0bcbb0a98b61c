"""Display of a fitted estimator in a notebook: scikit-learn's display, with a small drawing below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FRAME = '<div style="overflow-x:auto;margin-top:0.5em">{}</div>'


class ShownInNotebook:
    """Adds the drawing to scikit-learn's display; a mixin to the left of BaseEstimator.

    `sklearn.set_config(display="text")` turns off both, as it does for every estimator.
    """

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]  # of BaseEstimator
        if "text/html" in bundle:
            bundle["text/html"] += _drawing(self)
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """For viewers that need HTML; absent if the display is text, as in scikit-learn."""
        theirs: Callable[[], str] = super()._repr_html_  # type: ignore[misc]  # of BaseEstimator
        return lambda: theirs() + _drawing(self)


def _drawing(model: Any) -> str:
    """The drawing of a fitted model; empty for an unfitted one."""
    from softwood.formats.drawing import draw_small  # here, not above: learning needs no drawing

    tree = getattr(model, "tree_", None)
    return "" if tree is None else FRAME.format(draw_small(tree))
