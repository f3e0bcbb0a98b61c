"""`softwood prune model.softwood --n_leaves 5`: another tree of the pruning sequence, or a branch collapsed to a
leaf.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from softwood.cli.arguments import AsJson, ModelFile, Output

Leaves = Annotated[int | None, typer.Option("--n_leaves", "--n-leaves", help="Maximum number of leaves.")]
Alpha = Annotated[float | None, typer.Option("--alpha", help="Penalty per leaf (alpha).")]
Node = Annotated[int | None, typer.Option("--node", help="Number (in `show`) of a branch to turn into a leaf.")]


def main(
    model: ModelFile,
    n_leaves: Leaves = None,
    alpha: Alpha = None,
    node: Node = None,
    out: Output = None,
    json: AsJson = False,
) -> None:
    """Write a smaller (or larger) tree of the pruning sequence to --out; without a size print the sequence."""
    from softwood import save
    from softwood.cli.model_files import load_model
    from softwood.cli.output import check_output, print_json, print_tree

    fitted = load_model(model)
    if not hasattr(fitted, "prune_to"):
        raise ValueError(
            f"{model!r} holds a {type(fitted).__name__}, which has no pruning sequence; models cart and ldt have one."
        )
    if n_leaves is None and alpha is None and node is None:
        print_json(_sequence(fitted)) if json else typer.echo(str(fitted.pruning_table_))
        return
    if sum(each is not None for each in (n_leaves, alpha, node)) > 1:
        raise ValueError("give one of --n_leaves, --alpha and --node.")
    if out is None:
        raise ValueError("--out is required: the file for the pruned model (it may be the same file).")
    check_output(out)  # the model itself may be replaced by a pruned one
    pruned = fitted.snip(node) if node is not None else fitted.prune_to(alpha=alpha, n_leaves=n_leaves)
    save(pruned, out)
    if json:
        tree = pruned.tree_
        print_json({"model": out, "nodes": tree.n_nodes, "leaves": tree.n_leaves, "held_out": pruned.held_out_})
    else:
        print_tree(pruned)
        typer.echo(f"\nwrote  {out}")


def _sequence(model: Any) -> list[dict[str, Any]]:
    table = model.pruning_table_
    names = ("alpha", "n_leaves", "error", "tested_error", "standard_error")
    rows = zip(*(getattr(table, name).tolist() for name in names), strict=True)
    return [{**dict(zip(names, row, strict=True)), "chosen": at == table.chosen} for at, row in enumerate(rows)]
