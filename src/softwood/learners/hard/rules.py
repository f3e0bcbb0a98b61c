"""Rules from a tree (Quinlan 1993, chapter 5).

1. Every path to a leaf is a rule. The condition whose removal gives the lowest pessimistic error rate is dropped, as
   long as the rate does not increase.
2. Of the rules of a class, those are kept that describe it in the fewest bits: bits of the rules * RULE_BITS_SHARE +
   bits of the exceptions, log2 C(covered, false positives) + log2 C(not covered, false negatives). Rules are removed
   one by one, each time the one whose removal saves most.
3. Classes are ordered by their false positives among the rows not covered yet, fewest first; rules of a class by their
   pessimistic error rate. The default is the most frequent class of the rows that no rule covers.
4. Rules whose removal does not increase the training error are dropped, the last first.

Differs from C4.5: paths are those of the pruned tree, the tree that is shown; the choice in step 2 is always greedy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softwood.arrays import Floats, Mask
from softwood.kernels.arithmetic import log2, matmul
from softwood.kernels.formulas.special import log_factorial
from softwood.learners.hard.c45 import C45Cases
from softwood.parts.pessimism import pessimistic_errors
from softwood.tree import Tree
from softwood.tree.ruleset import Condition, Rule, RuleSet
from softwood.tree.views import CategoryGate

RULE_BITS_SHARE = 0.5  # rules overlap and have no order inside: their bits count half, as in C4.5
ROUNDING = 1e-9
BITS_PER_NAT = 1.4426950408889634  # in a natural unit of information: 1 / log 2


def learn_rules(tree: Tree, cases: C45Cases, confidence: float) -> RuleSet:
    """Simplified, ordered rules of a hard tree of threshold and category gates."""
    maker = RuleMaker(cases, confidence)
    found = {maker.simplify(path_conditions(tree, leaf), answer_of(tree, leaf)) for leaf in leaves_of(tree)}
    found = {rule for rule in found if rule.conditions}
    n_conditions = len({c for rule in found for c in rule.conditions})
    kept = [maker.choose([r for r in found if r.answer == k], k, n_conditions) for k in range(cases.n_classes)]
    ordered = maker.order(kept)
    default = maker.default(ordered)
    ordered = maker.polish(ordered, default)
    merged = tuple(replace(rule, conditions=merge(rule.conditions)) for rule in ordered)
    return RuleSet(merged, default, tree.schema)


def leaves_of(tree: Tree) -> list[int]:
    """Leaves with training rows, by id."""
    return [int(leaf) for leaf in np.flatnonzero((tree.n_children == 0) & (tree.count > 0))]


def answer_of(tree: Tree, node: int) -> int:
    return int(tree.response[node].argmax())


def path_conditions(tree: Tree, leaf: int) -> tuple[Condition, ...]:
    """The conditions on the path to a leaf; of several bounds on one side of an input only the tightest."""
    found: dict[tuple[int, str], Condition] = {}
    node = leaf
    while (above := int(tree.parent[node])) >= 0:
        condition = gate_condition(tree, above, node - int(tree.first_child[above]))
        side = "in" if condition.levels is not None else "upper" if np.isfinite(condition.upper) else "lower"
        key = (condition.feature, side)
        found[key] = both(found[key], condition) if key in found else condition
        node = above
    return tuple(sorted(found.values(), key=lambda c: (c.feature, c.lower, c.upper)))


def gate_condition(tree: Tree, node: int, slot: int) -> Condition:
    """The condition of a gate for a slot."""
    feature, threshold, gate = int(tree.feature[node]), float(tree.threshold[node]), tree.gate(node)
    if isinstance(gate, CategoryGate):
        return Condition(feature, levels=tuple(code for code, to in enumerate(gate.slots) if to == slot))
    return Condition(feature, upper=threshold) if slot == 0 else Condition(feature, lower=threshold)


def both(one: Condition, other: Condition) -> Condition:
    """Two conditions on one input as one."""
    levels = one.levels
    if levels is not None and other.levels is not None:
        levels = tuple(level for level in levels if level in other.levels)
    return Condition(one.feature, max(one.lower, other.lower), min(one.upper, other.upper), levels)


def merge(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """One condition per input."""
    found: dict[int, Condition] = {}
    for condition in conditions:
        feature = condition.feature
        found[feature] = both(found[feature], condition) if feature in found else condition
    return tuple(found.values())


@dataclass(frozen=True)
class RuleMaker:
    """Rules judged on the training cases."""

    cases: C45Cases
    confidence: float

    def rate(self, coverage: float, errors: float) -> float:
        """Pessimistic error rate of a rule; 1 if it covers nothing."""
        return pessimistic_errors(coverage, errors, self.confidence) / coverage if coverage > 0 else 1.0

    def measured(self, conditions: tuple[Condition, ...], answer: int, covered: Mask) -> Rule:
        """The rule with its coverage."""
        weight = self.cases.weight[covered]
        wrong = weight[self.cases.code[covered] != answer]
        return Rule(conditions, answer, float(weight.sum()), float(wrong.sum()))

    def simplify(self, conditions: tuple[Condition, ...], answer: int) -> Rule:
        """Drop conditions as long as the pessimistic error rate does not increase."""
        left = list(conditions)
        fails = np.stack([~condition.holds(self.cases.X) for condition in left]) if left else np.zeros((0, 0), np.bool_)
        failed = fails.sum(axis=0) if left else np.zeros(len(self.cases.code), np.int64)
        now = self.measured((), answer, failed == 0)
        best = self.rate(now.coverage, now.errors)
        while left:
            # rows excluded only by one condition are covered when it is dropped
            near = np.flatnonzero(failed == 1)
            wrong = self.cases.weight[near] * (self.cases.code[near] != answer)
            more, errors = (matmul(fails[:, near], by) for by in (self.cases.weight[near], wrong))
            rates = [self.rate(now.coverage + m, now.errors + e) for m, e in zip(more, errors, strict=True)]
            at = int(np.argmin(rates))
            if rates[at] > best + ROUNDING:
                break
            failed = failed - fails[at]
            best, now = rates[at], self.measured((), answer, failed == 0)
            del left[at]
            fails = np.delete(fails, at, axis=0)
        return replace(now, conditions=tuple(left))

    def choose(self, rules: list[Rule], answer: int, n_conditions: int) -> list[Rule]:
        """The rules of one class that describe it in the fewest bits."""
        rules = sorted(rules, key=self.rank)
        weight, own = self.cases.weight, self.cases.weight * (self.cases.code == answer)
        cover = np.array([rule.holds(self.cases.X) for rule in rules]).reshape(len(rules), len(weight))
        while rules:
            times = cover.sum(axis=0)
            once = np.flatnonzero(times == 1)
            # with all rules, then without each
            lost, lost_own = (np.append(0.0, matmul(cover[:, once], w[once])) for w in (weight, own))
            covered, hit = weight[times > 0].sum() - lost, own[times > 0].sum() - lost_own
            size = np.array([rule_bits(rule, n_conditions) for rule in rules])
            theory = RULE_BITS_SHARE * (size.sum() - np.append(0.0, size))
            bits = theory + exception_bits(weight.sum(), covered, covered - hit, own.sum() - hit)
            best = int(np.argmin(bits))
            if best == 0:
                break
            del rules[best - 1]
            cover = np.delete(cover, best - 1, axis=0)
        return rules

    def rank(self, rule: Rule) -> tuple[float, float, int, tuple[tuple[float, ...], ...]]:
        """Best first: low pessimistic error, wide coverage, few conditions; then any fixed order."""
        spelled = tuple((c.feature, c.lower, c.upper, *(c.levels or ())) for c in rule.conditions)
        rate = self.rate(rule.coverage, rule.errors)
        return round(rate, 12), -rule.coverage, len(rule.conditions), spelled

    def order(self, by_class: list[list[Rule]]) -> list[Rule]:
        """Classes with few false positives first."""
        left = {answer: rules for answer, rules in enumerate(by_class) if rules}
        cover = {answer: self.covered(rules) for answer, rules in left.items()}
        free, ordered = np.ones(len(self.cases.code), np.bool_), list[Rule]()
        while left:
            wrong = {a: self.cases.weight[free & cover[a] & (self.cases.code != a)].sum() for a in left}
            first = min(left, key=lambda a: (wrong[a], a))
            ordered += sorted(left.pop(first), key=self.rank)
            free &= ~cover[first]
        return ordered

    def covered(self, rules: list[Rule]) -> Mask:
        """Rows that some rule covers."""
        met = np.zeros(len(self.cases.code), np.bool_)
        for rule in rules:
            met |= rule.holds(self.cases.X)
        return met

    def default(self, rules: list[Rule]) -> int:
        """The most frequent class of the rows that no rule covers; of all rows if none is left."""
        free = ~self.covered(rules)
        code, weight = self.cases.code, self.cases.weight
        every = np.bincount(code, weight, self.cases.n_classes)
        left = np.bincount(code[free], weight[free], self.cases.n_classes)
        return int((left if left.sum() > 0 else every).argmax())

    def polish(self, rules: list[Rule], default: int) -> list[Rule]:
        """Drop rules whose removal does not increase the training error."""
        cover = [rule.holds(self.cases.X) for rule in rules]
        worst = self.errors(rules, cover, default)
        for at in reversed(range(len(rules))):
            fewer, holds = rules[:at] + rules[at + 1 :], cover[:at] + cover[at + 1 :]
            errors = self.errors(fewer, holds, default)
            if errors <= worst + ROUNDING:
                rules, cover, worst = fewer, holds, errors
        return rules

    def errors(self, rules: list[Rule], cover: list[Mask], default: int) -> float:
        """Training errors of rules in order."""
        answer = np.full(len(self.cases.code), default)
        for rule, holds in zip(reversed(rules), reversed(cover), strict=True):
            answer[holds] = rule.answer
        return float(self.cases.weight[answer != self.cases.code].sum())


def rule_bits(rule: Rule, n_conditions: int) -> float:
    """Bits to encode a rule's conditions, regardless of their order."""
    n = len(rule.conditions)
    return float(n * log2(max(n_conditions, 2)) - log_factorial(n) * BITS_PER_NAT)


def exception_bits(total: float, covered: Floats, false_positive: Floats, false_negative: Floats) -> Floats:
    """Bits to encode the exceptions of the rules of a class."""
    return log_choices(covered, false_positive) + log_choices(total - covered, false_negative)


def log_choices(n: Floats, k: Floats) -> Floats:
    """log2 of n choose k, also for weights."""
    n, k = np.maximum(n, 0.0), np.clip(k, 0.0, np.maximum(n, 0.0))
    return np.asarray((log_factorial(n) - log_factorial(k) - log_factorial(n - k)) * BITS_PER_NAT)
