"""The search among kinds of trees and penalties, by the loss on held-out rows.

    scout   every kind (columns of gates, slopes of leaves) at one penalty; linear leaves first, which soon tell what
            loss is to be had: what will not come near it need not be grown to its end
    walk    the kinds that came near the best: on to heavier and lighter penalties while that helps
    narrow  without the inputs that the best tree hardly feels, if that is clearly better; then scout and walk again
    sharpen gates that look at one input each, as steeply as they like; where that is best so far, trees whose gates do
            either, and penalties for all of these
    (many rows: all this on some of them first; then the best few grow on where all rows are, and the best one walks)
    race    the best of each kind on the other divisions of the rows, one division after the other; who is clearly worse
            on all rows so far drops out

A root without gates and a tree grown from it are tried: often a line is all that few rows can tell. A walk carries the
scout's tree along, refined under each penalty, only to learn where to go: where the way ends a tree is grown anew. To
keep the tree that was carried was measured, and is worse: gates placed under one penalty stay where they are. To grow
a tree at every step was measured, too: no better, and half as long again.

Gates weigh all inputs, and a ridge only makes useless ones quieter: with ninety useless inputs beside ten a tree
that was told of the ten has half the error. What an input is worth is asked twice. On the rows learned from, where
each seems to help a little; and on held-out rows, where a useless one does not, but by the tree of another division:
rows that chose the inputs would flatter the choice. Useless inputs make a heavy penalty the best one, and under it a
tree without them may hardly be better: lighter ones are tried, too. What seems better must be so on a third division.

A penalty on weights makes gates soft, and steps are not: a gate that looks at one input is free to be steep. Useless
inputs do it no harm, so that all inputs are shown again. A tree that may choose gate by gate was measured, without
asking a tree of axis gates first: where there are no steps it is a little worse, and a fifth longer.

Kinds are scouted and walked, and candidates race, side by side by threads; each works on its own and what it found
is told in order, so that threads change nothing but the time.

A tree's size was chosen by the same rows that its loss is taken on; that cost is added to its loss (jury.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np

from softwood.engines import Floats
from softwood.learners.soft.choice import CLEARLY, Candidate, choose, clearly_worse
from softwood.learners.soft.columns import Columns, Recipe
from softwood.learners.soft.field import Field, Inputs, Trial
from softwood.learners.soft.ground import plant_root, rises
from softwood.learners.soft.growth import JOINT, ROUGH, Growing, grow
from softwood.learners.soft.jury import Jury
from softwood.learners.soft.loudness import best_loudness
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.parts.crew import side_by_side

S = TypeVar("S")
T = TypeVar("T")

STRENGTHS = (2000.0, 600.0, 200.0, 60.0, 20.0, 6.0, 2.0, 0.6, 0.2)  # penalties to try, times the rows
BEGIN = 6  # place among the strengths where the search begins
NEAR = 0.25  # part of the best loss within which a kind is worth a walk,
NEAR_IF_STEEP = 0.1  # and gates that may be steep, whose weights cost nothing under any penalty
CLEAR_GAIN = 0.01  # part of the loss; a direction that saves more makes the other one needless
FINALISTS = 4  # candidates that meet the other divisions of the rows
CARRIED = 50  # iterations on a tree that is carried to another penalty
FELT, FELT_ELSEWHERE = 0.95, 0.99  # of what inputs are worth, on rows learned from and held out: what those kept hold
MOST_KEPT = 0.75  # of the inputs; where more are felt, there is nothing to gain
SURELY = 1.0  # standard errors by which fewer inputs must be better, or a kind worse that does not race


@dataclass
class Search:
    """`found` is kept up to date, so that an interrupted search has the best so far.

    growing : how to grow; its penalty is set by the search.  penalty : a fixed one, None to choose.
    prepare : recipes and columns to try where only some inputs are looked at.
    sharpen : whether gates that look at one input each are tried, too.
    keeps_first : whether the tree of the first division will be kept: a kind that is surely worse there does not race.
    """

    fields: list[Field]
    slopes: tuple[Slopes, ...]
    growing: Growing
    penalty: float | None
    max_iter: int
    report: Callable[[Candidate], None]
    prepare: Callable[[Inputs], list[tuple[Recipe, Columns]]]
    sharpen: bool = False
    keeps_first: bool = False
    found: list[Trial] = field(default_factory=list)
    roots: dict[tuple[Field, Slopes, float, int], Sapling] = field(default_factory=dict)
    tried: dict[tuple[Field, Slopes, bool, float, int], Trial] = field(default_factory=dict)
    narrowed: dict[tuple[Recipe, bytes], Field] = field(default_factory=dict)

    def run(self) -> None:
        """Scout and walk, narrow, sharpen, and race."""
        wide = self.fields[0]
        self._explore()
        while self._narrow():
            self._explore()
        if self.sharpen:
            self._sharpen(wide)
        self._race()
        if self.penalty is None and self.fields[0].full:
            self._tell(*self._walk(min(self.found, key=lambda trial: trial.loss), self.fields[0].full))

    def resume(self, tree: Sapling) -> None:
        """Grow a tree further instead: refined on the rows at hand, then grown while that helps."""
        field, penalty = self.fields[0], self.penalty
        if penalty is None:
            raise ValueError("a tree is grown further under the penalty it grew under.")
        tree = tree.refine(field.ground(field.full).learn, penalty, self.max_iter)[1]
        self._tell(self._grown(tree, field, penalty, field.full))

    @property
    def chosen(self) -> Trial:
        """The simplest that is not clearly worse than the best, so far."""
        candidate = choose([trial.candidate for trial in self.found])
        return next(trial for trial in self.found if trial.candidate is candidate)

    def clear(self) -> None:
        """Let go of the rows' columns."""
        for one in {*self.fields, *(kind[0] for kind in self.tried)}:
            one.grounds.clear()

    def _explore(self) -> None:
        """Every kind of tree, and the penalties that suit those near the best."""
        self._walk_all([scout for slopes in reversed(self.slopes) for scout in self._scout(slopes)])

    def _sharpen(self, wide: Field) -> None:
        """Gates that look at one of all inputs each; if they do best, gates that do so or not."""
        best = min(trial.loss for trial in self.found)
        trees = self._trees(self.slopes[0], [wide.with_gates("steep")], np.inf)
        if trees[0].loss < best:
            either = [one.with_gates("either") for one in dict.fromkeys([wide, *self.fields])]
            trees += [tree for slopes in reversed(self.slopes) for tree in self._trees(slopes, either, self._worth())]
        self._walk_all([tree for tree in trees if tree.candidate.nodes > 1], NEAR_IF_STEEP)

    def _walk_all(self, scouts: list[Trial], near: float = NEAR) -> None:
        """Other penalties for the scouts that came near the best."""
        if self.penalty is None:
            for found in self._side_by_side(self._walk, self._near(scouts, near)):
                self._tell(*found)

    def _side_by_side(self, work: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
        return side_by_side(work, items, self.fields[0].n_threads)

    def _narrow(self) -> bool:
        """On to fewer inputs, while the best tree is surely better without the others."""
        best = begin = min((trial for trial in self.found if trial.field in self.fields), key=lambda trial: trial.loss)
        while (narrower := self._narrower(best)) is not None:
            self.clear()  # wide columns are large; they are made again if the race asks for them
            self._tell(narrower)
            best = narrower
        if best is begin:
            return False
        inputs = np.isin(np.arange(best.field.n_inputs), best.field.columns.feature)
        fresh = [replace(best.field, recipe=one, columns=columns, grounds={}) for one, columns in self.prepare(inputs)]
        self.fields = [best.field if one.recipe == best.field.recipe else one for one in fresh]
        return True

    def _narrower(self, best: Trial) -> Trial | None:
        """The tree with the inputs alone that it feels, if that is surely better."""
        for kept in self._felt(best):
            if kept.sum() <= MOST_KEPT * best.candidate.inputs:
                for trial in self._ever_lighter(best, self._only(best.field, kept)):
                    if clearly_worse(best.candidate, trial.candidate, SURELY) and self._confirmed(best, trial):
                        return trial
        return None

    def _only(self, field: Field, inputs: Inputs) -> Field:
        """The field with some inputs alone; the same one if it is asked for again."""
        return self.narrowed.setdefault((field.recipe, inputs.tobytes()), field.only(inputs))

    def _confirmed(self, best: Trial, narrower: Trial) -> bool:
        """Whether fewer inputs are surely better on one more division, too, if there is one that chose nothing."""
        third = best.field.another + 1
        if not best.field.another or third == len(best.field.divided):
            return True
        again = [self._again(trial, third).candidate for trial in (best, narrower)]
        return clearly_worse(best.candidate.with_folds(again[0]), narrower.candidate.with_folds(again[1]), SURELY)

    def _ever_lighter(self, trial: Trial, field: Field) -> Iterator[Trial]:
        """The kind of tree in another field under its penalty, and under lighter ones while the loss falls.

        Useless inputs ask for a heavy penalty, under which a tree without them is hardly better, but not surely worse.
        """
        penalty, rows, before = trial.candidate.penalty, field.rows(0), np.inf
        lighter = [] if self.penalty is not None else [one / rows for one in STRENGTHS if one / rows < 0.99 * penalty]
        for one in (penalty, *lighter):
            there = self._tried(field, trial.slopes, trial.grown, one, 0)
            yield there
            if not there.loss < before or clearly_worse(there.candidate, trial.candidate, SURELY):
                return
            before = there.loss

    def _felt(self, trial: Trial) -> Iterator[Inputs]:
        """The inputs that matter: on the rows learned from; then on rows that another division holds out."""
        field, tree = trial.field, trial.candidate.tree[0]
        yield _weightiest(rises(tree, field.columns, field.ground(0).learn, field.n_inputs), FELT)
        if field.another:
            trial = self._again(trial, field.another)
        tree, judge = trial.candidate.tree[0], field.ground(field.another).judge
        yield _weightiest(rises(tree, field.columns, judge, field.n_inputs), FELT_ELSEWHERE)

    def _scout(self, slopes: Slopes) -> list[Trial]:
        """Columns of each recipe at the first penalty; for each the better of root and tree."""
        penalty = self._first_penalty
        roots = list(self._side_by_side(lambda field: self._tried(field, slopes, False, penalty, 0), self.fields))
        self._tell(*roots)
        trees = self._trees(slopes, self.fields, self._worth())
        return [min(pair, key=lambda trial: trial.loss) for pair in zip(roots, trees, strict=True)]

    def _trees(self, slopes: Slopes, fields: list[Field], worth: float) -> list[Trial]:
        """A tree in each field at the first penalty; `worth` is the loss that it should come down to."""
        trees, penalty = [], self._first_penalty
        for tree in self._side_by_side(lambda field: self._from_root(field, slopes, penalty, 0, worth), fields):
            trees.append(tree)
            self._tell(*_larger(tree))
        return trees

    @property
    def _first_penalty(self) -> float:
        return STRENGTHS[BEGIN] / self.fields[0].rows(0) if self.penalty is None else self.penalty

    def _worth(self, near: float = NEAR) -> float:
        """The loss up to which a candidate is worth more work."""
        best = min(trial.loss for trial in self.found)
        return best + near * abs(best)

    def _near(self, trials: list[Trial], near: float = NEAR) -> list[Trial]:
        return [trial for trial in trials if trial.loss <= self._worth(near)]

    def _from_root(self, field: Field, slopes: Slopes, penalty: float, division: int, worth: float = np.inf) -> Trial:
        """A tree, grown from its root; once, unless it was not worth to be grown to its end."""
        kind = (field, slopes, True, penalty, division)
        if kind not in self.tried:
            tree = self._grown(self._root(field, slopes, penalty, division), field, penalty, division, worth)
            if tree.loss > worth:
                return tree
            self.tried[kind] = tree
        return self.tried[kind]

    def _tell(self, *trials: Trial) -> None:
        for trial in trials:
            if trial not in self.found:
                self.found.append(trial)
                self.report(trial.candidate)

    def _walk(self, scout: Trial, division: int = 0) -> list[Trial]:
        """Neighbouring penalties in both directions, each on while the loss falls; a tree is grown at the end."""
        rows, penalty = scout.field.rows(division), scout.candidate.penalty
        begin = int(np.argmin(np.abs(np.log(np.array(STRENGTHS) / (penalty * rows)))))
        start = self._judged(scout.candidate.as_learned[0], scout.field, scout.grown, penalty, division)
        found: list[Trial] = []
        for step in (-1, 1):
            best, end = start, begin
            while 0 <= end + step < len(STRENGTHS):
                there = self._carried(best, STRENGTHS[end + step] / rows, division)
                found += [trial for trial in there if not trial.grown]
                trial = min(there, key=lambda trial: trial.loss, default=best)
                if not trial.loss < best.loss:
                    break
                best, end = trial, end + step
            if end != begin:
                found += _larger(self._from_root(scout.field, scout.slopes, STRENGTHS[end] / rows, division))
            if best.loss < (1.0 - CLEAR_GAIN) * start.loss:
                break  # it helped in one direction: the other one leads away
        return found

    def _carried(self, trial: Trial, penalty: float, division: int) -> list[Trial]:
        """The root under another penalty, and the tree refined under it."""
        there = []
        if trial.slopes != "none":  # a root that is one number knows no penalty
            there.append(self._tried(trial.field, trial.slopes, False, penalty, division))
        if trial.grown:
            learn = trial.field.ground(division).learn
            tree = trial.candidate.as_learned[0].refine(learn, penalty, CARRIED, ROUGH)[1]
            there.append(self._judged(tree, trial.field, True, penalty, division))
        return there

    def _race(self) -> None:
        divisions = len(self.fields[0].divided)
        if divisions == 1:
            return
        if self.keeps_first:
            self.found = _contenders(self.found, SURELY)
        runners = self._finalists()
        for division in range(1, divisions):  # to the last one even if alone: each tree is a start of the final refit
            fields = list({id(trial.field.grounds): trial.field for trial in runners}.values())
            list(self._side_by_side(partial(Field.ground, division=division), fields))  # before runners ask for them
            runners = list(self._side_by_side(partial(self._further, division=division), runners))
            self.found = runners = _contenders(runners, CLEARLY)
        for trial in runners:
            self.report(trial.candidate)

    def _finalists(self) -> list[Trial]:
        """The best of each kind, of these the best few; the one that would be chosen now; the best without steep gates.

        Where steep gates happen to part few rows without an error, all other losses look hopeless.
        """
        best: dict[tuple[Field, Slopes, bool], Trial] = {}
        for trial in sorted(self._near(self.found), key=lambda trial: trial.loss):
            best.setdefault((trial.field, trial.slopes, trial.grown), trial)
        few = [*list(best.values())[:FINALISTS], self.chosen]
        few += sorted(
            (trial for trial in self.found if trial.field.gates in ("open", "axis")), key=lambda trial: trial.loss
        )[:1]
        return [trial for trial in self.found if trial in few]

    def _further(self, trial: Trial, division: int) -> Trial:
        """The candidate with its tree on one more division; the first of full size puts the scout's aside."""
        field, penalty = trial.field, trial.candidate.penalty
        if division != field.full:
            return replace(trial, candidate=trial.candidate.with_folds(self._again(trial, division).candidate))
        if self.penalty is None:
            penalty *= field.rows(0) / field.rows(division)
        if trial.grown:
            return self._continued(trial, penalty, division)
        return self._tried(field, trial.slopes, False, penalty, division)

    def _continued(self, scout: Trial, penalty: float, division: int) -> Trial:
        """The scout's tree refined on the rows of a division that holds its own, and grown further there."""
        learn = scout.field.ground(division).learn
        tree = scout.candidate.as_learned[0].refine(learn, penalty, JOINT, ROUGH)[1]
        return self._grown(tree, scout.field, penalty, division)

    def _again(self, trial: Trial, division: int) -> Trial:
        """The same kind and penalty on other rows."""
        return self._tried(trial.field, trial.slopes, trial.grown, trial.candidate.penalty, division)

    def _tried(self, field: Field, slopes: Slopes, grown: bool, penalty: float, division: int) -> Trial:
        """One kind of tree at one penalty; once."""
        if grown:
            return self._from_root(field, slopes, penalty, division)
        kind = (field, slopes, False, penalty, division)
        if kind not in self.tried:
            self.tried[kind] = self._alone(field, slopes, penalty, division)
        return self.tried[kind]

    def _alone(self, field: Field, slopes: Slopes, penalty: float, division: int) -> Trial:
        """A root without a tree on it."""
        root = self._root(field, slopes, penalty, division)
        if slopes == "own":
            root = root.refine(field.ground(division).learn, penalty, self.max_iter)[1]
        return self._judged(root, field, False, penalty, division)

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

    def _grown(self, tree: Sapling, field: Field, penalty: float, division: int, worth: float = np.inf) -> Trial:
        ground, how = field.ground(division), replace(self.growing, penalty=penalty, worth=worth, gates=field.gates)
        jury = Jury(ground.judge)
        grown = grow(tree, ground.learn, ground.axes, how, jury)
        return self._judged(grown, field, True, penalty, division, jury.cost_of_choice(grown))

    def _judged(
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
        candidate = Candidate(field.recipe, penalty, [tree], losses, weight, [factor], inputs, field.gates)
        return Trial(field, tree.slopes, grown, candidate)


def _contenders(trials: list[Trial], errors: float) -> list[Trial]:
    """Those that are not worse than the best by so many standard errors."""
    ahead = min((trial.candidate for trial in trials), key=lambda candidate: candidate.loss)
    return [trial for trial in trials if not clearly_worse(trial.candidate, ahead, errors)]


def _larger(tree: Trial) -> list[Trial]:
    """The tree; nothing if it stayed a root, which is told of already."""
    return [tree] if tree.candidate.nodes > 1 else []


def _weightiest(rise: Floats, part: float) -> Inputs:
    """The fewest inputs that together hold so large a part of all rises; all of them if nothing rises."""
    order = np.argsort(-rise, kind="stable")
    share = np.cumsum(np.maximum(rise[order], 0.0))
    kept = np.full(len(rise), not share[-1] > 0)
    kept[order[: int(np.searchsorted(share, part * share[-1])) + 1]] = True
    return kept
