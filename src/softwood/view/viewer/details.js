// The panel of one node: counts, its gate with the squash, its response, and the curve of every input of their sums.

import { MISSING, SCORE, SQUASH, childrenOf, expand, expandColumn, gateShares } from "./evaluate.js";
import { classColour } from "./colour.js";
import { drawBars, drawCurve, grid } from "./chart.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { hasGlyph, scoreOf } from "./glyph.js";
import { gateTerms, responseTerms } from "./inputs.js";
import { defaultAnswer, headline, inputName, labelName, ownAdded, ownAnswer, toldOutput } from "./state.js";
import { spellCount, spellFactor, spellNumber, spellShare, spellSummands } from "./spell.js";

const FIRST_CURVES = 6;
const GATES = ["", "threshold", "category", "intervals", "linear sum", "mean of trees"], SQUASHES = ["step", "ramp", "sigmoid"];
const TREATMENTS = ["goes to", "is split among the children", "follows the surrogate splits; if they are missing, too, it goes to", "is a value of its own, which goes to"];

export function createDetails(state, root) {
  let hovered = null, all = false;
  const refresh = () => {
    const m = hovered ?? state.selected;
    replaceChildren(root, drawDetails(state, m, all, () => {
      all = true;
      refresh();
    }));
  };
  const later = onceAFrame(refresh);
  state.listen("select", () => {
    all = false;
    later();
  });
  state.listen("row", later);
  refresh();
  return (node) => {
    hovered = node;
    later();
  };
}

function drawDetails(state, m, all, showAll) {
  const { model, data } = state, isBranch = model.nChildren[m] > 0 && model.leafness[m] < 1;
  const kind = model.leafness[m] === 1 ? "Leaf" : model.leafness[m] === 0 ? "Branch" : "Bud";
  return [
    h("h2", {}, `${kind} ${m}`, h("small", {}, m ? data.words.rule[m] : "all rows")),
    drawFacts(state, m),
    isBranch && drawGate(state, m, all, showAll),
    model.leafness[m] > 0 && drawResponse(state, m, all, showAll),
  ];
}

function drawFacts(state, m) {
  const { model, data } = state, total = model.count[0];
  const facts = [
    ["training rows", Number.isFinite(model.count[m]) && `${spellCount(model.count[m])}${total > 0 ? ` (${spellShare(model.count[m] / total)})` : ""}`],
    [labelName(state), headline(state, model.arrives[m])],
    ["share of this row", spellShare(state.result.reach[m])],
    [data.words.isSummed && model.leafness[m] > 0 ? data.words.unit : "", data.words.added[m].replace(/^adds /, "")],
    ["leafness", model.leafness[m] > 0 && model.leafness[m] < 1 && spellNumber(model.leafness[m])],
    ["impurity", Number.isFinite(model.impurity[m]) && spellNumber(model.impurity[m])],
    ["gain", model.nChildren[m] > 0 && Number.isFinite(model.gain[m]) && spellNumber(model.gain[m])],
    ["note", data.model.tree.note?.[m]],
  ];
  const chances = state.isClasses && h("div", { class: "stack", "aria-hidden": "true" }, Array.from(model.arrives[m], (part, k) => {
    const piece = h("i", { title: `${state.answers[k]} ${spellShare(part)}` });
    piece.style.width = `${100 * part}%`;
    piece.style.background = classColour(k);
    return piece;
  }));
  return [chances, h("dl", {}, facts.filter(([name, value]) => name && value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))];
}

function drawGate(state, m, all, showAll) {
  const { model, data } = state, terms = gateTerms(model, m), isSum = model.score[m] === SCORE.LINEAR;
  const isMean = model.score[m] === SCORE.CONSTANT; // without a condition: no value can be missing
  const share = gateShares(model, m, state.row, state.result.phi);
  return h("section", {},
    h("h3", {}, "Gate", h("small", {}, isMean ? GATES[model.score[m]] : `${GATES[model.score[m]]}, ${SQUASHES[model.squash[m]]}`)),
    h("p", { class: "formula" }, data.words.question[m]),
    h("ul", { class: "shares" }, childrenOf(model, m).map((child, slot) => h("li", {},
      h("b", {}, spellShare(share[slot])), ` to node ${child}: ${data.words.branch[child] ?? "not on this page"}`))),
    !isSum && !isMean && h("p", { class: "note" }, `A missing value ${TREATMENTS[model.missing[m]]}${drawMissing(model, m)}.`),
    hasGlyph(model, m) && drawSquash(state, m),
    isSum && drawTerms(state, m, terms, all, showAll, "the score"));
}

function drawMissing(model, m) {
  if (model.missing[m] === MISSING.FRACTION)
    return `: ${childrenOf(model, m).map((child) => `${spellShare(model.fraction[child])} to node ${child}`).join(", ")}`;
  return ` node ${model.firstChild[m] + model.default[m]}`;
}

