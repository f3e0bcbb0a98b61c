// The live answer: bars of classes, or numbers; beside it that of the row it is compared with.

import { decide, evaluate } from "./evaluate.js";
import { classColour } from "./colour.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { headline } from "./state.js";
import { spellNumber, spellShare } from "./spell.js";

const MOST_CLASSES = 8, SPEAK_AFTER = 500; // milliseconds of rest before a screen reader is told

export function createAnswer(state, root, spoken) {
  let timer = null;
  const refresh = () => {
    const other = state.other && evaluate(state.model, state.other).answer;
    replaceChildren(root, drawAnswerOf(state, state.result, other));
    clearTimeout(timer);
    timer = setTimeout(() => (spoken.textContent = `Answer: ${headline(state, state.result.answer)}`), SPEAK_AFTER);
  };
  state.listen("row", onceAFrame(refresh));
  refresh();
}

function drawAnswerOf(state, result, other) {
  if (!state.isClasses)
    return state.answers.map((name, k) => h("div", { class: "number" }, h("span", { class: "name" }, name),
      h("output", { class: "value", "data-answer": k, "data-exact": result.answer[k] }, spellNumber(result.answer[k])),
      other && h("span", { class: "other" }, `B ${spellNumber(other[k])}`)));
  const best = decide(state.model.schema, result.answer);
  const order = result.answer.map((_, k) => k);
  if (order.length > MOST_CLASSES) order.sort((a, b) => result.answer[b] - result.answer[a]);
  const logOdds = state.model.link === 1 && result.output.length === 1;
  return [
    h("p", { class: "headline" }, h("strong", {}, state.answers[best]),
      h("output", { class: "value" }, spellShare(result.answer[best]))),
    order.slice(0, MOST_CLASSES).map((k) => drawChance(state, k, result.answer[k], other?.[k], k === best)),
    order.length > MOST_CLASSES && h("p", { class: "note" }, `… ${order.length - MOST_CLASSES} more classes`),
    logOdds && h("p", { class: "note" }, `log odds of ${state.answers[1]}: ${spellNumber(result.output[0])}`),
    state.model.schema.costs && h("p", { class: "note" }, "The class of least expected cost is answered."),
  ];
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
