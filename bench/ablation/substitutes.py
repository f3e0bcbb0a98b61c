"""Steps of the learner that are not fields of SearchSteps, each with its substitute while a variant is fitted.

A substitute is a dotted name within the learner, and a function that maps the original object to its replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any
from unittest.mock import patch

import numpy as np

from softwood.kernels.arithmetic import exp, log
from softwood.learners.soft.finish.refit import _all_refined, iterations_for
from softwood.learners.soft.search.selection import Candidate, compare

SOFT = "softwood.learners.soft."

Substitute = Callable[[Any], Any]


def _instead(value: Any) -> Substitute:
    return lambda original: value


def _best_alone(original: Any) -> Any:
    return lambda candidates: min(candidates, key=lambda candidate: candidate.loss)


def _first_alone(original: Any) -> Any:
    def first(chosen: Candidate, *args: Any) -> Any:
        return original(replace(chosen, tree=chosen.tree[:1], output_scale=chosen.output_scale[:1]), *args)

    return first


def _strong_default(original: Any) -> Any:
    """Curves with linear leaves, unless another kind is clearly better."""

    def select(candidates: list[Candidate]) -> Candidate:
        plain = [one for one in candidates
                 if one.leaf == "linear" and one.gates == "open" and one.basis_spec.is_nonlinear]  # fmt: skip
        best: Candidate = original(candidates)
        first: Candidate = original(plain) if plain else best
        return best if compare(first, best).is_clear() else first

    return select


def _two_deals(original: Any) -> Any:
    """Five more folds, of the rows in another order."""

    def row_folds(some: Any, held: Any) -> Any:
        folds = original(some, held)
        if held is not None or len(folds) < 2:
            return folds
        order = np.random.default_rng(1).permutation(len(some))
        for out in some.rows(order).held_out():
            back = np.empty(len(some))
            back[order] = out
            folds.append((some.part(some.weight - back), some.part(back)))
        return folds

    return row_folds


def _nearest_to_mean(original: Any) -> Any:
    """Of the refined trees, the one whose outputs are nearest to their mean."""

    def refitted(chosen: Any, whole: Any, max_iter: int, n_threads: int = 1) -> Any:
        n_iter = iterations_for(whole.total_weight, max_iter)
        refined = [tree for _, tree in _all_refined(chosen, whole, n_iter, n_threads)]
        outputs = np.array([whole.output(tree.shape, tree.parameters) for tree in refined])
        away = np.square(outputs - outputs.mean(axis=0)).reshape(len(refined), -1).mean(axis=1)
        best = refined[int(np.argmin(away))]
        return best.scale_output(float(exp(np.mean(log(chosen.output_scale)))))

    return refitted


LEFT_OUT: dict[str, dict[str, Substitute]] = {
    "selection bias": {
        "growth.scorer.Scorer.selection_bias": _instead(lambda self, kept: np.zeros(len(self._rows.weight)))
    },
    "pruning back": {"growth.grower.prune_back": _instead(lambda tree, *rest: tree)},
    "temperature": {"search.trainer.response_scale_on": _instead(lambda rows, tree: 1.0)},
    "several starts": {"finish.refit._all_refined": _first_alone},
    "linear gates": {"params.tree_kinds.BASIS_SPECS": lambda kinds: kinds | {"auto": kinds["additive"]}},
    "simplest of the near best": {"search.trials.select": _best_alone},
    "polishing": {"growth.grower.POLISH_ITER": _instead(1)},
    "log penalty": {
        "search.fold.LOG_PENALTY_OF_NUMBERS": _instead(0.0),
        "search.fold.LOG_PENALTY_BEHIND_LINK": _instead(0.0),
    },
    "penalty on nodes": {"finish.refit.NODE_PENALTY_ROWS": _instead(0.0)},
}
ADDED: dict[str, dict[str, Substitute]] = {
    "strong default": {"search.trials.select": _strong_default},
    "two deals": {"specs.fold_rows": _two_deals},
    "nearest to mean": {"finish.more_rows.refitted": _nearest_to_mean},
}


@contextmanager
def substituted(names: tuple[str, ...]) -> Iterator[None]:
    """A context in which these steps are replaced."""
    with ExitStack() as stack:
        for name in names:
            for where, make in (LEFT_OUT | ADDED)[name].items():
                owner, attribute = find(where)
                stack.enter_context(patch.object(owner, attribute, make(getattr(owner, attribute))))
        yield


def find(dotted: str) -> tuple[Any, str]:
    """The module or class of the learner that holds a name, and the name there."""
    path, attribute = (SOFT + dotted).rsplit(".", 1)
    try:
        return import_module(path), attribute
    except ModuleNotFoundError:
        module, holder = path.rsplit(".", 1)
        return getattr(import_module(module), holder), attribute
