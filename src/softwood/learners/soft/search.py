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
    lean    (where folds are all there is to judge by) the best one again, with inputs held back as its trees lean on
            them

A root without gates and a tree grown from it are tried: often a line is all that few rows can tell. A walk carries the
scout's tree along, refined under each penalty, only to learn where to go: where the way ends a tree is grown anew. To
keep the tree that was carried was measured, and is worse: gates placed under one penalty stay where they are. To grow
a tree at every step was measured, too: no better, and half as long again; and so was to grow one wherever the way leads
to: what a penalty saves in the third digit is less than what chance does to a tree that is grown anew.

Gates weigh all inputs, and a ridge only makes useless ones quieter: with ninety useless inputs beside ten a tree
that was told of the ten has half the error. What an input is worth is asked twice. On the rows learned from, where
each seems to help a little; and on held-out rows, where a useless one does not, but by the tree of another division:
rows that chose the inputs would flatter the choice. Useless inputs make a heavy penalty the best one, and under it a
tree without them may hardly be better: lighter ones are tried, too. What seems better must be so on a third division,
or by twice as much (by less, it may race). A tree that is surely worse when it is refined without the inputs in
question needs them: no other is grown then.

Inputs are held back as a tree leans on them (leaning.py) on each division by the tree that grew there: with the factors
of one division for all, rows that told them flatter the choice, and small tables are worse off than without any. All
divisions together choose. To lean before the race, and to keep what is better on the first division, was measured:
half the gain. Beside validation rows it gained .3 % on the papers' thirty tables (9 % on one, nothing on most) in half
as long again; where rows are many, 1 % on one table of two in a fifth more time: there trees do not lean.

A penalty on weights makes gates soft, and steps are not: a gate that looks at one input is free to be steep. Useless
inputs do it no harm, so that all inputs are shown again. A tree that may choose gate by gate was measured, without
asking a tree of axis gates first: where there are no steps it is a little worse, and a fifth longer.

Kinds are scouted and walked, and candidates race, side by side by threads; each works on its own and what it found
is told in order, so that threads change nothing but the time.
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
from softwood.learners.soft.ground import rises
from softwood.learners.soft.nursery import Nursery
from softwood.learners.soft.sapling import Sapling, Slopes
from softwood.parts.crew import side_by_side

S = TypeVar("S")
T = TypeVar("T")

STRENGTHS = (2000.0, 600.0, 200.0, 60.0, 20.0, 6.0, 2.0, 0.6, 0.2)  # penalties to try, times the rows
BEGIN = 6  # place among the strengths where the search begins
NEAR = 0.25  # part of the best loss within which a kind is worth a walk,
NEAR_IF_STEEP = 0.1  # and gates that may be steep, whose weights cost nothing under any penalty
CLEAR_GAIN = 0.01  # part of the loss; a direction that saves more makes the other one needless
WORTH_GROWING = 0.001  # part of the loss that a penalty saves at least where a tree is grown anew
FINALISTS = 4  # candidates that meet the other divisions of the rows
STARTS = 3  # divisions that even a candidate alone meets, as starts of the final refit; without validation rows, all
FELT, FELT_ELSEWHERE = 0.95, 0.99  # of what inputs are worth, on rows learned from and held out: what those kept hold
MOST_KEPT = 0.75  # of the inputs; where more are felt, there is nothing to gain
SURELY = 1.0  # standard errors by which fewer inputs must be better, or a kind worse that does not race


