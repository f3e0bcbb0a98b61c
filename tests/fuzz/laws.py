"""Laws of every fitted model: small functions that return a violation, or None.

The cheap ones examine one model. Those of REFIT fit again under an irrelevant change and compare predictions.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

import softwood
from softwood.kernels.formulas.equation import expand
from softwood.kernels.kinds import Score, Squash
from tests.fuzz.cases import Case
from tests.fuzz.containers import CONTAINERS
from tests.fuzz.tables import Table

Broken = str | None
ROUNDING, REFINED = 1e-9, 1e-6  # of the largest answer: hard trees, and those that an optimiser refines
LOG_LINKED = ("poisson", "gamma", "tweedie")  # losses whose linear leaves follow an exponential: inf far out


@dataclass(frozen=True)
class Fitted:
    """A model with its case and rows to predict: the training rows, and others made from their cells."""

    case: Case
    model: Any
    rows: list[Any]

    @property
    def tolerance(self) -> float:
        return ROUNDING if self.case.exact else REFINED

    def answers(self, model: Any) -> list[Any]:
        return [answer(model, X) for X in self.rows]

    def settled(self, model: Any) -> list[Any]:
        """Predictions, NaN for rows on the border of a hard linear gate, where the last digit decides."""
        given = [np.array(one) for one in self.answers(model)]
        for one, X in zip(given, self.rows, strict=True):
            one[on_border(model.tree_, model._read(X))] = np.nan
        return given


def fit_case(case: Case, table: Table | None = None, **changed: Any) -> Any:
    """The model of a case; of another table, or with changed parameters. X_val and y_val stay those of the case."""
    table = case.table if table is None else table
    model = getattr(softwood, case.estimator)(**{**case.parameters, **changed})
    return fit_model(model, case, table)


def fit_model(model: Any, case: Case, table: Table) -> Any:
    held = case.table.rows(list(range(case.half))) if case.held else None
    more = {} if held is None else {"X_val": held.X, "y_val": held.y}
    if table.group is not None:
        more["groups"] = table.group
    return model.fit(table.X, table.y, sample_weight=table.weight, **more)


def probes(case: Case) -> list[Any]:
    """The training rows, rows whose cells come from different ones, and rows further out."""
    rng, make = np.random.default_rng(case.seed), CONTAINERS[case.table.container]
    mixed = {name: [cells[i] for i in rng.permutation(len(cells))] for name, cells in case.table.columns.items()}
    times = 10 if case.parameters.get("loss") in LOG_LINKED else 1000
    far = {name: [_further(cell, times, rng) for cell in cells] for name, cells in mixed.items()}
    return [case.table.X, make(mixed), make(far)]


def _further(cell: Any, times: float, rng: np.random.Generator) -> Any:
    """Mostly the cell; sometimes a larger number, or an unseen level."""
    if cell is None or isinstance(cell, bool) or rng.random() < 0.7:
        return cell
    if isinstance(cell, str):
        return "never seen"
    return cell * times if isinstance(cell, float) and abs(cell) < 60 else cell


def answer(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def on_border(tree: softwood.Tree, X: Any) -> Any:
    """Rows whose score at a hard linear gate is 0 up to rounding."""
    found = np.zeros(len(X), bool)
    hard = np.flatnonzero((tree.score == Score.LINEAR) & (tree.squash == Squash.STEP))
    phi = expand(tree.basis, X) if len(hard) else X
    for node in hard:
        at = slice(tree.weight_begin[node], tree.weight_begin[node + 1])
        parts = phi[:, tree.weight_column[at]] * tree.weight[at]
        size = np.abs(parts).sum(axis=1) + abs(tree.bias[node])
        found |= np.abs(parts.sum(axis=1) + tree.bias[node]) <= ROUNDING * size
    return found


# -- of one model --------------------------------------------------------------------------------------------------


def answers_are_finite(fitted: Fitted) -> Broken:
    for given in fitted.answers(fitted.model):
        if not np.isfinite(given).all():
            return f"answers {given[~np.isfinite(given)][0]}"
    return None


def chances_sum_to_one(fitted: Fitted) -> Broken:
    if not is_classifier(fitted.model):
        return None
    for given in fitted.answers(fitted.model):
        if (given < 0).any() or (given > 1).any() or (np.abs(given.sum(axis=1) - 1) > 1e-9).any():
            return f"probabilities {given[np.abs(given.sum(axis=1) - 1).argmax()].tolist()}"
    return None


def answers_have_one_row_each(fitted: Fitted) -> Broken:
    case, model = fitted.case, fitted.model
    given = model.predict(case.table.X)
    if is_classifier(model):
        same = set(given.tolist()) <= set(model.classes_.tolist()) == set(case.table.y)
        return None if same and given.shape == (len(case.table),) else f"predict gives {given!r:.80}"
    wanted = np.shape(case.table.y)
    return None if given.shape == wanted else f"predict has shape {given.shape}, y {wanted}"


def one_row_is_answered_as_among_all(fitted: Fitted) -> Broken:
    table = fitted.case.table
    last = len(table) - 1
    if table.container in ("pandas_nullable", "polars", "pandas", "arrow", "objects") and any(
        all(cell is None for cell in (cells[last],)) for cells in table.columns.values()
    ):
        return None  # one missing cell alone has no dtype
    alone, among = answer(fitted.model, table.rows([last]).X)[0], answer(fitted.model, table.X)[last]
    return None if np.array_equal(alone, among) else f"{among!r} among all rows, {alone!r} alone"


def a_pickle_is_the_same(fitted: Fitted) -> Broken:
    other = pickle.loads(pickle.dumps(fitted.model))
    if other.tree_ != fitted.model.tree_:
        return "another tree"
    return _differ(fitted.answers(fitted.model), fitted.answers(other), 0.0)


def a_file_is_the_same(fitted: Fitted) -> Broken:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.softwood"
        softwood.save(fitted.model, path)
        other = softwood.load(path)
    if other.tree_ != fitted.model.tree_:
        return "another tree"
    return _differ(fitted.answers(fitted.model), fitted.answers(other), 0.0)


def a_clone_has_the_parameters(fitted: Fitted) -> Broken:
    ours, theirs = repr(fitted.model.get_params()), repr(clone(fitted.model).get_params())
    return None if ours == theirs else f"{ours} became {theirs}"


def text_is_printed(fitted: Fitted) -> Broken:
    model = fitted.model
    for text in (softwood.to_text(model), softwood.to_text(model, digits=None, width=None), str(model.tree_)):
        if not text.strip():
            return "nothing printed"
    if not repr(model).startswith(type(model).__name__):
        return f"repr {model!r:.60}"
    return None


def importances_are_parts(fitted: Fitted) -> Broken:
    parts = fitted.model.feature_importances_
    fair = parts.shape == (len(fitted.case.table.columns),) and np.isfinite(parts).all() and (parts >= 0).all()
    fair = fair and (abs(parts.sum() - 1) < 1e-9 or not parts.any())
    return None if fair else f"importances {parts.tolist()}"


def every_row_has_a_leaf(fitted: Fitted) -> Broken:
    model, X = fitted.model, fitted.rows[1]
    node, reach = model.apply(X), model.decision_path(X)
    if not ((node >= 0) & (node < model.tree_.n_nodes)).all():
        return f"apply gives {node.tolist()!r:.80}"
    kept = np.asarray(reach @ model.tree_.leafness)
    return None if np.allclose(kept, 1, atol=1e-9) else f"reach sums to {kept.min()} .. {kept.max()}"


def every_size_answers(fitted: Fitted) -> Broken:
    """Other trees of the pruning sequence, a hardened copy, rules."""
    model, X = fitted.model, fitted.rows[1]
    others = []
    if hasattr(model, "pruning_sequence_") and model.tree_.is_hard:
        others += [model.prune_to(n_leaves=n) for n in (1, 3)]
        if [other.get_n_leaves() > n for other, n in zip(others, (1, 3), strict=True)] != [False, False]:
            return "prune_to leaves too many"
    if hasattr(model, "harden"):
        others.append(model.harden())
    if hasattr(model, "rules_"):
        rules = model.predict_by_rules(X)
        if not set(rules.tolist()) <= set(model.classes_.tolist()):
            return f"rules answer {rules!r:.80}"
    for other in others:
        if not np.isfinite(answer(other, X)).all() or not softwood.to_text(other):
            return f"a tree of {other.get_n_leaves()} leaves answers what is not finite"
    return None


CHEAP: dict[str, Callable[[Fitted], Broken]] = {
    law.__name__: law
    for law in (
        answers_are_finite,
        chances_sum_to_one,
        answers_have_one_row_each,
        one_row_is_answered_as_among_all,
        a_pickle_is_the_same,
        a_file_is_the_same,
        a_clone_has_the_parameters,
        text_is_printed,
        importances_are_parts,
        every_row_has_a_leaf,
        every_size_answers,
    )
}


# -- of two fits ---------------------------------------------------------------------------------------------------


def the_order_of_rows_is_nothing(fitted: Fitted) -> Broken:
    case, table = fitted.case, fitted.case.table
    order = np.random.default_rng(case.seed).permutation(len(table))
    other = fit_case(case, table.rows([int(i) for i in order]))
    return _differ(fitted.answers(fitted.model), fitted.answers(other), 0.0)


def threads_are_nothing(fitted: Fitted) -> Broken:
    other = fit_case(fitted.case, n_jobs=2)
    return _differ(fitted.answers(fitted.model), fitted.answers(other), 0.0)


def fitting_again_is_nothing(fitted: Fitted) -> Broken:
    other = fit_model(clone(fitted.model), fitted.case, fitted.case.table)
    return _differ(fitted.answers(fitted.model), fitted.answers(other), 0.0)


def weight_two_is_the_row_twice(fitted: Fitted) -> Broken:
    case, n = fitted.case, len(fitted.case.table)
    count = np.random.default_rng(case.seed).integers(1, 4, n)
    twice = case.table.rows([int(i) for i in np.repeat(np.arange(n), count)], [1.0] * int(count.sum()))
    models = [fit_case(case, table) for table in (case.table.rows(list(range(n)), count.tolist()), twice)]
    return _differ(fitted.settled(models[0]), fitted.answers(models[1]), fitted.tolerance, fitted.case.largest)


def weight_zero_is_no_row(fitted: Fitted) -> Broken:
    case, n = fitted.case, len(fitted.case.table)
    rng = np.random.default_rng(case.seed)
    weight = case.table.weight or [1.0] * n
    more = case.table.rows([*range(n), *(int(i) for i in rng.integers(0, n, 3))], [*weight, 0.0, 0.0, 0.0])
    for extra in range(n, n + 3):  # of an existing class, with existing cells
        more.y[extra] = case.table.y[int(rng.integers(n))]
    return _differ(
        fitted.settled(fitted.model), fitted.answers(fit_case(case, more)), fitted.tolerance, fitted.case.largest
    )


def chunks_are_the_rows(fitted: Fitted) -> Broken:
    """partial_fit in two chunks of any size is partial_fit of all rows."""
    case = fitted.case
    by_chunk = case.table.words or case.parameters.get("categorical_features")  # the first one has the levels
    by_all_rows = case.parameters.get("class_weight") == "balanced" or "loss" in case.parameters
    if not hasattr(fitted.model, "partial_fit") or by_chunk or by_all_rows:
        return fitting_again_is_nothing(fitted)
    models = []
    for cut in (0, int(np.random.default_rng(case.seed).integers(len(case.table)))):
        model = getattr(softwood, case.estimator)(**case.parameters)
        model.set_params(batch_size=1)
        for rows in (range(cut), range(cut, len(case.table))):
            part = case.table.rows(list(rows))
            classes = {"classes": case.table.classes} if is_classifier(model) else {}
            if len(part) and (part.weight is None or any(part.weight)):
                model.partial_fit(part.X, part.y, sample_weight=part.weight, **classes)
        models.append(model)
    return _differ(fitted.answers(models[0]), fitted.answers(models[1]), 0.0)


def softening_answers(fitted: Fitted) -> Broken:
    """Ramps for a hard tree, by each method: finite predictions, probabilities that sum to one."""
    case, table = fitted.case, fitted.case.table
    if not case.estimator.startswith(("CART", "C45")) or not fitted.model.tree_.is_hard:
        return fitting_again_is_nothing(fitted)
    for method in ("statistics", "gradient", "anneal"):
        soft = softwood.soften(fitted.model, table.X, table.y, method=method, sample_weight=table.weight, patience=1)
        other = Fitted(case, soft, fitted.rows)
        broken = answers_are_finite(other) or chances_sum_to_one(other)
        if broken is not None:
            return f"{method}: {broken}"
    return None


REFIT: dict[str, Callable[[Fitted], Broken]] = {
    "order": the_order_of_rows_is_nothing,
    "threads": threads_are_nothing,
    "again": fitting_again_is_nothing,
    "twice": weight_two_is_the_row_twice,
    "zero": weight_zero_is_no_row,
    "chunks": chunks_are_the_rows,
    "soften": softening_answers,
}


def kernels_agree(native: list[Any], reference: list[Any], tolerance: float, largest: float = 0.0) -> Broken:
    return _differ(native, reference, tolerance, largest)


def _differ(ones: list[Any], others: list[Any], tolerance: float, largest: float = 0.0) -> Broken:
    """Where predictions differ by more than a fraction of the largest one or the target; NaN first is skipped."""
    for one, other in zip(ones, others, strict=True):
        if one.shape != other.shape:
            return f"shapes {one.shape} and {other.shape}"
        one, other = one[~np.isnan(one)], other[~np.isnan(one)]
        room = tolerance * max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0), largest)
        apart = np.abs(one - other)
        if not (apart <= room).all():
            at = int(np.argmax(~(apart <= room)))
            return f"{one[at]!r} and {other[at]!r}"
    return None
