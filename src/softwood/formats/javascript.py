"""A tree as one self-contained JavaScript module, for browsers and node."""

from __future__ import annotations

import json
from typing import Any

from softwood.formats.program import Cell, Label, make_program, refuse_wide_answers, refuse_wide_levels
from softwood.formats.tables import Numbers, fill, make_tables, needs, wrap


def to_javascript(model: Any) -> str:
    """The text of an ES module with `predict(row)` and, for classes, `predictProba(row)`.

    A row is an array of cells in the order of `inputs` or an object by name; null, undefined and NaN are missing, a
    label that was not seen at fit counts as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> print(to_javascript(CARTRegressor().fit(X, X[:, 0] > 7)).splitlines()[3])
    export const inputs = [
    """
    program = make_program(model, "to_javascript")
    refuse_wide_levels(program, "JavaScript")
    refuse_wide_answers(program, "JavaScript")
    spots = {
        "TITLE": program.title.replace("\n", " "),
        "TABLES": "\n".join(_table(name, numbers) for name, numbers in make_tables(program).items()),
        "INPUTS": _array([_text(cell.name) for cell in program.cells]),
        "LEVELS": _array([_levels(cell) for cell in program.cells]),
        "ANSWERS": _array([_label(label) for label in program.answers]),
        "N_OUTPUTS": str(program.n_outputs),
    }
    return fill(MODULE, needs(program), spots)


def _levels(cell: Cell) -> str:
    if not cell.kind.has_levels:
        return "null"
    return "new Map([" + ", ".join(f"[{_key(level)}, {code}]" for code, level in enumerate(cell.levels)) + "])"


def _key(level: Label) -> str:
    """A boolean is the number that it equals in Python."""
    return _label(int(level) if isinstance(level, bool) else level)


def _label(label: Label) -> str:
    return _text(label) if isinstance(label, str) else json.dumps(label)


def _text(text: str) -> str:
    """Escaped so that it can be embedded in a page."""
    return json.dumps(text).replace("</", "<\\/")


def _table(name: str, numbers: Numbers) -> str:
    head, *tail = name.split("_")
    words = ["Infinity" if number == float("inf") else repr(number) for number in numbers]
    return f"const {head + ''.join(map(str.title, tail))} = " + _array(words)


def _array(items: list[str]) -> str:
    return f"[\n{wrap(items, '  ')}\n];" if items else "[];"