@dataclass
class Search:
    """`found` is kept up to date, so that an interrupted search has the best so far.

    nursery : where trees are grown and judged.  penalty : a fixed one, None to choose.
    prepare : recipes and columns to try where only some inputs are looked at.
    sharpen : whether gates that look at one input each are tried, too.
    keeps_first : whether the tree of the first division will be kept: a kind that is surely worse there does not race.
    """

    fields: list[Field]
    slopes: tuple[Slopes, ...]
    nursery: Nursery
    penalty: float | None
    report: Callable[[Candidate], None]
    prepare: Callable[[Inputs], list[tuple[Recipe, Columns]]]
    sharpen: bool = False
    keeps_first: bool = False
    found: list[Trial] = field(default_factory=list)
    interrupted: bool = False
    narrowed: dict[tuple[Recipe, bytes], Field] = field(default_factory=dict)

    def run(self) -> None:
        """Scout and walk, narrow, sharpen, race, and lean."""
        wide = self.fields[0]
        self._explore()
        while self._narrow():
            self._explore()
        if self.sharpen:
            self._sharpen(wide)
        self._race()
        if self.penalty is None and self.fields[0].full:
            self._tell(*self._walk(min(self.found, key=lambda trial: trial.loss), self.fields[0].full))
        elif self.penalty is None and self.nursery.growing.max_gate_features is None and not self.keeps_first:
            self._lean()

    def resume(self, tree: Sapling) -> None:
        """Grow a tree further instead: refined on the rows at hand, then grown while that helps."""
        field, penalty = self.fields[0], self.penalty
        if penalty is None:
            raise ValueError("a tree is grown further under the penalty it grew under.")
        self._tell(self.nursery.resumed(tree, field, penalty))

    @property
    def chosen(self) -> Trial:
        """The simplest that is not clearly worse than the best, so far."""
        candidate = choose([trial.candidate for trial in self.found])
        return next(trial for trial in self.found if trial.candidate is candidate)

    def clear(self) -> None:
        """Let go of the rows' columns."""
        self.nursery.clear()
        for one in self.fields:
            one.grounds.clear()

    def _explore(self) -> None:
        """Every kind of tree, and the penalties that suit those near the best.

        The first recipe's columns are among those of the others: where these make a root far worse they overfit, and no
        tree is grown with them, whatever its leaves.
        """
        scouts, fitting = list[Trial](), self.fields
        for slopes in reversed(self.slopes):
            roots = self._roots(slopes)
            most = roots[0].loss + NEAR * abs(roots[0].loss)
            fitting = [root.field for root in roots if root.field in fitting and root.loss <= most]
            trees = {tree.field: tree for tree in self._trees(slopes, fitting, self._worth())}
            scouts += [min(root, trees.get(root.field, root), key=lambda trial: trial.loss) for root in roots]
        self._walk_all(scouts)

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
            if kept.sum() <= MOST_KEPT * best.candidate.inputs and not self._misses(best, kept):
                for trial in self._ever_lighter(best, self._only(best.field, kept)):
                    if clearly_worse(best.candidate, trial.candidate, SURELY):
                        if self._confirmed(best, trial):
                            return trial
                        if not best.field.third:
                            self._tell(trial)  # it may race
        return None

    def _misses(self, trial: Trial, inputs: Inputs) -> bool:
        """Whether the tree itself is surely worse when it is refined with some inputs alone."""
        there = self.nursery.narrowed(trial, self._only(trial.field, inputs), inputs)
        return clearly_worse(there.candidate, trial.candidate, SURELY)

    def _ever_lighter(self, trial: Trial, field: Field) -> Iterator[Trial]:
        """The kind of tree in another field under its penalty, and under lighter ones while the loss falls.

        Useless inputs ask for a heavy penalty, under which a tree without them is hardly better, but not surely worse.
        """
        penalty, rows, before = trial.candidate.penalty, field.rows(0), np.inf
        lighter = [] if self.penalty is not None else [one / rows for one in STRENGTHS if one / rows < 0.99 * penalty]
        for one in (penalty, *lighter):
            there = self.nursery.trial(field, trial.slopes, trial.grown, one, 0)
            yield there
            if not there.loss < before or clearly_worse(there.candidate, trial.candidate, SURELY):
                return
            before = there.loss

    def _confirmed(self, best: Trial, narrower: Trial) -> bool:
        """Whether fewer inputs are surely better on one more division, too, which chose nothing.

        If none is left, they must be so twice as surely.
        """
        third = best.field.third
        if not third:
            return clearly_worse(best.candidate, narrower.candidate, 2 * SURELY)
        again = [self.nursery.again(trial, third).candidate for trial in (best, narrower)]
        return clearly_worse(best.candidate.with_folds(again[0]), narrower.candidate.with_folds(again[1]), SURELY)

    def _only(self, field: Field, inputs: Inputs) -> Field:
        """The field with some inputs alone; the same one if it is asked for again."""
        return self.narrowed.setdefault((field.recipe, inputs.tobytes()), field.only(inputs))

    def _felt(self, trial: Trial) -> Iterator[Inputs]:
        """The inputs that matter: on the rows learned from; then on rows that another division holds out."""
        field, tree = trial.field, trial.candidate.tree[0]
        yield _weightiest(rises(tree, field.columns, field.ground(0).learn, field.n_inputs), FELT)
        if field.another:
            trial = self.nursery.again(trial, field.another)
        tree, judge = trial.candidate.tree[0], field.ground(field.another).judge
        yield _weightiest(rises(tree, field.columns, judge, field.n_inputs), FELT_ELSEWHERE)

    def _roots(self, slopes: Slopes) -> list[Trial]:
        """A root with columns of each recipe at the first penalty."""
        penalty = self._first_penalty
        roots = list(
            self._side_by_side(lambda field: self.nursery.trial(field, slopes, False, penalty, 0), self.fields)
        )
        self._tell(*roots)
        return roots

    def _trees(self, slopes: Slopes, fields: list[Field], worth: float) -> list[Trial]:
        """A tree in each field at the first penalty; `worth` is the loss that it should come down to."""
        trees, penalty = [], self._first_penalty
        for tree in self._side_by_side(lambda field: self.nursery.from_root(field, slopes, penalty, 0, worth), fields):
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

    def _tell(self, *trials: Trial) -> None:
        for trial in trials:
            if trial not in self.found:
                self.found.append(trial)
                self.report(trial.candidate)

    def _walk(self, scout: Trial, division: int = 0) -> list[Trial]:
        """Neighbouring penalties in both directions, each on while the loss falls; a tree is grown at the end."""
        rows, penalty = scout.field.rows(division), scout.candidate.penalty
        begin = int(np.argmin(np.abs(np.log(np.array(STRENGTHS) / (penalty * rows)))))
        start = self.nursery.judged(scout.candidate.as_learned[0], scout.field, scout.grown, penalty, division)
        found: list[Trial] = []
        for step in (-1, 1):
            best, end = start, begin
            while 0 <= end + step < len(STRENGTHS):
                there = self.nursery.carried(best, STRENGTHS[end + step] / rows, division)
                found += [trial for trial in there if not trial.grown]
                trial = min(there, key=lambda trial: trial.loss, default=best)
                if not trial.loss < best.loss:
                    break
                best, end = trial, end + step
            if best.loss < (1.0 - WORTH_GROWING) * start.loss:
                found += _larger(self.nursery.from_root(scout.field, scout.slopes, STRENGTHS[end] / rows, division))
            if best.loss < (1.0 - CLEAR_GAIN) * start.loss:
                break  # it helped in one direction: the other one leads away
        return found

    def _race(self) -> None:
        divisions = len(self.fields[0].divided)
        if divisions == 1:
            return
        if self.keeps_first:
            self.found = _contenders(self.found, SURELY)
        runners = self._finalists()
        for division in range(1, divisions):
            if len(runners) == 1:
                last = STARTS if self.keeps_first else divisions
                if division >= last:
                    break
                self._run_ahead(runners[0], range(division, min(last, divisions)))
            fields = list({id(trial.field.grounds): trial.field for trial in runners}.values())
            list(self._side_by_side(partial(Field.ground, division=division), fields))  # before runners ask for them
            runners = list(self._side_by_side(partial(self._further, division=division), runners))
            self.found = runners = _contenders(runners, CLEARLY)
        for trial in runners:
            self.report(trial.candidate)

    def _lean(self) -> None:
        """The best candidate again, on the same divisions, with inputs held back as its trees lean on them.

        What was found first is kept unless this is simpler, or better by more than chance (choice.py).
        """
        able = [trial for trial in self.found if trial.field.gates == "open" and trial.candidate.inputs > 1]
        if not able:
            return
        best = min(able, key=lambda trial: trial.loss)
        leaned = self._leaned(best)
        if leaned.loss < best.loss:
            self._tell(leaned)

    def _leaned(self, trial: Trial) -> Trial:
        """Trees of all divisions so far, each held back by the one that grew there; over the first one's columns."""
        plain = [(self.nursery.again(trial, division), division) for division in range(len(trial.candidate.tree))]
        first, *others = self._side_by_side(lambda pair: self.nursery.leaning(*pair), plain)
        for other in others:
            first = replace(first, candidate=first.candidate.with_folds(other.over(first.field).candidate))
        return first

    def _run_ahead(self, trial: Trial, divisions: range) -> None:
        """The trees that a candidate alone in the race is about to grow, side by side."""
        if trial.field.full not in divisions:
            list(self._side_by_side(partial(self.nursery.again, trial), divisions))

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
            return replace(trial, candidate=trial.candidate.with_folds(self.nursery.again(trial, division).candidate))
        if self.penalty is None:
            penalty *= field.rows(0) / field.rows(division)
        if trial.grown:
            return self.nursery.continued(trial, penalty, division)
        return self.nursery.trial(field, trial.slopes, False, penalty, division)


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
