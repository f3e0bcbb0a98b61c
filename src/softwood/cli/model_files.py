"""A saved model, and rows in its format."""

from __future__ import annotations

from typing import Any

from softwood.cli.table import Table
from softwood.cli.table_files import Reading


def load_model(path: str) -> Any:
    """The fitted estimator in a file; an error for a bare tree."""
    from softwood import Tree, load

    model = load(path)
    if isinstance(model, Tree):
        raise ValueError(f"{path!r} holds a bare tree, but this command needs a model written by `softwood fit`.")
    if not hasattr(model, "tree_"):
        raise ValueError(f"{path!r} holds a pipeline; the commands take models without steps: load it in Python.")
    return model


def read_rows(
    model: Any, source: str, nulls: tuple[str, ...] = (), separator: str | None = None, others: tuple[str, ...] = ()
) -> Table:
    """The rows of a file, with all inputs of the model; `others` are further required columns.

    Categories with text levels are always read as text: "01" stays "01".
    """
    table = Table.read(source, Reading(text_columns(model), nulls, separator))
    table.require([*model.tree_.schema.features, *others], "the model")
    return table


def text_columns(model: Any) -> tuple[str, ...]:
    """Inputs that are categories of text."""
    schema = model.tree_.schema
    levels = zip(schema.features, schema.categories, strict=True)
    return tuple(name for name, names in levels if names and all(isinstance(each, str) for each in names))
