"""Where trees are grown and judged: one kind of tree at one penalty on one division of the rows, each once.

A walk carries a tree along, refined under each penalty; scouts' trees go on where all rows are. What a tree loses is
taken on the division's held-out rows, as loud as suits them; its size was chosen by the same rows, and that cost is
added (jury.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from softwood.engines import Floats
from softwood.learners.soft.choice import Candidate
from softwood.learners.soft.enlarge import JOINT, ROUGH, Growing
from softwood.learners.soft.field import Field, Inputs, Trial
from softwood.learners.soft.ground import plant_root
from softwood.learners.soft.growth import grow
from softwood.learners.soft.jury import Jury
from softwood.learners.soft.leaning import leanings
from softwood.learners.soft.loudness import best_loudness
from softwood.learners.soft.sapling import Sapling, Slopes

CARRIED = 50  # iterations on a tree that is carried to another penalty, or to fewer inputs


@dataclass
class Nursery:
    """growing : how to grow; its penalty is told with each tree.  max_iter : iterations on a root."""

    growing: Growing
    max_iter: int
    roots: dict[tuple[Field, Slopes, float, int], Sapling] = field(default_factory=dict)
    tried: dict[tuple[Field, Slopes, bool, float, int], Trial] = field(default_factory=dict)

    def trial(self, field: Field, slopes: Slopes, grown: bool, penalty: float, division: int) -> Trial:
        """One kind of tree at one penalty; once."""
        if grown:
            return self.from_root(field, slopes, penalty, division)
        kind = (field, slopes, False, penalty, division)
        if kind not in self.tried:
            self.tried[kind] = self._alone(field, slopes, penalty, division)
        return self.tried[kind]

    def from_root(self, field: Field, slopes: Slopes, penalty: float, division: int, worth: float = np.inf) -> Trial:
        """A tree, grown from its root; once, unless it was not worth to be grown to its end."""
        kind = (field, slopes, True, penalty, division)
        if kind not in self.tried:
            tree = self.grown(self._root(field, slopes, penalty, division), field, penalty, division, worth)
            if tree.loss > worth:
                return tree
            self.tried[kind] = tree
        return self.tried[kind]

    def again(self, trial: Trial, division: int) -> Trial:
        """The same kind and penalty on other rows."""
        return self.trial(trial.field, trial.slopes, trial.grown, trial.candidate.penalty, division)

    def leaning(self, trial: Trial, division: int) -> Trial:
        """The same kind, penalty and rows, with inputs held back as the trial's tree leans on them."""
        field = trial.field.leaned(leanings(trial.candidate.as_learned[0], trial.field.columns))
        return self.trial(field, trial.slopes, trial.grown, trial.candidate.penalty, division)

    def carried(self, trial: Trial, penalty: float, division: int) -> list[Trial]:
        """The root under another penalty, and the tree refined under it."""
        there = []
        if trial.slopes != "none":  # a root that is one number knows no penalty
            there.append(self.trial(trial.field, trial.slopes, False, penalty, division))
        if trial.grown:
            learn = trial.field.ground(division).learn
            tree = trial.candidate.as_learned[0].refine(learn, penalty, CARRIED, ROUGH)[1]
            there.append(self.judged(tree, trial.field, True, penalty, division))
        return there

    def narrowed(self, trial: Trial, field: Field, inputs: Inputs) -> Trial:
        """The tree refined with some inputs alone; `field` has these."""
        tree = trial.candidate.as_learned[0].seeing(inputs[trial.field.columns.feature])
        tree = tree.refine(field.ground(0).learn, trial.candidate.penalty, CARRIED, ROUGH)[1]
        return self.judged(tree, field, trial.grown, trial.candidate.penalty, 0)

    def continued(self, scout: Trial, penalty: float, division: int) -> Trial:
        """The scout's tree refined on the rows of a division that holds its own, and grown further there."""
        learn = scout.field.ground(division).learn
        tree = scout.candidate.as_learned[0].refine(learn, penalty, JOINT, ROUGH)[1]
        return self.grown(tree, scout.field, penalty, division)

    def resumed(self, tree: Sapling, field: Field, penalty: float) -> Trial:
        """A tree refined on the rows at hand, then grown further while that helps."""
        tree = tree.refine(field.ground(field.full).learn, penalty, self.max_iter)[1]
        return self.grown(tree, field, penalty, field.full)

    def grown(self, tree: Sapling, field: Field, penalty: float, division: int, worth: float = np.inf) -> Trial:
        """A tree grown further, while held-out rows gain."""
        ground, how = field.ground(division), replace(self.growing, penalty=penalty, worth=worth, gates=field.gates)
        jury = Jury(ground.judge)
        grown = grow(tree, ground.learn, ground.axes, how, jury)
        return self.judged(grown, field, True, penalty, division, jury.cost_of_choice(grown))

    def judged(
        self, tree: Sapling, field: Field, grown: bool, penalty: float, division: int, more: Floats | float = 0.0
    ) -> Trial:
        """As loud as suits the held-out rows, and what they lose; `more` is added to that."""
        judge = field.ground(division).judge
        weight = judge.weight * judge.total_weight
        output = judge.output(tree.shape, tree.parameters)
        factor = best_loudness(judge.loss_kind, output, judge.target, weight)
        tree = tree.louder(factor)
        losses = judge.row_loss(tree.shape, tree.parameters) + more
        inputs = len(np.unique(field.columns.feature))
        candidate = Candidate(field.recipe, penalty, [tree], losses, weight, [factor], inputs, field.gates, field.leans)
        return Trial(field, tree.slopes, grown, candidate)

    def clear(self) -> None:
        """Let go of the rows' columns."""
        for kind in self.tried:
            kind[0].grounds.clear()

    def _alone(self, field: Field, slopes: Slopes, penalty: float, division: int) -> Trial:
        """A root without a tree on it."""
        root = self._root(field, slopes, penalty, division)
        if slopes == "own":
            root = root.refine(field.ground(division).learn, penalty, self.max_iter)[1]
        return self.judged(root, field, False, penalty, division)

    def _root(self, field: Field, slopes: Slopes, penalty: float, division: int) -> Sapling:
        """One leaf, refined; from here on its own slopes are what slopes are held to.

        Refined once more it takes back part of what the penalty shrank: twicing (Tukey 1977).
        """
        key = (field, slopes, penalty, division)
        if key not in self.roots:
            learn = field.ground(division).learn
            root = plant_root(learn, len(field.columns), slopes)
            if slopes != "none":
                root = root.refine(learn, penalty, self.max_iter)[1]
            self.roots[key] = replace(root, origin_slope=root.slope[0]) if slopes == "own" else root
        return self.roots[key]
