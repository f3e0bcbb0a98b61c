// The state of the page, and listeners for its changes.
//
//     "row"      the row, or the one it is compared with
//     "select"   the node whose details are shown
//     "shape"    which branches are closed
//     "search"   the search text
//     "theme"    light or dark

import { LINK, applyLink, decide, evaluate, nodeResponse, readModel, readNumber } from "./evaluate.js";
import { describeInputs } from "./inputs.js";
import { closeFar } from "./layout.js";
import { spellLabels, spellNumber, spellShare } from "./spell.js";

const MOST_SHOWN = 31, DEEPEST_SHOWN = 5; // of a large tree at first

export function createState(data) {
  const model = readModel(data.model), rows = data.rows?.cells.map((row) => row.map(readNumber)) ?? null;
  const listeners = {}, told = data.words.told && new Set(data.words.told); // null: every node has texts
  model.arrives = data.words.arrives; // label, colour and bar of a node are taken from it alone
  const state = {
    data, model, rows, inputs: describeInputs(model, rows), answers: spellLabels(model.schema.answers),
    isClasses: model.schema.task === "classification", selected: 0, at: null, query: "", other: null,
    isTold: (m) => !told || told.has(m),
    closed: model.n > MOST_SHOWN ? closeFar(model, MOST_SHOWN, DEEPEST_SHOWN) : new Set(),
    listen: (kinds, call) => kinds.split(" ").forEach((kind) => (listeners[kind] ??= []).push(call)),
    tell: (kind) => (listeners[kind] ?? []).forEach((call) => call()),
  };
  state.isSealed = (m) => model.nChildren[m] > 0 && !state.isTold(model.firstChild[m]); // cannot be opened
  if (told) state.closed.delete(0); // its trees are shown side by side
  state.row = state.inputs.map((input) => input.typical);
  state.result = evaluate(model, state.row);
  return state;
}

export function setRow(state, row, at = null) {
  state.row = row;
  state.at = at;
  state.result = evaluate(state.model, row);
  state.tell("row");
}

export function setCell(state, feature, value) {
  const row = [...state.row];
  row[feature] = value;
  setRow(state, row, null);
}

export function setOther(state, row) {
  state.other = row;
  state.tell("row");
}

export function select(state, node) {
  if (state.selected === node) return;
  state.selected = node;
  state.tell("select");
}

export function toggle(state, node) {
  if (!state.model.nChildren[node] || state.isSealed(node)) return;
  if (!state.closed.delete(node)) state.closed.add(node);
  state.tell("shape");
}

// Open the closed branches above a node.
export function reveal(state, node) {
  let changed = false;
  for (let m = state.model.parent[node]; m >= 0; m = state.model.parent[m]) changed = state.closed.delete(m) || changed;
  if (changed) state.tell("shape");
}

// What the label of a node is: the class or mean of its training rows where it is known (tree/node_numbers.py).
export function labelName(state) {
  return state.data.words.source !== "observed" ? "prediction" : state.isClasses ? "class" : "mean";
}

// The headline of a prediction: the class and its probability, or the numbers.
export function headline(state, answer) {
  if (!state.isClasses) return answer.map((value) => spellNumber(value)).join(", ");
  const best = decide(state.model.schema, answer);
  return `${state.answers[best]} ${spellShare(answer[best])}`;
}

// The number of a prediction to draw: the probability of a class, or a target.
export function chosenAnswer(state, answer, k = null) {
  return answer[k ?? defaultAnswer(state)];
}

export function defaultAnswer(state) {
  return state.isClasses && state.answers.length === 2 ? 1 : 0;
}

// The prediction of the node alone, after the link, for trees without sums.
export function ownAnswer(state, m, phi) {
  return applyLink(state.model, nodeResponse(state.model, m, phi));
}

// What the node adds to the output of the row, before the link; scores of several classes less their mean.
export function ownAdded(state, m, phi) {
  return centred(state, Array.from(nodeResponse(state.model, m, phi)));
}

export function centred(state, output) {
  if (state.model.link !== LINK.SOFTMAX) return Array.from(output);
  const mean = output.reduce((sum, value) => sum + value, 0) / output.length;
  return Array.from(output, (value) => value - mean);
}

// The output shown for a row: that of the predicted class, else the first.
export function toldOutput(state) {
  const n = state.model.nOutputs;
  return n > 1 && state.isClasses ? decide(state.model.schema, state.result.answer) : 0;
}

// The parts of the row's output, the largest share first: share × what the node adds = a part of the sum.
export function rowParts(state) {
  const { model, result } = state, parts = [];
  for (let m = 0; m < model.n; m++) {
    const share = result.reach[m] * model.leafness[m];
    if (share > 0) parts.push({ node: m, share, adds: ownAdded(state, m, result.phi) });
  }
  return parts.sort((a, b) => b.share - a.share);
}

export function inputName(state, feature) {
  return state.inputs[feature].name;
}

export function spellCell(state, feature, value) {
  if (Number.isNaN(value)) return "missing";
  const input = state.inputs[feature];
  return input.levels ? input.levels[value] ?? "missing" : spellNumber(value);
}
