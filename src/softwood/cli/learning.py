"""The work of `softwood fit`: rows and plan from the command line, the choice between models, the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import typer

from softwood.cli.models import make_model
from softwood.cli.output import prefixed
from softwood.cli.table_files import Reading

MOST_TRIED = 5_000  # maximum number of rows on which auto chooses between models
TRIED = ("cart", "soft")  # models that auto tries, the simplest first


@dataclass(frozen=True)
class Source:
    """Where the rows are, and the role of their columns, from the command line."""

    data: str
    target: str
    task: str
    drop: tuple[str, ...]
    weight: str | None
    reading: Reading


@dataclass(frozen=True)
class Plan:
    """The plan: model, words of its options, folds, seed, and output path."""

    model: str
    words: Sequence[str]
    folds: int
    seed: int
    path: str


@dataclass(frozen=True)
class Learned:
    """A fitted model, its held-out error (None if not requested), the text to print and the facts for --json."""

    model: Any
    error: Any
    said: str
    facts: dict[str, Any]


def learn(training: Any, plan: Plan, tell: Callable[[str], None]) -> Learned:
    """Choose, fit, save, and measure the error."""
    from softwood import save
    from softwood.cli.measure import deal_folds, measure_model

    name, why = (plan.model, "") if plan.model != "auto" else choose(training, plan, tell)

    def make() -> Any:
        return make_model(name, training.task, plan.words, plan.seed)

    tell(f"learning {name} from {len(training):,} rows")
    begin = perf_counter()
    model = fit_quietly(make(), training)
    seconds = perf_counter() - begin
    dealt = deal_folds(training, model, plan.folds, plan.seed) if plan.folds else None
    save(model, plan.path)
    error = None
    if dealt is not None:
        error = measure_model(make, training, model, dealt, lambda text: tell(f"error of {name}: {text}"))
    said = f"{name}{why}: {type(model).__name__}, learned in {seconds:.2f} s"
    facts = {**facts_of(model, name, training, plan), "rows": len(training), "fit_seconds": seconds}
    return Learned(model, error, said, {**facts, "error": None if error is None else error.to_dict()})


def facts_of(model: Any, name: str, training: Any, plan: Plan) -> dict[str, Any]:
    """The facts of a model for --json."""
    tree = model.tree_
    return {
        "model": plan.path, "name": name, "estimator": type(model).__name__, "task": training.task,
        "target": training.target, "inputs": training.inputs, "nodes": tree.n_nodes, "leaves": tree.n_leaves,
        "depth": tree.depth, "monotone": describe_proof(tree),
    }  # fmt: skip


def describe_proof(tree: Any) -> dict[str, Any] | None:
    """The monotone certificate for --json; None if the tree was learned without constraints."""
    from softwood.tree.proofs import recorded_certificate

    proof = recorded_certificate(tree)
    return None if proof is None else {"holds": proof.holds, "signs": proof.signs, "failures": list(proof.failures)}


def choose(training: Any, plan: Plan, tell: Callable[[str], None]) -> tuple[str, str]:
    """The simplest of TRIED, unless another's error is lower by more than the standard error of the difference."""
    import numpy as np

    from softwood.cli.measure import deal_folds, measure_model

    some = training.some(MOST_TRIED, plan.seed)
    tested: dict[str, Any] = {}
    dealt: Any = None
    for name in TRIED:
        tell(f"trying {name}")
        model = fit_quietly(make_model(name, training.task, seed=plan.seed), some)
        dealt = dealt or deal_folds(some, model, plan.folds or 5, plan.seed)
        make = partial(make_model, name, training.task, seed=plan.seed)
        tested[name] = measure_model(make, some, model, dealt, prefixed(tell, f"trying {name}"))
    simple, other = TRIED
    gain = tested[simple].losses - tested[other].losses
    least = float(np.std(gain) / np.sqrt(len(gain)))
    chosen = other if float(np.average(gain, weights=tested[simple].weight)) > least else simple
    values = ", ".join(f"{name} {each.interval[0]:.4g}" for name, each in tested.items())
    rows = f" of {len(some):,} rows" if len(some) < len(training) else ""
    return chosen, f", chosen by auto ({tested[simple].measure}{rows}: {values})"


def fit_quietly(model: Any, training: Any, target: str | None = None, weight: str | None = None) -> Any:
    """The model fitted to training rows, or to batches with the names of target and weight; warnings are one line on
    stderr.
    """
    import warnings

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        if target is None:
            model.fit(training.X, training.y, sample_weight=training.weight)
        else:
            model.fit(training, target, sample_weight=weight)
    for text in dict.fromkeys(str(each.message) for each in raised if "column-vector" not in str(each.message)):
        typer.echo(f"note: {' '.join(text.split())}", err=True)
    return model
