"""A tree as one Python module that needs only `math` of the standard library."""

from __future__ import annotations

from typing import Any

from softwood.formats.program import Program, make_program
from softwood.formats.tables import Numbers, fill, make_tables, needs, wrap


def to_python(model: Any) -> str:
    """The text of a module with `predict(row)` and, for classes, `predict_proba(row)`.

    A row is a sequence of cells in the order of `INPUTS` or a dict by name; None and NaN are missing, a label
    not seen at fit counts as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> module = {}
    >>> exec(to_python(CARTRegressor().fit(X, X[:, 0] > 7)), module)
    >>> module["predict"]([3.0]), module["predict"]({"x0": 9})
    (0.0, 1.0)
    """
    program = make_program(model, "to_python")
    spots = {
        "TITLE": program.title.replace("\\", "\\\\").replace('"', "'"),
        "TABLES": "\n".join(_table(name, numbers) for name, numbers in make_tables(program).items()),
        "INPUTS": _tuple([repr(cell.name) for cell in program.cells]),
        "LEVELS": _tuple([_levels(program, at) for at in range(len(program.cells))]),
        "ANSWERS": _tuple([repr(label) for label in program.answers]),
        "N_OUTPUTS": str(program.n_outputs),
    }
    return fill(MODULE, needs(program), spots)


def _levels(program: Program, at: int) -> str:
    cell = program.cells[at]
    if not cell.kind.has_levels:
        return "None"
    return "{" + ", ".join(f"{level!r}: {code}" for code, level in enumerate(cell.levels)) + "}"


def _table(name: str, numbers: Numbers) -> str:
    return f"_{name.upper()} = " + _tuple(
        ['float("inf")' if number == float("inf") else repr(number) for number in numbers]
    )


def _tuple(items: list[str]) -> str:
    return f"(\n{wrap(items)}\n)" if items else "()"


