"""The origin of a tree: estimator, parameters, number of rows and held-out error.

It does not depend on the clock or the machine: the same data and parameters give the same provenance. Equality of trees
ignores it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class HeldOut:
    """An error on rows that were not trained on: what was measured ("error", "squared error", "log loss"), how
    ("cross-validation", "validation"), its value and its standard error (None if not known).
    """

    measure: str
    method: str
    value: float
    standard_error: float | None = None

    def __post_init__(self) -> None:
        for name in ("measure", "method"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"held_out: {name} must be text, got {getattr(self, name)!r:.80}.")
        numbers = [self.value] if self.standard_error is None else [self.value, self.standard_error]
        if any(type(number) not in (int, float) or not math.isfinite(number) for number in numbers):
            raise ValueError(f"held_out: value and standard_error must be finite numbers, got {numbers!r:.80}.")


@dataclass(frozen=True)
class Provenance:
    """The origin of a tree.

    Attributes
    ----------
    estimator : name of the class that learned it; "" if unknown.
    parameters : its parameters as JSON (`json_value`).
    version : of softwood.
    n_rows, weight : training rows that count, and the sum of their weights.
    held_out : the error on rows that were not trained on, or None.
    changes : later changes of the tree, in order: "harden", "snip node 3".

    Examples
    --------
    >>> origin = Provenance("CARTClassifier", {"max_depth": 3}, "0.1.0", n_rows=150, weight=150.0)
    >>> origin.then("snip node 2").changes
    ('snip node 2',)
    >>> Provenance.from_dict(origin.to_dict()) == origin
    True
    """

    estimator: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    n_rows: int = 0
    weight: float = 0.0
    held_out: HeldOut | None = None
    changes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", tuple(self.changes))
        for name in ("estimator", "version"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"provenance: {name} must be text, got {getattr(self, name)!r:.80}.")
        if not all(isinstance(change, str) for change in self.changes):
            raise ValueError(f"provenance: changes must be text, got {self.changes!r:.80}.")
        if type(self.n_rows) is not int or self.n_rows < 0:
            raise ValueError(f"provenance: n_rows must be an integer >= 0, got {self.n_rows!r:.80}.")
        if type(self.weight) not in (int, float) or not (math.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"provenance: weight must be a finite number >= 0, got {self.weight!r:.80}.")
        if self.held_out is not None and not isinstance(self.held_out, HeldOut):
            raise ValueError(f"provenance: held_out must be a HeldOut or None, got {self.held_out!r:.80}.")
        if not isinstance(self.parameters, Mapping) or not all(isinstance(name, str) for name in self.parameters):
            raise ValueError(f"provenance: parameters must be a dict with names as keys, got {self.parameters!r:.80}.")

    def of_rows(self, n_rows: int, weight: float) -> Provenance:
        """The same learner after other rows, nothing held out; without checks: a stream makes one for every row."""
        if not math.isfinite(weight):
            raise ValueError(f"provenance: weight must be a finite number >= 0, got {weight!r:.80}.")
        other = object.__new__(Provenance)
        other.__dict__.update(vars(self), n_rows=n_rows, weight=weight, held_out=None, changes=())
        return other

    def then(self, change: str) -> Provenance:
        """After a change of the tree, which invalidates the held-out error."""
        return replace(self, held_out=None, changes=(*self.changes, change))

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        held = self.held_out
        told = None if held is None else {each.name: getattr(held, each.name) for each in fields(held)}
        return {
            "estimator": self.estimator,
            "parameters": {name: json_value(value) for name, value in self.parameters.items()},
            "version": self.version,
            "n_rows": self.n_rows,
            "weight": self.weight,
            "held_out": told,
            "changes": list(self.changes),
        }

    @classmethod
    def from_dict(cls, stored: Any) -> Provenance:
        """Read what `to_dict` wrote; otherwise a ValueError."""
        names = {each.name for each in fields(cls)}
        if not isinstance(stored, Mapping) or stored.keys() != names:
            raise ValueError(f"a provenance must be a dict of {', '.join(sorted(names))}, got {stored!r:.80}.")
        if not isinstance(stored["changes"], list):
            raise ValueError(f"provenance: changes must be a list of text, got {stored['changes']!r:.80}.")
        _require_json(stored["parameters"])
        held = stored["held_out"]
        if held is not None:
            parts = {each.name for each in fields(HeldOut)}
            if not isinstance(held, Mapping) or held.keys() != parts:
                raise ValueError(f"held_out must be None or a dict of {', '.join(sorted(parts))}, got {held!r:.80}.")
            held = HeldOut(**held)
        return cls(**{**stored, "held_out": held})


def _require_json(parameters: Any) -> None:
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"provenance: parameters must be JSON, got {parameters!r:.80} ({problem}).") from None


def json_value(value: Any) -> Any:
    """A parameter as JSON: text, finite numbers, booleans, None, lists and dicts are kept; other values are described.

    Examples
    --------
    >>> json_value({"costs": {("a", "b"): np.float64(2.0)}, "cv": (1, 2)})
    {'costs': {'pairs': [[['a', 'b'], 2.0]]}, 'cv': [1, 2]}
    """
    if value is None or type(value) in (str, bool, int):
        return value
    if isinstance(value, np.generic | np.ndarray):
        plain = value.tolist()
        return {"repr": repr(plain)} if isinstance(plain, np.generic) else json_value(plain)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    if isinstance(value, Mapping):
        if all(type(name) is str for name in value):
            return {name: json_value(each) for name, each in value.items()}
        return {"pairs": [[json_value(name), json_value(each)] for name, each in value.items()]}
    return {"repr": re.sub(" at 0x[0-9a-f]+", "", repr(value))}  # without the memory address
