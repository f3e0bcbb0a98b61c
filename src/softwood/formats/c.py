"""A tree as one C header: constant tables and a short loop, no allocation, in float or double.

Works as C99 and as C++. If each row reaches one leaf, the tree is walked; otherwise it needs one number per node on the
stack. GCC contracts a product and a sum into one operation if the machine has it: -ffp-contract=off keeps Python's
digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from softwood.formats.program import Label, Program, make_program, refuse_wide_answers, refuse_wide_levels
from softwood.formats.tables import Numbers, begins, fill, make_tables, needs, to_single, wrap

WIDTHS = ((8, -(2**7), 2**7), (16, -(2**15), 2**15), (32, -(2**31), 2**31))


def to_c(model: Any, *, name: str = "model", precision: str = "double") -> str:
    """The text of a header with `NAME_answer(row, answer)` and, for classes, `NAME_decide(row)`.

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one.
    name : prefix of every name in the header.
    precision : "double" or "float", of rows and predictions. Linear sums and soft thresholds are always computed in
        double, because floats lose the digits of differences; a tree without them uses floats only and sends rows of
        floats as the model does.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> text = to_c(CARTRegressor().fit(X, X[:, 0] > 7), name="steps")
    >>> [line for line in text.splitlines() if "answer(" in line]
    ['static inline void steps_answer(const double *row, double *answer) {']
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name must be a C name (letters, digits, _), got {name!r}.")
    if precision not in ("float", "double"):
        raise ValueError(f"precision must be 'float' or 'double', got {precision!r}.")
    program = make_program(model, "to_c")
    refuse_wide_levels(program, "the C header, which has doubles,")
    refuse_wide_answers(program, "the C header, which has doubles,")
    mixed = precision == "float" and program.has_differences
    inside = "double" if mixed else precision
    program = to_single(program) if inside == "float" else program
    tables = make_tables(program)
    spots = {
        "TITLE": _comment(program.title),
        "N": name,
        "UPPER": name.upper(),
        "REAL": inside,
        "IO": precision,
        "COMPUTE": f"{name}_compute" if mixed else f"{name}_answer",
        "F": "f" if inside == "float" else "",
        "TABLES": "\n".join(_table(f"{name}_{key}", numbers, inside) for key, numbers in tables.items()),
        "ROW": "\n".join(_describe(program, at) for at in range(len(program.cells))),
        "ANSWERS": "\n".join(f"   answer[{k}]  {_comment(str(label))}" for k, label in enumerate(program.answers)),
        "LABELS": _labels(f"{name}_labels", program.answers),
        "LEVELS": _levels(name, program),
        "N_INPUTS": str(len(program.cells)),
        "N_ANSWERS": str(len(program.answers)),
        "N_OUTPUTS": str(program.n_outputs),
        "N_NODES": str(len(program.nodes)),
    }
    kinds = {type(level) for cell in program.cells for level in cell.levels}
    has = {**needs(program), "mixed": mixed, "text_levels": str in kinds, "number_levels": bool(kinds - {str})}
    return fill(HEADER, has, spots)


def _describe(program: Program, at: int) -> str:
    cell = program.cells[at]
    what = f"{cell.kind}, by code: " if cell.kind.has_levels else str(cell.kind)
    levels = ", ".join(f"{code} {level}" for code, level in enumerate(cell.levels))
    return f"   row[{at}]  {_comment(cell.name)}: {what}{_comment(levels)}"


def _comment(text: str) -> str:
    """Text that cannot end a comment."""
    return " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("??", "? ?")


def _table(name: str, numbers: Numbers, precision: str) -> str:
    values = numbers or [0]  # C has no empty arrays
    if all(isinstance(number, int) for number in values):
        bits = next(width for width, low, high in WIDTHS if low <= min(values) and max(values) < high)
        return _array(f"int{bits}_t {name}", [str(number) for number in values])
    return _array(f"{precision} {name}", [_number(float(number), precision) for number in values])


def _number(value: float, precision: str) -> str:
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = f"{value:.9g}" if precision == "float" else repr(value)
    text += ".0" if re.fullmatch(r"-?\d+", text) else ""
    return f"{text}f" if precision == "float" else text


def _text(text: str) -> str:
    """A C string of the text in UTF-8; octal escapes have three digits, so the next character is not part of one."""
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return '"' + "".join(plain) + '"'


def _labels(name: str, labels: Sequence[Label]) -> str:
    if any(isinstance(label, str) for label in labels):
        return _array(f"char *const {name}", [_text(str(label)) for label in labels])
    return _array(f"double {name}", [repr(float(label)) for label in labels])