MODULE = """
// @TITLE@.
// Written by softwood.export. A row is an array of cells in the order of inputs or an object by name; null, undefined
// and NaN are missing, a label that was not seen at fit counts as missing.
export const inputs = @INPUTS@
@if classes
export const classes = @ANSWERS@
@end
@if numbers
export const targets = @ANSWERS@
@end
const levels = @LEVELS@
const nOutputs = @N_OUTPUTS@;
@TABLES@

@if classes
// Probabilities in the order of classes.
export function predictProba(row) {
  return link(output(encode(row))).map((p) => Math.min(p, 1));
}

// The class of least expected cost; the first one if tied.
export function predict(row) {
  const p = predictProba(row);
@if costs
  const value = p.map((_, given) => -p.reduce((sum, each, real) => sum + each * cost[real * p.length + given], 0));
@end
@if !costs
  const value = p;
@end
  return classes[value.reduce((best, each, k) => (each > value[best] ? k : best), 0)];
}
@end
@if numbers
@if one_target
// The predicted number.
export function predict(row) {
  return link(output(encode(row)))[0];
}
@end
@if !one_target
// The predicted numbers, in the order of targets.
export function predict(row) {
  return link(output(encode(row)));
}
@end
@end

function encode(row) {
  if (!Array.isArray(row)) {
    const strange = Object.keys(row).filter((name) => !inputs.includes(name));
    if (strange.length) throw new Error(`the row has ${strange}, which are not inputs; the inputs are ${inputs}.`);
    row = inputs.map((name) => (Object.hasOwn(row, name) ? row[name] : null));
  }
  if (row.length !== inputs.length)
    throw new Error(`a row must have ${inputs.length} cells, one for each input, got ${row.length}.`);
  return inputs.map((name, i) => number(name, row[i], levels[i]));
}

function number(name, cell, known) {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return NaN;
  const value = typeof cell === "boolean" ? Number(cell) : cell;
@if levels
  if (known !== null) {
    if (known.has(value)) return known.get(value);
    const kinds = new Set(Array.from(known.keys(), (level) => typeof level));
    if (known.size && !kinds.has(typeof value))
      throw new Error(`input ${name} has categories like ${known.keys().next().value}, got ${cell}.`);
    return NaN;
  }
@end
  if (typeof value !== "number") throw new Error(`input ${name} is a number, got ${JSON.stringify(cell)}.`);
  if (!Number.isFinite(value)) throw new Error(`input ${name} must be finite or missing, got ${cell}.`);
  return value;
}
@if columns

function column(c, x) {
  const given = x[columnInput[c]], kind = columnKind[c];
  if (Number.isNaN(given)) return columnMissing[c];
  const value = Math.min(Math.max(given, columnLow[c]), columnHigh[c]);
  if (kind === 1) return value * value;
  if (kind === 2) return Math.max(0, value - columnParameter[c]);
  if (kind === 3) return value === columnParameter[c] ? 1 : 0;
  return kind === 0 ? value : 0;
}
@end
@if linear

function scoreOf(at, x) {
  let score = bias[at];
  for (let i = weightBegin[at]; i < weightBegin[at + 1]; i++) score += weight[i] * column(weightColumn[i], x);
  return score;
}
@end
@if sigmoid

function sigmoid(score) {
  const e = Math.exp(-Math.abs(score));
  return (score >= 0 ? 1 : e) / (1 + e);
}
@end
@if soft

function soften(at, kind, x) {
  const away = x - softThreshold[at], below = softBelow[at], above = softAbove[at];
@if threshold_sigmoid
  if (kind === 3) return sigmoid(-away / below);
@end
  if (away < 0) return away <= -below ? 1 : 0.5 - (0.5 * away) / below;
  if (away > 0) return away >= above ? 0 : 0.5 - (0.5 * away) / above;
  return 0.5;
}
@end
@if readers

// The slot that the readers of node m find; -1 if none does.
function slotOf(m, x) {
  for (let r = readerBegin[m]; r < readerBegin[m + 1]; r++) {
    const value = x[readerInput[r]];
    if (Number.isNaN(value)) continue;
    let at = slotBegin[r];
    if (cutBegin[r] === cutBegin[r + 1]) at += value;
    for (let i = cutBegin[r]; i < cutBegin[r + 1] && cut[i] < value; i++) at++;
    if (slot[at] >= 0) return slot[at];
  }
  return -1;
}
@end
@if gates
@if many_paths

// The share that the gate of node m sends to each child.
function shares(m, x) {
  const n = nChildren[m];
  let first = NaN;
@if linear_step
  if (gate[m] === 4) first = scoreOf(gateAt[m], x) >= 0 ? 1 : 0;
@end
@if linear_sigmoid
  if (gate[m] === 5) first = sigmoid(scoreOf(gateAt[m], x));
@end
@if soft
  if (gate[m] === 2 || gate[m] === 3) {
    const value = x[softInput[gateAt[m]]];
    if (!Number.isNaN(value)) first = soften(gateAt[m], gate[m], value);
  }
@end
  if (!Number.isNaN(first)) return [first, 1 - first];
@if readers
  const found = slotOf(m, x);
  if (found >= 0) return Array.from({ length: n }, (_, each) => (each === found ? 1 : 0));
@end
  return rest.slice(firstChild[m], firstChild[m] + n);
}
@end
@end

// The response of node m, before the link.
function respond(m, x) {
  const answer = value.slice(m * nOutputs, (m + 1) * nOutputs);
@if slopes
  for (let i = slopeBegin[m]; i < slopeBegin[m + 1]; i++) {
    const each = column(slopeColumn[i], x);
    for (let k = 0; k < nOutputs; k++) answer[k] += each * slope[i * nOutputs + k];
  }
@end
  return answer;
}

@if one_path
function output(x) {
  let m = 0;
@if gates
  while (nChildren[m]) {
@if linear
    if (gate[m] === 4) {
      m = firstChild[m] + (scoreOf(gateAt[m], x) >= 0 ? 0 : 1);
      continue;
    }
@end
@if readers
    const found = slotOf(m, x);
    m = firstChild[m] + (found >= 0 ? found : defaultSlot[m]);
@end
  }
@end
  return respond(m, x);
}
@end
@if many_paths
function output(x) {
  const answer = new Array(nOutputs).fill(0), reach = new Array(leafness.length).fill(0);
  reach[0] = 1;
  for (let m = 0; m < leafness.length; m++) {
    if (reach[m] === 0) continue;
    const kept = reach[m] * leafness[m], passed = reach[m] * (1 - leafness[m]);
    if (leafness[m] > 0) respond(m, x).forEach((each, k) => (answer[k] += kept * each));
    if (nChildren[m] && passed !== 0) shares(m, x).forEach((share, k) => (reach[firstChild[m] + k] = passed * share));
  }
  return answer;
}
@end

function link(answer) {
@if identity_link
  return answer;
@end
@if two_of_one
  const p = sigmoid(answer[0]);
  return [1 - p, p];
@end
@if sigmoid_link
@if !two_of_one
  return answer.map(sigmoid);
@end
@end
@if log_link
  return answer.map(Math.exp);
@end
@if softmax_link
  const top = Math.max(...answer);
  const e = answer.map((each) => Math.exp(each - top));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((each) => each / total);
@end
}
"""