MODULE = '''
"""@TITLE@.

Written by softwood.export. A row is a sequence of cells in the order of INPUTS or a dict by name; None and NaN are
missing, a label that was not seen at fit counts as missing.
"""

import math

INPUTS = @INPUTS@
@if classes
CLASSES = @ANSWERS@
@end
@if numbers
TARGETS = @ANSWERS@
@end
_LEVELS = @LEVELS@
_N_OUTPUTS = @N_OUTPUTS@
@TABLES@


@if classes
def predict_proba(row):
    """Probabilities in the order of CLASSES."""
    return [min(p, 1.0) for p in _link(_output(_encode(row)))]


def predict(row):
    """The class of least expected cost; the first one if tied."""
    p = predict_proba(row)
@if costs
    n = len(CLASSES)
    cost = [sum(p[true] * _COST[true * n + given] for true in range(n)) for given in range(n)]
    return CLASSES[cost.index(min(cost))]
@end
@if !costs
    return CLASSES[p.index(max(p))]
@end
@end
@if numbers
def predict(row):
@if one_target
    """The predicted number."""
    return _link(_output(_encode(row)))[0]
@end
@if !one_target
    """The predicted numbers, in the order of TARGETS."""
    return _link(_output(_encode(row)))
@end
@end


def _encode(row):
    if isinstance(row, dict):
        strange = [name for name in row if name not in INPUTS]
        if strange:
            raise ValueError(f"the row has {strange!r:.200}, which are not inputs; the inputs are {INPUTS!r:.200}.")
        row = [row.get(name) for name in INPUTS]
    if len(row) != len(INPUTS):
        raise ValueError(f"a row must have {len(INPUTS)} cells, one for each input, got {len(row)}.")
    return [_number(*each) for each in zip(INPUTS, row, _LEVELS)]


def _number(name, cell, levels):
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or cell != cell:
        return math.nan
@if levels
    if levels is not None:
        return _code(name, cell, levels)
@end
    if isinstance(cell, str) or not hasattr(cell, "__float__"):
        raise ValueError(f"input {name!r} is a number, got {cell!r:.40}.")
    if math.isinf(cell):
        raise ValueError(f"input {name!r} must be finite or missing, got {cell}.")
    return float(cell)
@if levels


def _code(name, cell, levels):
    if cell in levels:
        return float(levels[cell])
    is_text = isinstance(cell, str) or not hasattr(cell, "__float__")
    if levels and is_text not in {isinstance(level, str) for level in levels}:
        raise ValueError(f"input {name!r} has categories like {next(iter(levels))!r}, got {cell!r:.40}.")
    return float(levels.get(str(cell), math.nan)) if is_text else math.nan
@end
@if columns


def _column(c, x):
    value, kind = x[_COLUMN_INPUT[c]], _COLUMN_KIND[c]
    if value != value:
        return _COLUMN_MISSING[c]
    value = min(max(value, _COLUMN_LOW[c]), _COLUMN_HIGH[c])
    if kind == 1:
        return value * value
    if kind == 2:
        return max(0.0, value - _COLUMN_PARAMETER[c])
    if kind == 3:
        return 1.0 if value == _COLUMN_PARAMETER[c] else 0.0
    return value if kind == 0 else 0.0
@end
@if linear


def _score(at, x):
    score = _BIAS[at]
    for i in range(_WEIGHT_BEGIN[at], _WEIGHT_BEGIN[at + 1]):
        score += _WEIGHT[i] * _column(_WEIGHT_COLUMN[i], x)
    return score
@end
@if sigmoid


def _sigmoid(score):
    e = math.exp(-abs(score))
    return (1.0 if score >= 0 else e) / (1.0 + e)
@end
@if soft


def _soften(at, gate, x):
    away, below, above = x - _SOFT_THRESHOLD[at], _SOFT_BELOW[at], _SOFT_ABOVE[at]
@if threshold_sigmoid
    if gate == 3:
        return _sigmoid(-away / below)
@end
    if away < 0:
        return 1.0 if away <= -below else 0.5 - 0.5 * away / below
    if away > 0:
        return 0.0 if away >= above else 0.5 - 0.5 * away / above
    return 0.5
@end
@if readers


def _slot(m, x):
    """The slot that the readers of node m find; -1 if none does."""
    for r in range(_READER_BEGIN[m], _READER_BEGIN[m + 1]):
        value, at = x[_READER_INPUT[r]], _SLOT_BEGIN[r]
        if value != value:
            continue
        begin, end = _CUT_BEGIN[r], _CUT_BEGIN[r + 1]
        if begin == end:
            at += int(value)
        while begin < end and _CUT[begin] < value:
            begin, at = begin + 1, at + 1
        if _SLOT[at] >= 0:
            return _SLOT[at]
    return -1
@end
@if gates
@if many_paths


def _shares(m, x):
    """The share that the gate of node m sends to each child."""
    gate, n, first = _GATE[m], _N_CHILDREN[m], None
@if linear_step
    if gate == 4:
        first = float(_score(_GATE_AT[m], x) >= 0)
@end
@if linear_sigmoid
    if gate == 5:
        first = _sigmoid(_score(_GATE_AT[m], x))
@end
@if soft
    if gate in (2, 3):
        value = x[_SOFT_INPUT[_GATE_AT[m]]]
        first = None if value != value else _soften(_GATE_AT[m], gate, value)
@end
    if first is not None:
        return (first, 1.0 - first)
@if readers
    slot = _slot(m, x)
    if slot >= 0:
        return [float(each == slot) for each in range(n)]
@end
    return _REST[_FIRST_CHILD[m] : _FIRST_CHILD[m] + n]
@end
@end


def _respond(m, x):
    """The response of node m, before the link."""
    answer = list(_VALUE[m * _N_OUTPUTS : (m + 1) * _N_OUTPUTS])
@if slopes
    for i in range(_SLOPE_BEGIN[m], _SLOPE_BEGIN[m + 1]):
        value = _column(_SLOPE_COLUMN[i], x)
        for k in range(_N_OUTPUTS):
            answer[k] += value * _SLOPE[i * _N_OUTPUTS + k]
@end
    return answer


@if one_path
def _output(x):
    m = 0
@if gates
    while _N_CHILDREN[m]:
@if linear
        if _GATE[m] == 4:
            m = _FIRST_CHILD[m] + (0 if _score(_GATE_AT[m], x) >= 0 else 1)
            continue
@end
@if readers
        slot = _slot(m, x)
        m = _FIRST_CHILD[m] + (slot if slot >= 0 else _DEFAULT_SLOT[m])
@end
@end
    return _respond(m, x)
@end
@if many_paths
def _output(x):
    output, reach = [0.0] * _N_OUTPUTS, [0.0] * len(_LEAFNESS)
    reach[0] = 1.0
    for m, leafness in enumerate(_LEAFNESS):
        if reach[m] == 0:
            continue
        kept, passed = reach[m] * leafness, reach[m] * (1.0 - leafness)
        if leafness > 0:
            for k, value in enumerate(_respond(m, x)):
                output[k] += kept * value
        if _N_CHILDREN[m] and passed != 0:
            for c, share in enumerate(_shares(m, x), _FIRST_CHILD[m]):
                reach[c] = passed * share
    return output
@end


@if log_link
def _exp(value):
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


@end
def _link(output):
@if identity_link
    return output
@end
@if two_of_one
    p = _sigmoid(output[0])
    return [1.0 - p, p]
@end
@if sigmoid_link
@if !two_of_one
    return [_sigmoid(value) for value in output]
@end
@end
@if log_link
    return [_exp(value) for value in output]
@end
@if softmax_link
    top = max(output)
    e = [math.exp(value - top) for value in output]
    total = sum(e)
    return [value / total for value in e]
@end
'''
