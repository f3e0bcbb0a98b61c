"""save and load: a fitted estimator as a `.softwood` file and back; training can continue.

    header   {"softwood": version, "estimator": name, "parameters": {...}, "tree": {...}, "learned": {...}}

The file names an estimator (`registry`), its parameters (`parameters`), its tree (`formats.arrays`) and its other
learned attributes (`fitted`). Loading runs no code from the file; docs/file.md describes every part.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from softwood.estimators.base.base import TreeEstimator
from softwood.formats.container import read_container, write_container
from softwood.formats.failure import FileError, reading
from softwood.persistence.fitted import Fitted, check_fitted, learned_by, may_lack
from softwood.persistence.history import History, read_history, write_history
from softwood.persistence.parameters import read_parameters, write_parameters
from softwood.persistence.pipelines import read_pipeline, write_pipeline
from softwood.persistence.registry import ESTIMATORS, class_named
from softwood.persistence.stored import Arrays, read_tree, read_value, write_value
from softwood.release import __version__
from softwood.tree import Tree


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a `Tree`, to a file.

    Writing is atomic: after a crash there is the old file or the new one. The same model gives the same bytes.

    Parameters
    ----------
    model : a fitted estimator of softwood, a `Tree`, or a `Pipeline` of scikit-learn that ends in an estimator of
        softwood (docs/file.md says which steps it may have).
    path : path of the file, by convention `name.softwood`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CARTClassifier().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, pathlib.Path(folder) / "iris.softwood")
    ...     again = load(pathlib.Path(folder) / "iris.softwood")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    arrays: Arrays = {}
    if isinstance(model, Tree):
        told: dict[str, Any] = {"estimator": "Tree", "tree": write_value(model, "tree", arrays)}
    elif isinstance(model, Pipeline):
        told = write_pipeline(model, arrays, _write_fitted)
    else:
        told = _write_fitted(model, "", arrays)
    write_container(path, {"softwood": __version__, **told}, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read the estimator (`Tree`, pipeline) that `save` wrote. It gives the same predictions to the last bit, and
    training can continue.

    No code from the file is run. A file that is damaged, truncated, malicious or of a newer softwood raises a
    FileError.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from softwood import CARTRegressor, load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(CARTRegressor().fit([[1.0], [2.0]], [3.0, 5.0]), pathlib.Path(folder) / "model.softwood")
    ...     load(pathlib.Path(folder) / "model.softwood").tree_.n_features
    1
    """
    header, arrays = read_container(path)
    what = f"{Path(path).name!r:.80}"
    with reading(what):
        if not isinstance(header.pop("softwood", None), str):
            raise FileError(f"{what} must name the softwood version that wrote it.")
        if header.get("estimator") == "Tree":
            if header.keys() != {"estimator", "tree"}:
                raise FileError(f"{what} must hold a tree and nothing else, got {list(header)!r:.80}.")
            model: Any = read_tree(header["tree"], "tree", arrays)
        elif header.get("estimator") == "Pipeline":
            model = read_pipeline(header, arrays, _read_fitted)
        else:
            model = _read_fitted(header, "", arrays)
        if arrays:
            raise FileError(f"{what} has arrays that are not part of the model: {list(arrays)!r:.80}.")
        return model


def _write_fitted(model: Any, at: str, arrays: Arrays) -> dict[str, Any]:
    name = type(model).__name__
    if not isinstance(model, TreeEstimator) or name not in ESTIMATORS or class_named(name) is not type(model):
        raise TypeError(f"save needs a Tree or one of {', '.join(ESTIMATORS)}, got {name}.")
    check_is_fitted(model, "tree_")
    given = {**vars(model), **({"_params": model._lazy_tree.params} if "_lazy_tree" in vars(model) else {})}
    learned = {}
    for attribute, kind in learned_by(type(model)).items():
        here = f"{at}learned/{attribute}"
        if attribute not in given:
            if not may_lack(type(model), attribute):
                raise TypeError(f"{name} has no {attribute}; fit it again, then save.")
        elif kind is Fitted:
            learned[attribute] = _write_fitted(given[attribute], f"{here}/", arrays)
        elif kind == History:
            learned[attribute] = write_history(given[attribute], here, arrays)
        else:
            learned[attribute] = write_value(given[attribute], here, arrays)
    return {
        "estimator": name,
        "parameters": write_parameters(model, f"{at}parameters", arrays),
        "tree": write_value(model.tree_, f"{at}tree", arrays),
        "learned": learned,
    }


def _read_fitted(stored: Any, at: str, arrays: Arrays) -> Any:
    names = {"estimator", "parameters", "tree", "learned"}
    if not isinstance(stored, Mapping) or stored.keys() != names or not isinstance(stored["learned"], Mapping):
        raise ValueError(f"a model must have {', '.join(sorted(names))}, got {stored!r:.80}.")
    kind = class_named(stored["estimator"])
    model = kind(**read_parameters(kind, stored["parameters"], f"{at}parameters", arrays))
    tree = read_tree(stored["tree"], f"{at}tree", arrays)
    wanted, found = learned_by(kind), stored["learned"]
    lacks = [name for name in wanted if name not in found and not may_lack(kind, name)]
    if lacks or not found.keys() <= wanted.keys():
        raise ValueError(f"a {kind.__name__} has learned {', '.join(wanted)}; got {', '.join(found):.200}.")
    learned = {name: _read_learned(wanted[name], found[name], f"{at}learned/{name}", arrays) for name in found}
    check_fitted(kind, tree, learned)
    return model._restore(tree, learned)


def _read_learned(kind: Any, stored: Any, at: str, arrays: Arrays) -> Any:
    if kind is Fitted:
        return _read_fitted(stored, f"{at}/", arrays)
    if kind == History:
        return read_history(stored, at, arrays)
    return read_value(kind, stored, at, arrays)