def _levels(name: str, program: Program) -> str:
    """Levels of all inputs one after the other: text, and numbers."""
    words = [[level for level in cell.levels if isinstance(level, str)] for cell in program.cells]
    lines = [_table(f"{name}_level_begin", begins(len(cell.levels) for cell in program.cells), "double")]
    every = [level for cell in program.cells for level in cell.levels]
    if any(words):
        texts = [_text(level) if isinstance(level, str) else "0" for level in every]
        lines.append(_array(f"char *const {name}_level_text", texts))
    if any(not isinstance(level, str) for level in every):
        numbers = ["NAN" if isinstance(level, str) else repr(float(level)) for level in every]
        lines.append(_array(f"double {name}_level_number", numbers))
    return "\n".join(lines)


def _array(head: str, items: Sequence[str]) -> str:
    return f"static const {head}[] = {{\n{wrap(items)}\n}};"


HEADER = """
/* @TITLE@. Written by softwood.export.

@ROW@

@ANSWERS@

   A missing value, or a category that was not seen at fit, is NAN. Do not compile with -ffast-math. */
#ifndef SOFTWOOD_@UPPER@_H
#define SOFTWOOD_@UPPER@_H

#include <math.h>
#include <stdint.h>
@if text_levels
#include <string.h>
@end

#define @UPPER@_INPUTS @N_INPUTS@
#define @UPPER@_ANSWERS @N_ANSWERS@

@TABLES@
@if classes
@LABELS@
@end
@if levels
@LEVELS@
@end
@if text_levels

/* The number of a level of row[input]; NAN for one that was not seen at fit. */
static inline @IO@ @N@_code(int input, const char *level) {
    const int begin = @N@_level_begin[input], end = @N@_level_begin[input + 1];
    for (int i = begin; i < end; i++)
        if (@N@_level_text[i] && strcmp(@N@_level_text[i], level) == 0) return (@IO@)(i - begin);
    return NAN;
}
@end
@if number_levels

/* The same for levels that are numbers. */
static inline @IO@ @N@_code_of_number(int input, double level) {
    const int begin = @N@_level_begin[input], end = @N@_level_begin[input + 1];
    for (int i = begin; i < end; i++)
        if (@N@_level_number[i] == level) return (@IO@)(i - begin);
    return NAN;
}
@end
@if columns

static inline @REAL@ @N@_column(int c, const @IO@ *row) {
    @REAL@ x = row[@N@_column_input[c]];
    if (x != x) return @N@_column_missing[c];
    x = x < @N@_column_low[c] ? @N@_column_low[c] : x > @N@_column_high[c] ? @N@_column_high[c] : x;
    switch (@N@_column_kind[c]) {
        case 0: return x;
        case 1: return x * x;
        case 2: return x > @N@_column_parameter[c] ? x - @N@_column_parameter[c] : 0;
        case 3: return x == @N@_column_parameter[c];
        default: return 0;
    }
}
@end
@if linear

static inline @REAL@ @N@_score(int at, const @IO@ *row) {
    @REAL@ score = @N@_bias[at];
@if columns
    for (int i = @N@_weight_begin[at]; i < @N@_weight_begin[at + 1]; i++)
        score += @N@_weight[i] * @N@_column(@N@_weight_column[i], row);
@end
    (void)row;
    return score;
}
@end
@if sigmoid

static inline @REAL@ @N@_sigmoid(@REAL@ score) {
    const @REAL@ e = exp@F@(-fabs@F@(score));
    return (score >= 0 ? 1 : e) / (1 + e);
}
@end
@if soft

static inline @REAL@ @N@_soften(int at, int gate, @REAL@ x) {
    const @REAL@ away = x - @N@_soft_threshold[at], below = @N@_soft_below[at], above = @N@_soft_above[at];
@if threshold_sigmoid
    if (gate == 3) return @N@_sigmoid(-away / below);
@end
    (void)gate;
    if (away < 0) return away <= -below ? 1 : (@REAL@)0.5 - (@REAL@)0.5 * away / below;
    if (away > 0) return away >= above ? 0 : (@REAL@)0.5 - (@REAL@)0.5 * away / above;
    return (@REAL@)0.5;
}
@end
@if readers

/* The slot that the readers of node m find; -1 if none does. */
static inline int @N@_find_slot(int m, const @IO@ *row) {
    for (int r = @N@_reader_begin[m]; r < @N@_reader_begin[m + 1]; r++) {
        const @REAL@ x = row[@N@_reader_input[r]];
        int at = @N@_slot_begin[r], i = @N@_cut_begin[r];
        const int end = @N@_cut_begin[r + 1];
        if (x != x) continue;
        if (i == end) {
            if (!(x >= 0 && x < (@REAL@)(@N@_slot_begin[r + 1] - at))) continue;
            at += (int)x;
        }
        for (; i < end && @N@_cut[i] < x; i++) at++;
        if (@N@_slot[at] >= 0) return @N@_slot[at];
    }
    return -1;
}
@end
@if slopes|many_paths

static inline void @N@_respond(int m, const @IO@ *row, @REAL@ *response) {
    for (int k = 0; k < @N_OUTPUTS@; k++) response[k] = @N@_value[m * @N_OUTPUTS@ + k];
@if slopes
    for (int i = @N@_slope_begin[m]; i < @N@_slope_begin[m + 1]; i++) {
        const @REAL@ x = @N@_column(@N@_slope_column[i], row);
        for (int k = 0; k < @N_OUTPUTS@; k++) response[k] += x * @N@_slope[i * @N_OUTPUTS@ + k];
    }
@end
    (void)row;
}
@end
@if gates
@if many_paths

/* The share that the gate of node m sends to each child, of the share `passed` of a row. */
static inline void @N@_share(int m, const @IO@ *row, @REAL@ passed, @REAL@ *reach) {
    @REAL@ *const child = reach + @N@_first_child[m];
    const int gate = @N@_gate[m];
@if soft|linear
    const int at = @N@_gate_at[m];
    @REAL@ first = -1;
@end
@if linear_step
    if (gate == 4) first = @N@_score(at, row) >= 0;
@end
@if linear_sigmoid
    if (gate == 5) first = @N@_sigmoid(@N@_score(at, row));
@end
@if soft
    if (gate == 2 || gate == 3) {
        const @REAL@ x = row[@N@_soft_input[at]];
        if (x == x) first = @N@_soften(at, gate, x);
    }
@end
    (void)gate;
@if soft|linear
    if (first >= 0) {
        child[0] = passed * first;
        child[1] = passed * (1 - first);
        return;
    }
@end
@if readers
    const int slot = @N@_find_slot(m, row);
    for (int k = 0; k < @N@_n_children[m]; k++)
        child[k] = passed * (slot < 0 ? @N@_rest[@N@_first_child[m] + k] : (@REAL@)(k == slot));
@end
    (void)row;
}
@end
@end

/* The answers to a row, in the order above. */
static inline void @COMPUTE@(const @IO@ *row, @REAL@ *answer) {
@if one_path
    int m = 0;
@if gates
    while (@N@_n_children[m]) {
@if linear
        if (@N@_gate[m] == 4) {
            m = @N@_first_child[m] + !(@N@_score(@N@_gate_at[m], row) >= 0);
            continue;
        }
@end
@if readers
        const int slot = @N@_find_slot(m, row);
        m = @N@_first_child[m] + (slot < 0 ? @N@_default_slot[m] : slot);
@end
    }
@end
@if slopes
    @N@_respond(m, row, answer);
@end
@if !slopes
    for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] = @N@_value[m * @N_OUTPUTS@ + k];
@end
@end
@if many_paths
    @REAL@ reach[@N_NODES@] = {1}, response[@N_OUTPUTS@];
    for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] = 0;
    for (int m = 0; m < @N_NODES@; m++) {
        const @REAL@ kept = reach[m] * @N@_leafness[m], passed = reach[m] * (1 - @N@_leafness[m]);
        if (kept > 0) {
            @N@_respond(m, row, response);
            for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] += kept * response[k];
        }
        if (@N@_n_children[m] && passed > 0) @N@_share(m, row, passed, reach);
    }
@end
@if two_of_one
    answer[1] = @N@_sigmoid(answer[0]);
    answer[0] = 1 - answer[1];
@end
@if sigmoid_link
@if !two_of_one
    for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] = @N@_sigmoid(answer[k]);
@end
@end
@if log_link
    for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] = exp@F@(answer[k]);
@end
@if softmax_link
    @REAL@ top = answer[0], total = 0;
    for (int k = 1; k < @N_OUTPUTS@; k++) top = answer[k] > top ? answer[k] : top;
    for (int k = 0; k < @N_OUTPUTS@; k++) total += answer[k] = exp@F@(answer[k] - top);
    for (int k = 0; k < @N_OUTPUTS@; k++) answer[k] /= total;
@end
@if classes
    for (int k = 0; k < @N_ANSWERS@; k++) answer[k] = answer[k] > 1 ? 1 : answer[k];
@end
    (void)row;
}
@if mixed

/* The same as floats. */
static inline void @N@_answer(const @IO@ *row, @IO@ *answer) {
    @REAL@ inside[@N_ANSWERS@];
    @COMPUTE@(row, inside);
    for (int k = 0; k < @N_ANSWERS@; k++) answer[k] = (@IO@)inside[k];
}
@end
@if classes

/* Index in @N@_labels of the class of least expected cost; the first one if tied. */
static inline int @N@_decide(const @IO@ *row) {
    @REAL@ answer[@N_ANSWERS@];
    int best = 0;
    @COMPUTE@(row, answer);
@if costs
    @REAL@ least = 0;
    for (int given = 0; given < @N_ANSWERS@; given++) {
        @REAL@ cost = 0;
        for (int real = 0; real < @N_ANSWERS@; real++) cost += answer[real] * @N@_cost[real * @N_ANSWERS@ + given];
        if (given == 0 || cost < least) {
            best = given;
            least = cost;
        }
    }
@end
@if !costs
    for (int k = 1; k < @N_ANSWERS@; k++) best = answer[k] > answer[best] ? k : best;
@end
    return best;
}
@end

#endif
"""
