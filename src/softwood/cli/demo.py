"""`softwood demo`: CART on scikit-learn's breast cancer data, from the rows to the rules."""

from __future__ import annotations

from time import perf_counter

import typer


def main() -> None:
    """Fit CART on 2/3 of the breast cancer data; show the pruning table, the rules and the accuracy on the rest."""
    # Here, not above: the other commands need neither learners nor data.
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    from softwood import CARTClassifier, to_text

    data = load_breast_cancer()
    diagnosis = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(data.data, diagnosis, test_size=1 / 3, random_state=0, stratify=diagnosis)

    model = CARTClassifier(random_state=0)
    start = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - start

    typer.echo(f"Breast cancer: {len(X)} rows to learn from, {len(X_test)} to test on, {X.shape[1]} features.\n")
    typer.echo(f"{model.pruning_table_}\n")
    typer.echo(to_text(model, feature_names=data.feature_names))
    accuracy = model.score(X_test, y_test)
    typer.echo(f"\nTest accuracy {accuracy:.3f} with {model.tree_.n_nodes} nodes, learned in {seconds:.2f} s.")
