"""The tree inside a model, pipeline or search, for printing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from softwood.tree import Schema, Tree


@dataclass(frozen=True)
class Inside:
    """The estimator, its tree with the names to print, and the steps before it."""

    model: Any
    tree: Tree
    steps: tuple[str, ...] = ()
    transformers: tuple[Any, ...] = ()  # the steps themselves


def look_inside(model: Any, feature_names: Sequence[str] | None = None, wanted_by: str = "to_text") -> Inside:
    """The tree of a `Tree`, a fitted estimator, a pipeline that ends in one, or a search over either.

    Parameters
    ----------
    feature_names : names to print instead of the model's own; None: those of the pipeline's steps if the estimator has
        none.
    wanted_by : the calling function, for error messages.
    """
    steps: list[tuple[str, Any]] = []
    found: Sequence[str] | None = None
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif isinstance(getattr(model, "steps", None), list) and model.steps:
            before = [(name, step) for name, step in model.steps[:-1] if step is not None and step != "passthrough"]
            found, steps = (_names_after(model) if before else found), [*steps, *before]
            model = model.steps[-1][1]
        else:
            break
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"{wanted_by} needs a Tree or a fitted softwood estimator, got {type(model).__name__}; call fit first."
        )
    if feature_names is None and found is not None and not hasattr(model, "feature_names_in_"):
        feature_names = found if len(found) == tree.n_features else None
    if feature_names is not None:
        tree = tree.replace(schema=_renamed(tree.schema, feature_names))
    return Inside(model, tree, tuple(name for name, _ in steps), tuple(step for _, step in steps))


def _names_after(pipeline: Any) -> list[str] | None:
    """Output names of the steps before the last; None if a step does not provide them."""
    try:
        return [str(name) for name in pipeline[:-1].get_feature_names_out()]
    except (AttributeError, TypeError, ValueError):
        return None


def _renamed(schema: Schema, names: Sequence[str]) -> Schema:
    if len(names) != schema.n_features:
        raise ValueError(f"feature_names must have {schema.n_features} names, one per feature, got {len(names)}.")
    return replace(schema, features=tuple(map(str, names)))
