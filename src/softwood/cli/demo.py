"""`softwood demo`: a hard and a soft tree on scikit-learn's breast cancer data: rules, a page and a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import typer


def main() -> None:
    """Fit CART and a soft tree on 2/3 of the breast cancer data; show their rules and the accuracy on the rest."""
    # Here, not above: the other commands need neither learners nor data.
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    from softwood import CARTClassifier, SoftTreeClassifier, report, view
    from softwood.cli.output import print_tree

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, diagnosis, test_size=1 / 3, random_state=0, stratify=diagnosis)
    typer.echo(f"Breast cancer: {len(X)} training rows, {len(X_test)} test rows, {X.shape[1]} features.\n")

    def show(model: Any, before: Callable[[], str] = str) -> None:
        start = perf_counter()
        model.fit(X, y)
        seconds = perf_counter() - start
        typer.echo(before(), nl=False)
        print_tree(model, feature_names=data.feature_names)
        accuracy = model.score(X_test, y_test)
        typer.echo(f"\nTest accuracy {accuracy:.3f} with {model.tree_.n_nodes} nodes, learned in {seconds:.2f} s.")

    hard = CARTClassifier(random_state=0)
    show(hard, lambda: f"{hard.pruning_table_}\n\n")
    typer.echo(
        "\nA soft tree on the same rows: a gate is a weighted sum and sends a proportion of each row both ways.\n"
    )
    soft = SoftTreeClassifier(gate="linear", leaf="constant", max_gate_features=2)
    show(soft)
    named = soft.tree_.replace(schema=replace(soft.tree_.schema, features=tuple(data.feature_names)))
    page = view(named, X_test, y_test)
    typer.echo(f"\nThe soft tree as an interactive page: {page.path}")
    if find_spec("matplotlib") is None:
        typer.echo("The report needs matplotlib: pip install 'softwood[view]'.")
        return
    beside = page.path.with_name(f"{page.path.stem}-report.html")
    notes = {"Intended use": "A demonstration on public data; not for patients."}
    written = report(named, X_test, y_test, title="Breast cancer: a soft tree", notes=notes, path=beside)
    typer.echo(f"A report on the test rows: {written.path}")
