// The equation of a tree in JavaScript; twin of kernels/reference/evaluate.py, which defines it.
//
//     reach[c](x) = reach[m](x) * (1 - leafness[m]) * share[m -> c](x)
//     output(x)   = sum over m of reach[m](x) * leafness[m] * response[m](x)
//
// A row is an array of numbers, NaN where a value is missing. Sums run in the order of the columns, as in Python, so a
// hard gate sends a row the same way here and there. Nodes that no part of a row reaches are skipped. far_out.js
// says how sums are computed far away from the training rows.

import { steadySums } from "./far_out.js";

export const SCORE = { NONE: 0, THRESHOLD: 1, CATEGORY: 2, INTERVAL: 3, LINEAR: 4, CONSTANT: 5 };
export const SQUASH = { STEP: 0, RAMP: 1, SIGMOID: 2 };
export const MISSING = { DIRECTION: 0, FRACTION: 1, SURROGATE: 2, CATEGORY: 3 };
export const LINK = { IDENTITY: 0, SIGMOID: 1, SOFTMAX: 2, LOG: 3 };
export const TERM = { IDENTITY: 0, SQUARE: 1, HINGE: 2, CATEGORY: 3, MISSING: 4 };

const ENDS = { inf: Infinity, "-inf": -Infinity };

// JSON has no NaN and no infinity: null and "inf" stand for them.
export function readNumber(value) {
  return value === null || value === undefined ? NaN : typeof value === "string" ? ENDS[value] : value;
}

function readNumbers(values, length, fill) {
  if (!values || values.length === 0) return new Float64Array(length).fill(fill);
  return Float64Array.from(values, readNumber);
}

// The arrays of a tree as written by `to_json`; an omitted array is used by no node.
export function readModel(stored) {
  const tree = stored.tree, basis = stored.basis ?? {}, spare = stored.surrogates ?? {};
  const n = tree.response.length;
  const perNode = (name, fill) => readNumbers(tree[name], n, fill);
  const begins = (name) => readNumbers(tree[name], n + 1, 0);
  const flat = (name, of = tree) => readNumbers(of[name], 0, 0);
  const nChildren = perNode("n_children", 0);
  const model = {
    n, link: tree.link ?? 0, nOutputs: tree.response[0].length, schema: stored.schema,
    nFeatures: stored.schema.inputs.length,
    response: tree.response.map((row) => Float64Array.from(row, readNumber)),
    firstChild: perNode("first_child", -1), nChildren,
    leafness: perNode("leafness", NaN).map((kept, m) => (Number.isNaN(kept) ? (nChildren[m] > 0 ? 0 : 1) : kept)),
    score: perNode("score", 0), squash: perNode("squash", 0), feature: perNode("feature", -1),
    threshold: perNode("threshold", NaN), missing: perNode("missing", 0), default: perNode("default", 0),
    fraction: perNode("fraction", NaN), bias: perNode("bias", 0), slopeRow: perNode("slope_row", -1),
    count: perNode("count", NaN), impurity: perNode("impurity", NaN), gain: perNode("gain", NaN),
    softness: tree.softness?.length ? tree.softness.map((pair) => pair.map(readNumber)) : Array(n).fill([0, 0]),
    groupBegin: begins("group_begin"), group: flat("group"), cutBegin: begins("cut_begin"), cut: flat("cut"),
    weightBegin: begins("weight_begin"), weightColumn: flat("weight_column"), weight: flat("weight"),
    weightEffect: flat("weight_effect"), columnMean: tree.column_mean ?? [], slope: tree.slope ?? [], slopeEffect: tree.slope_effect ?? [],
    term: flat("term", basis), columnFeature: flat("feature", basis), parameter: flat("parameter", basis),
    whenMissing: flat("when_missing", basis),
    surrogates: {
      begin: flat("begin", spare), feature: flat("feature", spare), threshold: flat("threshold", spare),
      flip: spare.flip ?? [], groupBegin: flat("group_begin", spare), group: flat("group", spare),
      agreement: flat("agreement", spare),
    },
  };
  model.steady = steadySums(model);
  model.parent = findParents(model);
  return model;
}

function findParents(model) {
  const parent = new Int32Array(model.n).fill(-1);
  for (let m = 0; m < model.n; m++)
    for (let slot = 0; slot < model.nChildren[m]; slot++) parent[model.firstChild[m] + slot] = m;
  return parent;
}

export function childrenOf(model, m) {
  return Array.from({ length: model.nChildren[m] }, (_, slot) => model.firstChild[m] + slot);
}

// One column of the basis where its input is `x`.
export function expandColumn(model, column, x) {
  const term = model.term[column];
  if (Number.isNaN(x)) return term === TERM.MISSING ? 1 : model.whenMissing[column];
  if (term === TERM.SQUARE) return x * x;
  if (term === TERM.HINGE) return Math.max(0, x - model.parameter[column]);
  if (term === TERM.CATEGORY) return x === model.parameter[column] ? 1 : 0;
  return term === TERM.MISSING ? 0 : x;
}

export function expand(model, row) {
  const phi = new Float64Array(model.term.length), { low, high } = model.steady;
  const held = (c) => Math.min(Math.max(row[model.columnFeature[c]], low[c]), high[c]); // NaN stays
  for (let c = 0; c < phi.length; c++) phi[c] = expandColumn(model, c, held(c));
  return phi;
}

export function sigmoid(score) {
  const e = Math.exp(-Math.abs(score));
  return (score >= 0 ? 1 : e) / (1 + e);
}