// The share of the first child over the score, with the scores of the rows below.
function drawSquash(state, m) {
  const { model, rows } = state, isSum = model.score[m] === SCORE.LINEAR, input = isSum ? null : state.inputs[model.feature[m]];
  const shift = isSum ? 0 : model.threshold[m];
  if (!Number.isFinite(shift)) return null;
  const column = (rows ?? []).map((row) => scoreOf(model, m, row, expand(model, row)) + shift).filter(Number.isFinite);
  const now = scoreOf(model, m, state.row, state.result.phi) + shift;
  let [low, high] = isSum ? [-6, 6] : [input.low, input.high];
  if (isSum && column.length) [low, high] = [Math.min(-6, ...column), Math.max(6, ...column)].map((end) => Math.max(-30, Math.min(30, end)));
  const width = isSum ? 0 : Math.max(...model.softness[m]);
  if (!isSum) [low, high] = [Math.min(low, shift - width), Math.max(high, shift + width)];
  const xs = model.squash[m] === SQUASH.STEP ? [low, shift, shift, high] : grid(low, high, 81);
  const first = (x, i) => {
    if (model.squash[m] === SQUASH.STEP) return Number(isSum ? i > 1 : i < 2);
    const row = [...state.row];
    if (isSum) return 1 / (1 + Math.exp(-x));
    row[model.feature[m]] = x;
    return gateShares(model, m, row, null)[0];
  };
  const share = gateShares(model, m, state.row, state.result.phi)[0], flip = isSum; // yes is at the left
  const label = `Share to node ${model.firstChild[m]}, by ${isSum ? "the score" : input.name}`;
  return h("figure", {}, drawCurve({ xs, lines: [{ ys: xs.map(first) }], marks: [{ x: now, y: share }], column, ends: [0, 1], width: 300, height: 104, label, flip }),
    h("figcaption", {}, label));
}

function drawTerms(state, m, terms, all, showAll, of) {
  const shown = all ? terms : terms.slice(0, FIRST_CURVES), total = terms.reduce((sum, term) => sum + term.effect, 0);
  return [
    h("p", { class: "note" }, `What each input adds to ${of}; per cent: its part of all effects.`),
    h("div", { class: "curves" }, shown.map((term) => h("figure", {}, drawTerm(state, term, m),
      h("figcaption", { title: inputName(state, term.feature) }, h("span", {}, inputName(state, term.feature)),
        h("b", {}, total > 0 ? spellShare(term.effect / total) : ""))))),
    shown.length < terms.length && h("button", { type: "button", onclick: showAll }, `All ${terms.length} inputs of ${of}`),
  ];
}

// What one input adds to a sum, over its range; centred over the rows that arrive, if known.
export function drawTerm(state, term, m = -1) {
  const { model } = state, input = state.inputs[term.feature], mean = model.columnMean[m];
  const less = mean ? term.columns.reduce((sum, column, i) => sum + term.weights[i] * mean[column], 0) : 0;
  const adds = (x) => term.columns.reduce((sum, column, i) => sum + term.weights[i] * expandColumn(model, column, x), -less);
  const now = state.row[term.feature], label = `What ${input.name} adds: ${spellNumber(adds(now))} now`;
  if (input.levels)
    return drawBars({ rows: input.levels.map((name, code) => ({ name, value: adds(code), isNow: now === code })), label, width: 200 });
  const xs = grid(input.low, input.high, 61);
  return drawCurve({ xs, lines: [{ ys: xs.map(adds) }], marks: [{ x: now, y: adds(now) }], column: input.column, zero: true, label, width: 172, height: 96 });
}

function drawResponse(state, m, all, showAll) {
  const { model, data } = state, k = model.nOutputs === 1 ? 0 : Math.min(defaultAnswer(state), model.nOutputs - 1);
  const isLinear = model.slopeRow[m] >= 0, own = ownAnswer(state, m, state.result.phi);
  const added = ownAdded(state, m, state.result.phi)[toldOutput(state)], share = state.result.reach[m] * model.leafness[m];
  const [one, product] = spellSummands([added, share * added]);
  const toldAdds = `This row: ${spellFactor(share)} × ${one} = ${product}, added to ${data.words.outputs[toldOutput(state)]}`;
  return h("section", {},
    h("h3", {}, "Response", h("small", {}, isLinear ? "linear sum" : "constant")),
    h("p", {}, data.words.isSummed ? toldAdds : `Predicts ${headline(state, own)}`),
    isLinear && h("p", { class: "formula" }, data.words.equation[m]),
    isLinear && drawTerms(state, m, responseTerms(model, m, k), all, showAll, "the response"));
}
