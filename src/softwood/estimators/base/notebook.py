"""How a fitted estimator shows itself in a notebook: scikit-learn's display, and below it a small drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FRAME = '<div style="overflow-x:auto;margin-top:0.5em">{}</div>'


class ShownInNotebook:
    """Adds the drawing to what scikit-learn shows; stands left of BaseEstimator.

    `sklearn.set_config(display="text")` turns off both, as it does for every estimator.
    """

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]  # of BaseEstimator
        if "text/html" in bundle:
            bundle["text/html"] += _drawing(self)
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """For viewers that ask for HTML alone; not there where the display is text, as scikit-learn's own."""
        theirs: Callable[[], str] = super()._repr_html_  # type: ignore[misc]  # of BaseEstimator
        return lambda: theirs() + _drawing(self)


def _drawing(model: Any) -> str:
    """The tree of a fitted model; nothing of one that is not."""
    from softwood.formats.drawing import draw_small  # here, not above: learning needs no drawing

    tree = getattr(model, "tree_", None)
    return "" if tree is None else FRAME.format(draw_small(tree))
