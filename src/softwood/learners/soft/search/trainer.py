"""Trains and scores one kind of tree at one penalty on one fold, each combination once.

A tree's loss is that of the fold's held-out rows after temperature scaling. The same rows selected its size, so the
selection bias is added (scorer.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from softwood.arrays import Floats
from softwood.learners.soft.growth.grower import FINE_TOL, grow
from softwood.learners.soft.growth.scorer import Scorer
from softwood.learners.soft.growth.split_step import ROUGH_TOL, SPLIT_ITER, GrowOptions
from softwood.learners.soft.growth.temperature_scaling import response_scale_on
from softwood.learners.soft.params.params import NO_COLUMNS, Slopes, SoftTreeParams
from softwood.learners.soft.search.fold import init_root
from softwood.learners.soft.search.relevance import relevance_factors
from softwood.learners.soft.search.selection import Candidate
from softwood.learners.soft.search.spec import Inputs, ModelSpec, Trial

MIXED_PATIENCE_FACTOR = 3  # on splits without gain before growth with mixed slopes ends: gains are uneven


@dataclass
class Trainer:
    """grow_options : how to grow; the penalty is given per tree.  max_iter : iterations on a root.

    full_leaves : maximum number of leaves on a full-size fold after screening, and of trees with mixed slopes; None:
        that of grow_options.
    """

    grow_options: GrowOptions
    max_iter: int
    full_leaves: int | None = None
    roots: dict[tuple[ModelSpec, Slopes, float, int], SoftTreeParams] = field(default_factory=dict)
    tried: dict[tuple[ModelSpec, Slopes, bool, float, int], Trial] = field(default_factory=dict)

    def trial(self, spec: ModelSpec, slopes: Slopes, grown: bool, penalty: float, fold_index: int) -> Trial:
        """One kind of tree at one penalty, trained once."""
        if grown:
            return self.from_root(spec, slopes, penalty, fold_index)
        kind = (spec, slopes, False, penalty, fold_index)
        if kind not in self.tried:
            root = self.root(spec, slopes, penalty, fold_index)
            self.tried[kind] = self.scored(root, spec, False, penalty, fold_index)
        return self.tried[kind]

    def from_root(
        self, spec: ModelSpec, slopes: Slopes, penalty: float, fold_index: int, abandon_above: float = np.inf
    ) -> Trial:
        """A tree grown from its root, once unless its growth was abandoned early."""
        kind = (spec, slopes, True, penalty, fold_index)
        if kind not in self.tried:
            tree = self.grown(self.root(spec, slopes, penalty, fold_index), spec, penalty, fold_index, abandon_above)
            if tree.loss > abandon_above:
                return tree
            self.tried[kind] = tree
        return self.tried[kind]

    def on_fold(self, trial: Trial, fold_index: int) -> Trial:
        """The same kind and penalty on another fold."""
        return self.trial(trial.spec, trial.slopes, trial.grown, trial.candidate.penalty, fold_index)

    def reweighted(self, trial: Trial, fold_index: int) -> Trial:
        """The same kind, penalty and fold, with inputs weighted by their relevance in the trial's tree."""
        spec = trial.spec.reweight(relevance_factors(trial.candidate.as_learned[0], trial.spec.design))
        return self.trial(spec, trial.slopes, trial.grown, trial.candidate.penalty, fold_index)

    def reweight_refined(self, trial: Trial, fold_index: int) -> Trial:
        """The trial's tree refined with inputs weighted by relevance."""
        spec, tree = trial.spec, trial.candidate.as_learned[0]
        factor, penalty = relevance_factors(tree, spec.design), trial.candidate.penalty
        reweighted = spec.reweight(factor)
        train = reweighted.fold(fold_index).train
        max_iter = SPLIT_ITER if tree.slopes == "mixed" else self.max_iter
        tree = tree.rescale_columns(1.0 / factor).refine(train, penalty, max_iter, FINE_TOL)[1]
        return self.scored(tree, reweighted, trial.grown, penalty, fold_index, trial.selection_bias(fold_index))

    def at_penalty(self, trial: Trial, penalty: float, fold_index: int) -> list[Trial]:
        """The root at another penalty, and the tree refined at it."""
        there = []
        if trial.slopes not in ("none", "mixed"):  # constants are unpenalized; a single leaf shares nothing
            there.append(self.trial(trial.spec, trial.slopes, False, penalty, fold_index))
        if trial.grown:
            train = trial.spec.fold(fold_index).train
            tree = trial.candidate.as_learned[0].refine(train, penalty, SPLIT_ITER, ROUGH_TOL)[1]
            there.append(self.scored(tree, trial.spec, True, penalty, fold_index))
        return there

    def restricted(self, trial: Trial, spec: ModelSpec, inputs: Inputs) -> Trial:
        """The tree refined with only the inputs of `spec`."""
        tree = trial.candidate.as_learned[0].select_columns(inputs[trial.spec.design.feature])
        tree = tree.refine(spec.fold(0).train, trial.candidate.penalty, SPLIT_ITER, ROUGH_TOL)[1]
        return self.scored(tree, spec, trial.grown, trial.candidate.penalty, 0)

    def grown_further(self, screened: Trial, penalty: float, fold_index: int) -> Trial:
        """The screened tree, refined and grown further on a fold that contains its rows."""
        train, start = screened.spec.fold(fold_index).train, screened.over(fold_index)
        tree = start.as_learned[0].refine(train, penalty, SPLIT_ITER, ROUGH_TOL)[1]
        return self.grown(tree, screened.spec, penalty, fold_index)

    def resumed(self, tree: SoftTreeParams, spec: ModelSpec, penalty: float) -> Trial:
        """A tree refined on these rows, then grown further while that helps."""
        tree = tree.refine(spec.fold(spec.full).train, penalty, self.max_iter)[1]
        return self.grown(tree, spec, penalty, spec.full)

    def grown(
        self, tree: SoftTreeParams, spec: ModelSpec, penalty: float, fold_index: int, abandon_above: float = np.inf
    ) -> Trial:
        """A tree grown further while the held-out loss falls."""
        fold = spec.fold(fold_index)
        how = replace(self.grow_options, penalty=penalty, abandon_above=abandon_above, gates=spec.gates)
        grows_on = fold_index >= spec.full and (spec.full > 0 or tree.slopes == "mixed")
        if self.full_leaves is not None and grows_on:
            how = replace(how, max_leaves=self.full_leaves, batch_splits=True)
        if tree.slopes == "mixed":
            how = replace(how, patience=MIXED_PATIENCE_FACTOR * how.patience)
        scorer = Scorer(fold.valid)
        grown = grow(tree, fold.train, fold.split_features, how, scorer)
        return self.scored(grown, spec, True, penalty, fold_index, scorer.selection_bias(grown))

    def scored(
        self,
        tree: SoftTreeParams,
        spec: ModelSpec,
        grown: bool,
        penalty: float,
        fold_index: int,
        selection_bias: Floats | float = 0.0,
    ) -> Trial:
        """The tree after temperature scaling, and its loss on held-out rows plus `selection_bias`."""
        valid = spec.fold(fold_index).valid
        factor = response_scale_on(valid, tree)
        tree = tree.scale_output(factor)
        weight = valid.weight * valid.total_weight
        losses = valid.row_loss(tree.shape, tree.parameters) + selection_bias
        candidate = Candidate(
            basis_spec=spec.basis_spec,
            penalty=penalty,
            tree=[tree],
            row_loss=losses,
            weight=weight,
            output_scale=[factor],
            inputs=len(np.unique(spec.design.feature)),
            gates=spec.gates,
            reweighted=spec.reweighted,
        )
        return Trial(spec, tree.slopes, grown, candidate, fold_index)

    def clear(self) -> None:
        """Release the design matrices of all rows."""
        for kind in self.tried:
            kind[0].fold_cache.clear()

    def root(self, spec: ModelSpec, slopes: Slopes, penalty: float, fold_index: int) -> SoftTreeParams:
        """One leaf, refined; its slopes are the centre of the penalty from here on."""
        key = (spec, slopes, penalty, fold_index)
        if key not in self.roots:
            train = spec.fold(fold_index).train
            own_columns = spec.linear_columns if slopes == "mixed" else NO_COLUMNS
            design = spec.columns(fold_index)
            root = init_root(train, len(design), slopes, design.rising, own_columns)
            if slopes != "none":
                root = root.refine(train, penalty, self.max_iter)[1]
            self.roots[key] = replace(root, origin_slope=root.slope[0]) if slopes == "own" else root
        return self.roots[key]
