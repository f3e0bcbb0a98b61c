"""A comparison of two runs: which models differ, and in which fields."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bench.equality.hashes import Hashes, Run


@dataclass
class Comparison:
    """The result of comparing two runs.

    same, differ : pairs of data set and model; `differ` has the fields.
    unlike : pairs for which one run, or both, has no tree, and why.
    new : fields that only the newer trees have, and in how many; they are reported but do not count.
    """

    same: int = 0
    differ: dict[str, list[str]] = field(default_factory=dict)
    unlike: dict[str, str] = field(default_factory=dict)
    new: Counter[str] = field(default_factory=Counter)

    @property
    def is_equal(self) -> bool:
        return not self.differ and not self.unlike

    def lines(self) -> list[str]:
        """The comparison as text."""
        told = [f"differs: {pair}: {', '.join(fields)}" for pair, fields in self.differ.items()]
        told += [f"not compared: {pair}: {why}" for pair, why in self.unlike.items()]
        told += [f"new field: {name} (in {count} trees)" for name, count in self.new.items()]
        told.append(f"{self.same} trees are equal, {len(self.differ)} differ, {len(self.unlike)} were not compared.")
        return told


def compare(base: Run, head: Run) -> Comparison:
    """Compare the older run with the newer."""
    found = Comparison()
    pairs = {(data, name) for run in (base, head) for data, models in run.items() for name in models}
    for data, name in sorted(pairs):
        old, new = (run.get(data, {}).get(name, {"error": "not in this run"}) for run in (base, head))
        _compare_trees(f"{data}, {name}", old, new, found)
    return found


def _compare_trees(pair: str, old: Hashes, new: Hashes, found: Comparison) -> None:
    if "error" in old and old == new:
        found.same += 1  # refused by both
        return
    if "error" in old or "error" in new:
        why = [f"{which}: {tree['error']}" for which, tree in (("base", old), ("now", new)) if "error" in tree]
        found.unlike[pair] = "; ".join(why)
        return
    fields = [name if name in new else f"{name} (gone)" for name in old if old[name] != new.get(name)]
    found.new.update(name for name in new if name not in old)
    if fields:
        found.differ[pair] = fields
    else:
        found.same += 1
