"""mkdocs hook: the page of a tree that the home page shows in a frame, written by `view` when the site is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PLACE = Path("live/iris.html")  # in the site; docs/index.md names it


def on_post_build(*, config: Any) -> None:
    path = Path(config.site_dir) / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_page(path)


def write_page(path: Path) -> None:
    """The soft tree of README on the iris data, with the steps of its growth."""
    from sklearn.datasets import load_iris

    from softwood import SoftTreeClassifier, view

    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target_names[iris.target]
    steps: list[Any] = []
    model = SoftTreeClassifier(readable=True).fit(X, y, callback=steps.append)
    view(model, X, y, path=path, steps=steps)
