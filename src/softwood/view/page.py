"""One tree as one self-contained HTML file: no network, no server, no build.

    view/viewer/page.html, page.css, *.js      the sources of the page
    {"model": ..., "words": ..., "rules": ..., "rows": ...}      its data, one JSON

`model` is what `to_json` writes; `evaluate.js` computes the equation of the tree from it. The modules are concatenated
in one scope, in the order of their imports, so the page also opens from a local file, where browsers load no modules.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.explain.rows import through_steps
from softwood.formats.json import to_json
from softwood.formats.models import look_inside
from softwood.formats.replace import replace_file
from softwood.tree import Tree
from softwood.view.growth import growth_trees, step_title
from softwood.view.rows import read_rows
from softwood.view.told import told_nodes
from softwood.view.words import page_rules, page_words

FIRST_MODULE = "main.js"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?function |const |class )", re.MULTILINE)
MOST_STEPS = 40  # of the slider, to keep the page small
FRAME_HEIGHT = 720  # pixels, in a notebook


class Page:
    """A written page.

    Attributes
    ----------
    path : the file.
    text, html : its text.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.html = path, text

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"Page({str(self.path)!r})"

    def _repr_html_(self) -> str:
        """The page inside a notebook, in an iframe that isolates its styles and names."""
        frame = f'width="100%" height="{FRAME_HEIGHT}" style="border:1px solid #8884" title="softwood tree"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html, quote=True)}"></iframe>'


def view(
    model: Any, X: Any = None, y: Any = None, path: str | os.PathLike[str] | None = None, *, steps: Any = None
) -> Page:
    """Write an interactive page that shows a tree and computes its predictions.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, a pipeline or a search that ends in one.
    X : rows to choose from on the page, as for the model's `predict` (for a pipeline the page shows the output of the
        steps before the tree). From a long table, evenly spaced rows. None: sliders only. The file contains these rows:
        omit confidential ones.
    y : their actual values, shown beside the row; needs X.
    path : where to write; None: a new file in the folder for temporary files.
    steps : the list of trees that `fit(X, y, callback=steps.append)` filled: a slider above the tree shows them. If
        there are many, 40 evenly spaced ones. None: the tree only.

    Returns
    -------
    A `Page`; in a notebook it shows itself.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor, view
    >>> X = np.arange(20.0)[:, None]
    >>> page = view(CARTRegressor().fit(X, X[:, 0] > 7), X)
    >>> page.path.suffix
    '.html'
    """
    inside = look_inside(model, wanted_by="view")
    tree = inside.tree
    if y is not None and X is None:
        raise ValueError("y without X: actual values belong to rows; pass both or neither.")
    origin = tree.provenance
    name = origin.estimator if origin is not None and origin.estimator else type(inside.model).__name__
    data = _facts_of(tree, name) | {"rows": None if X is None else read_rows(tree, through_steps(model, X)[1], y)}
    if steps is not None:
        data["steps"] = _steps(tree, steps, name)
    text = _fill(data)
    if path is None:
        handle, name = tempfile.mkstemp(prefix="softwood-", suffix=".html")
        os.close(handle)
        path = name
    replace_file(path, (text.encode(),))
    return Page(Path(path), text)


def _facts_of(tree: Tree, name: str) -> dict[str, Any]:
    told = told_nodes(tree)
    return {"model": _model(tree), "words": page_words(tree, name, told), "rules": page_rules(tree, told)}


def _steps(tree: Tree, steps: Any, name: str) -> list[dict[str, Any]]:
    """The data of every step; the last is the tree itself."""
    chosen = growth_trees(steps, "view", MOST_STEPS)
    last, final = chosen[-1]
    if not final.schema.same_columns_and_answers(tree.schema):
        raise ValueError("view needs steps of the model that is shown; these have other inputs or answers.")
    return [{"title": step_title(at, last, step), **_facts_of(step, name)} for at, step in chosen]


def _model(tree: Tree) -> Any:
    """The result of `to_json` as Python objects; effects, which only sort and scale drawings, are rounded."""
    model = json.loads(to_json(tree))
    model["tree"]["weight_effect"] = _short(tree.weight_effect)
    model["tree"]["slope_effect"] = _short(tree.slope_effect)
    return model


def _short(values: npt.NDArray[np.float64]) -> list[Any]:
    """To four digits of the largest."""
    top = float(np.max(np.abs(values), initial=0.0))
    digits = 4 - math.floor(math.log10(top)) if top > 0 else 0
    short: list[Any] = np.round(values, min(max(digits, 0), 300)).tolist()
    return short


def _fill(data: dict[str, Any]) -> str:
    parts = {
        "title": html.escape(f"{data['words']['title']}: softwood"),
        "style": _source("page.css"),
        "script": script(),
        "data": embed(data),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _source("page.html"))


def embed(data: Any) -> str:
    """JSON inside a script element, escaped so that no text can end the element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)  # lone surrogates


@cache
def script() -> str:
    """All modules in one scope, each after its imports."""
    told: dict[str, str] = {}

    def tell(name: str, above: tuple[str, ...] = ()) -> None:
        if name in told:
            return
        if name in above:
            raise ImportError(f"the modules of the page import each other in a circle: {' → '.join((*above, name))}.")
        source = _source(name)
        for needed in IMPORT.findall(source):
            tell(needed, (*above, name))
        told[name] = EXPORT.sub("", IMPORT.sub("", source))

    tell(FIRST_MODULE)
    return "\n".join(told.values())


def _source(name: str) -> str:
    return files("softwood.view").joinpath("viewer", name).read_text(encoding="utf-8")
