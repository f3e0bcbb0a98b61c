"""`softwood inspect model.softwood`: the content of a file: the model on one screen, its parameters, its inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from softwood.cli.arguments import AsJson, ModelFile
from softwood.cli.learning import describe_proof
from softwood.cli.output import print_facts, print_json
from softwood.tree import Kind
from softwood.tree.proofs import recorded_certificate
from softwood.tree.schema import Input
from softwood.tree.spelling import spell_label, spell_list, spell_number

ROOM = 70  # columns for the levels of one input


def main(model: ModelFile, json: AsJson = False) -> None:
    """Show the content of a model file."""
    from softwood import Tree, load, summary

    fitted = load(model)
    tree = fitted if isinstance(fitted, Tree) else fitted.tree_
    size = Path(model).stat().st_size
    origin = tree.provenance
    if json:
        held = None if isinstance(fitted, Tree) else fitted.held_out_
        print_json({"file": model, "bytes": size, **_facts(tree), "held_out": held})
        return
    typer.echo(f"{summary(fitted)}\n")
    proof = recorded_certificate(tree)
    if proof is not None:
        typer.echo(f"{proof}\n")
    told = [("file", f"{model}, {size:,} bytes")]
    if origin is not None:
        changed = {name: value for name, value in origin.parameters.items() if value is not None}
        told.append(("learned by", f"{origin.estimator}, softwood {origin.version}"))
        told.append(("parameters", ", ".join(f"{name}={value!r}" for name, value in changed.items())))
        told += [("changed", ", ".join(origin.changes))] if origin.changes else []
    print_facts(told)
    typer.echo("\ninputs")
    print_facts([(f"  {each.name}", _spell(each)) for each in tree.schema.inputs])


def _facts(tree: Any) -> dict[str, Any]:
    schema = tree.schema
    return {
        "task": schema.task,
        "target": schema.target or (schema.answers[0] if schema.task == "regression" else ""),
        "answers": schema.answers,
        "nodes": tree.n_nodes,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "hard": tree.is_hard,
        "monotone": describe_proof(tree),
        "inputs": [
            {"name": each.name, "kind": str(each.kind), "levels": each.levels,
             "range": None if each.summary is None else each.summary.range}
            for each in schema.inputs
        ],
        "provenance": None if tree.provenance is None else tree.provenance.to_dict(),
    }  # fmt: skip


def _spell(one: Input) -> str:
    text = str(one.kind)
    if one.levels is not None:
        text += f": {spell_list([spell_label(level) for level in one.levels], ROOM)}"
    if one.summary is None:
        return text
    if one.summary.range is not None and one.kind != Kind.BOOLEAN:
        low, high = one.summary.range
        text += f" from {spell_number(low)} to {spell_number(high)}"
    return text + (f", {spell_number(one.summary.missing)} missing" if one.summary.missing else "")
