// The inputs of the page: kind, levels, range of the slider, typical value, and use by the tree.

import { SCORE, childrenOf, readNumber } from "./evaluate.js";
import { spellLabels } from "./spell.js";

export function describeInputs(model, rows) {
  const use = measureUse(model);
  return model.schema.inputs.map((input, feature) => {
    const levels = input.levels ? spellLabels(input.levels) : input.kind === "boolean" ? ["False", "True"] : null;
    const column = rows ? rows.map((row) => row[feature]).filter((x) => !Number.isNaN(x)) : [];
    const [low, high] = findEnds(model, feature, input, column);
    const quantiles = (input.summary?.quantiles ?? []).map(([p, value]) => [p, readNumber(value)]);
    return {
      feature, name: input.name, kind: input.kind, levels, low, high, quantiles, use: use[feature],
      counts: input.summary?.counts ?? [], column,
      typical: findTypical(input, levels, quantiles, column, low, high),
    };
  });
}

function findTypical(input, levels, quantiles, column, low, high) {
  const counts = input.summary?.counts ?? [];
  if (input.levels) return counts.length ? counts.indexOf(Math.max(...counts)) : column[0] ?? 0;
  const middle = quantiles.find(([p]) => p === 0.5)?.[1];
  if (middle !== undefined) return middle;
  if (column.length) return [...column].sort((a, b) => a - b)[Math.floor((column.length - 1) / 2)];
  return levels ? 0 : (low + high) / 2;
}

// Smallest and largest value: of the training rows, else of the rows on the page, else of the thresholds.
function findEnds(model, feature, input, column) {
  if (input.levels || input.kind === "boolean") return [0, input.levels ? input.levels.values.length - 1 : 1];
  const range = input.summary?.range;
  let values = range ? range : column.length ? column : askedValues(model, feature);
  values = values.filter(Number.isFinite);
  if (!values.length) return [-1, 1];
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  const margin = range || column.length ? 0 : Math.max((high - low) / 2, Math.abs(high) / 2, 1);
  return low === high && !margin ? [low - 1, high + 1] : [low - margin, high + margin];
}

function askedValues(model, feature) {
  const values = [];
  for (let m = 0; m < model.n; m++) {
    if (model.feature[m] !== feature) continue;
    if (model.score[m] === SCORE.THRESHOLD) values.push(model.threshold[m]);
    for (let i = model.cutBegin[m]; i < model.cutBegin[m + 1]; i++) values.push(model.cut[i]);
  }
  model.columnFeature.forEach((of, c) => of === feature && model.term[c] === 2 && values.push(model.parameter[c]));
  return values;
}

// The use of each input by the tree: every gate and linear response counts by the share of the training
// rows there, times 1 − leafness or leafness, divided among its inputs by their effects. 0: the tree does not use it.
function measureUse(model) {
  const use = new Float64Array(model.nFeatures), total = Number.isFinite(model.count[0]) ? model.count[0] || 1 : 1;
  for (let m = 0; m < model.n; m++) {
    const rows = Number.isFinite(model.count[m]) ? Math.max(model.count[m] / total, 1e-6) : 1;
    if (model.nChildren[m] && model.leafness[m] < 1)
      spread(use, gateTerms(model, m), rows * (1 - model.leafness[m]));
    if (model.slopeRow[m] >= 0 && model.leafness[m] > 0)
      for (let k = 0; k < model.nOutputs; k++)
        spread(use, responseTerms(model, m, k), (rows * model.leafness[m]) / model.nOutputs);
  }
  return use;
}

function spread(use, terms, weight) {
  const total = terms.reduce((sum, term) => sum + term.effect, 0);
  for (const term of terms) use[term.feature] += total > 0 ? (weight * term.effect) / total : weight / terms.length;
}

// The terms of a gate by input, the largest effect first: {feature, effect, columns, weights}.
export function gateTerms(model, m) {
  if (model.score[m] === SCORE.CONSTANT) return [];
  if (model.score[m] !== SCORE.LINEAR) return [{ feature: model.feature[m], effect: 1, columns: [], weights: [] }];
  const columns = [], weights = [], effects = [];
  for (let i = model.weightBegin[m]; i < model.weightBegin[m + 1]; i++) {
    columns.push(model.weightColumn[i]);
    weights.push(model.weight[i]);
    effects.push(model.weightEffect.length ? model.weightEffect[i] : Math.abs(model.weight[i]));
  }
  return byInput(model, columns, weights, effects);
}

// The terms of a linear response to output k, in the same form; none of a constant one.
export function responseTerms(model, m, k) {
  const row = model.slopeRow[m];
  if (row < 0) return [];
  const columns = model.slope[row].map((_, c) => c), weights = model.slope[row].map((slopes) => slopes[k]);
  const effects = model.slopeEffect.length
    ? model.slopeEffect[row].map((each) => readNumber(each[k])) : weights.map(Math.abs);
  return byInput(model, columns, weights, effects);
}

function byInput(model, columns, weights, effects) {
  const found = new Map();
  columns.forEach((column, i) => {
    if (weights[i] === 0) return;
    const feature = model.columnFeature[column];
    const term = found.get(feature) ?? { feature, effect: 0, columns: [], weights: [] };
    term.effect += effects[i] || 0;
    term.columns.push(column);
    term.weights.push(weights[i]);
    found.set(feature, term);
  });
  for (const term of found.values()) term.effect = Math.max(term.effect, 0);
  return [...found.values()].sort((a, b) => b.effect - a.effect || a.feature - b.feature);
}

// Nodes below m, without m.
export function countBelow(model, m) {
  return childrenOf(model, m).reduce((sum, child) => sum + 1 + countBelow(model, child), 0);
}
