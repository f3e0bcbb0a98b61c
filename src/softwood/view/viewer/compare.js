// The compare tab: the row (A) beside a kept one (B), and the effect of each difference alone.

import { evaluate } from "./evaluate.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { chosenAnswer, defaultAnswer, headline, setOther, setRow, spellCell } from "./state.js";
import { spellNumber, spellShare } from "./spell.js";

export function createCompare(state, root) {
  let shown = false;
  const body = h("div", {});
  root.append(body);
  const refresh = onceAFrame(() => shown && replaceChildren(body, state.other ? drawBoth(state) : drawInvitation(state)));
  state.listen("row", refresh);
  return { show: () => ((shown = true), refresh()), hide: () => (shown = false) };
}

function drawInvitation(state) {
  return h("div", { class: "empty" }, h("p", {}, "Keep a row as B, then move the sliders or choose another row as A."),
    h("button", { type: "button", onclick: () => setOther(state, [...state.row]) }, "Keep this row as B"));
}

function drawBoth(state) {
  const { model, row, other } = state, b = evaluate(model, other), k = defaultAnswer(state);
  const a = chosenAnswer(state, state.result.answer, k), spell = (value) => (state.isClasses ? spellShare(value) : spellNumber(value));
  const change = (value) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${spell(Math.abs(value))}`;
  const differ = state.inputs.filter((input) => !Object.is(row[input.feature] + 0, other[input.feature] + 0));
  const effects = differ.map((input) => {
    const mixed = [...row];
    mixed[input.feature] = other[input.feature];
    return { input, effect: chosenAnswer(state, evaluate(model, mixed).answer, k) - a };
  }).sort((x, y) => Math.abs(y.effect) - Math.abs(x.effect) || x.input.feature - y.input.feature);
  const most = Math.max(...effects.map((each) => Math.abs(each.effect)), 1e-300);
  return [
    h("div", { class: "pair" }, drawSide("A, this row", headline(state, state.result.answer)), drawSide("B, kept", headline(state, b.answer)),
      drawSide(state.isClasses ? `B − A, ${state.answers[k]}` : "B − A", change(chosenAnswer(state, b.answer, k) - a))),
    h("div", { class: "bar" },
      h("button", { type: "button", onclick: () => swap(state) }, "Swap A and B"),
      h("button", { type: "button", onclick: () => setOther(state, null) }, "Forget B")),
    h("table", { class: "rules" }, h("thead", {}, h("tr", {}, ["input", "A", "B", "if A had B's value"].map((name) => h("th", { scope: "col" }, name)), h("th"))),
      h("tbody", {}, effects.map(({ input, effect }) => drawDifference(state, input, effect, most, change)))),
    h("p", { class: "note" }, differ.length ? `${state.inputs.length - differ.length} inputs are equal.` : "The rows are equal."),
  ];
}

function drawSide(name, text) {
  return h("div", { class: "side" }, h("span", {}, name), h("strong", {}, text));
}

function drawDifference(state, input, effect, most, change) {
  const bar = h("i", { class: effect < 0 ? "less" : "more" });
  bar.style.width = `${(50 * Math.abs(effect)) / most}%`;
  const value = state.other[input.feature];
  return h("tr", {}, h("td", {}, input.name), h("td", { class: "right" }, spellCell(state, input.feature, state.row[input.feature])),
    h("td", { class: "right" }, spellCell(state, input.feature, value)),
    h("td", {}, h("span", { class: "twoway" }, bar), h("span", { class: "percent" }, change(effect))),
    h("td", {}, h("button", { type: "button", class: "link", onclick: () => {
      const row = [...state.row];
      row[input.feature] = value;
      setRow(state, row);
    } }, "take")));
}

function swap(state) {
  const row = state.row;
  setRow(state, state.other);
  setOther(state, row);
}
