// The live prediction: bars of classes, or numbers; beside it the prediction of the row kept as B.

import { decide, evaluate } from "./evaluate.js";
import { classColour } from "./colour.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { headline, rowParts, toldOutput } from "./state.js";
import { spellFactor, spellNumber, spellShare, spellSummands } from "./spell.js";

const MOST_CLASSES = 8, MOST_PARTS = 6, SPEAK_AFTER = 500; // milliseconds before a screen reader is notified

export function createAnswer(state, root, spoken) {
  let timer = null;
  const refresh = () => {
    const other = state.other && evaluate(state.model, state.other).answer;
    replaceChildren(root, drawAnswerOf(state, state.result, other));
    clearTimeout(timer);
    timer = setTimeout(() => (spoken.textContent = `Prediction: ${headline(state, state.result.answer)}`), SPEAK_AFTER);
  };
  state.listen("row", onceAFrame(refresh));
  refresh();
}

function drawAnswerOf(state, result, other) {
  if (!state.isClasses)
    return [drawNumbers(state, result, other), drawSum(state)];
  const best = decide(state.model.schema, result.answer);
  const order = result.answer.map((_, k) => k);
  if (order.length > MOST_CLASSES) order.sort((a, b) => result.answer[b] - result.answer[a]);
  return [
    h("p", { class: "headline" }, h("strong", {}, state.answers[best]),
      h("output", { class: "value" }, spellShare(result.answer[best]))),
    order.slice(0, MOST_CLASSES).map((k) => drawChance(state, k, result.answer[k], other?.[k], k === best)),
    order.length > MOST_CLASSES && h("p", { class: "note" }, `… ${order.length - MOST_CLASSES} more classes`),
    drawSum(state),
    state.model.schema.costs && h("p", { class: "note" }, "The class of least expected cost is predicted."),
  ];
}

function drawNumbers(state, result, other) {
  return state.answers.map((name, k) => h("div", { class: "number" }, h("span", { class: "name" }, name),
    h("output", { class: "value", "data-answer": k, "data-exact": result.answer[k] }, spellNumber(result.answer[k])),
    other && h("span", { class: "other" }, `B ${spellNumber(other[k])}`)));
}

// The sum that gives the output of the row: share × what each node adds, as in tree/row_sum.py.
function drawSum(state) {
  if (!state.data.words.isSummed) return null;
  const k = toldOutput(state), parts = rowParts(state), shown = parts.slice(0, MOST_PARTS), left = parts.slice(MOST_PARTS);
  const total = sumOf(parts, k), texts = spellSummands([...shown.map((part) => part.adds[k]), total, sumOf(left, k)]);
  const told = shown.map((part, i) => `${spellFactor(part.share)} × ${texts[i]}`).join(" + ") + spellRest(left, texts.at(-1));
  return h("p", { class: "note sum", "data-total": total }, `${state.data.words.outputs[k]}: `, keepTogether(`${told} = ${texts.at(-2)}`));
}

function sumOf(parts, k) {
  return parts.reduce((sum, part) => sum + part.share * part.adds[k], 0);
}

// ` − 0.8 from 2 more parts (4.1 %)`: one sign, that of their sum.
function spellRest(left, sum) {
  if (!left.length) return "";
  const share = spellFactor(left.reduce((all, part) => all + part.share, 0));
  return ` ${sum[0]} ${sum.slice(1)} from ${left.length} more ${left.length === 1 ? "part" : "parts"} (${share})`;
}

// No line ends between an operator and what follows it.
function keepTogether(text) {
  return text.replace(/ ×/g, "\u00a0×").replace(/([×+−=]) /g, "$1\u00a0").replace(/ %/g, "\u00a0%");
}

function drawChance(state, k, part, other, isBest) {
  const bar = h("i", { class: "part" });
  bar.style.width = `${100 * part}%`;
  bar.style.background = classColour(k);
  const tick = other === undefined ? null : h("i", { class: "tick", title: `B: ${spellShare(other)}` });
  if (tick) tick.style.left = `${100 * other}%`;
  return h("div", { class: isBest ? "chance best" : "chance", "data-answer": k, "data-exact": part },
    h("span", { class: "name", title: state.answers[k] }, state.answers[k]), h("span", { class: "rail" }, bar, tick),
    h("span", { class: "percent" }, spellShare(part)));
}
