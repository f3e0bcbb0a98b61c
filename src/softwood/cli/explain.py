"""`softwood explain model.softwood data.csv --row 3`: why the model makes its prediction for a row."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, Data, ModelFile, Nulls, Seed, Separator
from softwood.cli.models import read_value

Row = Annotated[int, typer.Option("--row", help="Number of the row, from 0.")]
Background = Annotated[str | None, typer.Option("--background", help="Background rows; default: those of DATA.")]
Answer = Annotated[str | None, typer.Option("--answer", help="Class to explain; default: the predicted one.")]
Most = Annotated[int, typer.Option("-n", help="Maximum number of inputs.")]


def main(
    model: ModelFile,
    data: Data,
    row: Row = 0,
    background: Background = None,
    answer: Answer = None,
    n: Most = 8,
    null: Nulls = None,
    separator: Separator = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Show what every input adds to the prediction of one row, and the path of the row through the tree."""
    import numpy as np

    from softwood import explain
    from softwood.cli.model_files import load_model, read_rows
    from softwood.cli.output import print_json

    fitted = load_model(model)
    inputs = fitted.tree_.schema.features
    table = read_rows(fitted, data, tuple(null or ()), separator)
    if not 0 <= row < len(table):
        raise ValueError(f"--row must be from 0 to {len(table) - 1}, the last row of {data!r}, got {row}.")
    one = table.rows(np.array([row])).pick(inputs)
    others = table if background is None else read_rows(fitted, background, tuple(null or ()), separator)
    told = explain(fitted, one, background=others.pick(inputs), random_state=seed)
    wanted = find_label(fitted, answer)
    if json:
        print_json({"row": row, **_facts(told, wanted, n)})
    else:
        typer.echo(told.to_text(0, wanted, n))


def find_label(model: Any, answer: str | None) -> Any:
    """The class or target with this name; None if no name is given."""
    if answer is None:
        return None
    known = model.tree_.schema.answers
    found = [label for label in known if label == answer or label == read_value(answer) or str(label) == answer]
    if not found:
        raise ValueError(f"--answer must be one of {', '.join(map(str, known)):.300}, got {answer!r}.")
    return found[0]


def _facts(told: Any, answer: Any, n: int) -> dict[str, Any]:
    answer = told.decided(0) if answer is None else answer
    unit, all_rows, _ = told.of(answer)
    return {
        "answer": answer,
        "unit": unit,
        "base": told.base_of(answer),
        "sum": float(all_rows[0].sum()),
        "reasons": [
            {"input": each.name, "contribution": each.contribution, "standard_error": each.standard_error,
             "text": each.text}
            for each in told.reasons(0, answer, n)
        ],
        "paths": [
            {"node": each.node, "share": each.share, "conditions": each.conditions, "answer": each.answer}
            for each in told.paths(0)
        ],
    }  # fmt: skip