// Share of the first child where x is the distance to the threshold.
export function softThreshold(x, [below, above], squash) {
  if (squash === SQUASH.SIGMOID) return sigmoid(-x / below);
  if (x < 0) return x <= -below ? 1 : 0.5 - (0.5 * x) / below;
  if (x > 0) return x >= above ? 0 : 0.5 - (0.5 * x) / above;
  return x === 0 ? 0.5 : x;
}

export function linearScore(model, m, phi) {
  const { weightBegin, weightColumn, weight } = model.steady;
  let score = model.bias[m];
  for (let i = weightBegin[m]; i < weightBegin[m + 1]; i++) score += weight[i] * phi[weightColumn[i]];
  return score;
}

function readGroup(group, begin, end, x) {
  return x >= 0 && x < end - begin ? group[begin + Math.trunc(x)] : -1;
}

// Slot of a row at a hard gate; -1 if the value is missing.
function readSlot(model, m, x) {
  if (model.score[m] === SCORE.CATEGORY)
    return readGroup(model.group, model.groupBegin[m], model.groupBegin[m + 1], x);
  if (Number.isNaN(x)) return -1;
  if (model.score[m] === SCORE.THRESHOLD) return x <= model.threshold[m] ? 0 : 1;
  let slot = 0;
  for (let i = model.cutBegin[m]; i < model.cutBegin[m + 1] && model.cut[i] < x; i++) slot++;
  return slot;
}

function surrogateSlot(table, i, row) {
  const x = row[table.feature[i]];
  if (table.groupBegin[i + 1] > table.groupBegin[i])
    return readGroup(table.group, table.groupBegin[i], table.groupBegin[i + 1], x);
  if (Number.isNaN(x)) return -1;
  return (x <= table.threshold[i]) === Boolean(table.flip[i]) ? 1 : 0;
}

function oneHot(slot, n) {
  const share = new Float64Array(n);
  if (slot >= 0) share[slot] = 1;
  return share;
}

function missingShares(model, m, row) {
  const n = model.nChildren[m], first = model.firstChild[m];
  if (model.missing[m] === MISSING.FRACTION) return model.fraction.slice(first, first + n);
  const table = model.surrogates;
  if (model.missing[m] === MISSING.SURROGATE && table.begin.length)
    for (let i = table.begin[m]; i < table.begin[m + 1]; i++) {
      const slot = surrogateSlot(table, i, row);
      if (slot >= 0) return oneHot(slot, n);
    }
  return oneHot(model.default[m], n);
}

// Shares of the children of node m; they sum to 1.
export function gateShares(model, m, row, phi) {
  if (model.score[m] === SCORE.LINEAR) {
    const score = linearScore(model, m, phi);
    const first = model.squash[m] === SQUASH.STEP ? Number(score >= 0) : sigmoid(score);
    return Float64Array.of(first, 1 - first);
  }
  if (model.score[m] === SCORE.CONSTANT) return model.fraction.slice(model.firstChild[m], model.firstChild[m] + model.nChildren[m]);
  const x = row[model.feature[m]];
  if (model.score[m] === SCORE.THRESHOLD && model.squash[m] !== SQUASH.STEP) {
    if (Number.isNaN(x)) return missingShares(model, m, row);
    const first = softThreshold(x - model.threshold[m], model.softness[m], model.squash[m]);
    return Float64Array.of(first, 1 - first);
  }
  const slot = readSlot(model, m, x);
  return slot < 0 ? missingShares(model, m, row) : oneHot(slot, model.nChildren[m]);
}

// Response of node m, before the link.
export function nodeResponse(model, m, phi) {
  const answer = Float64Array.from(model.response[m]);
  if (model.slopeRow[m] < 0) return answer;
  const slope = model.steady.slope[model.slopeRow[m]];
  for (let c = 0; c < phi.length; c++)
    for (let k = 0; k < answer.length; k++) answer[k] += phi[c] * slope[c][k];
  return answer;
}

// From output to prediction; the sigmoid of one output gives two probabilities.
export function applyLink(model, output) {
  if (model.link === LINK.SIGMOID) {
    const p = Array.from(output, sigmoid);
    return p.length === 1 ? [1 - p[0], p[0]] : p;
  }
  if (model.link === LINK.SOFTMAX) {
    const top = output.reduce((a, b) => (b > a || Number.isNaN(b) ? b : a));
    const e = Array.from(output, (value) => Math.exp(value - top));
    const total = e.reduce((a, b) => a + b, 0);
    return e.map((value) => value / total);
  }
  return Array.from(output, model.link === LINK.LOG ? Math.exp : Number);
}

// Reach of every node, output and prediction of one row.
export function evaluate(model, row) {
  const phi = expand(model, row), reach = new Float64Array(model.n), output = new Float64Array(model.nOutputs);
  reach[0] = 1;
  for (let m = 0; m < model.n; m++) {
    if (reach[m] === 0) continue;
    const kept = reach[m] * model.leafness[m], passed = reach[m] * (1 - model.leafness[m]);
    if (model.leafness[m] > 0) {
      const answer = nodeResponse(model, m, phi);
      for (let k = 0; k < output.length; k++) output[k] += kept * answer[k];
    }
    if (model.nChildren[m] > 0 && model.leafness[m] < 1 && passed !== 0) {
      const share = gateShares(model, m, row, phi);
      for (let slot = 0; slot < share.length; slot++) reach[model.firstChild[m] + slot] = passed * share[slot];
    }
  }
  return { reach, output, answer: applyLink(model, output), phi };
}

// Position of the class of least expected cost; without costs the most probable, the first in a tie.
export function decide(schema, probability) {
  let value = probability;
  if (schema.costs)
    value = probability.map((_, given) => -probability.reduce((sum, p, real) => sum + p * schema.costs[real][given], 0));
  return value.reduce((best, each, k) => (each > value[best] ? k : best), 0);
}
