// The compare tab: the row (A) beside a kept one (B), and the effect of each difference alone.

import { decide, evaluate } from "./evaluate.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { chosenAnswer, defaultAnswer, headline, setOther, setRow, spellCell } from "./state.js";
import { spellNumber, spellPoints, spellShare } from "./spell.js";

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
  const a = chosenAnswer(state, state.result.answer, k);
  const change = (value) => (state.isClasses ? spellPoints(value) : `${value > 0 ? "+" : ""}${spellNumber(value)}`);
  const differ = state.inputs.filter((input) => !Object.is(row[input.feature] + 0, other[input.feature] + 0));
  const used = differ.filter((input) => input.use > 0);
  const effects = used.map((input) => {
    const mixed = [...row];
    mixed[input.feature] = other[input.feature];
    return { input, effect: chosenAnswer(state, evaluate(model, mixed).answer, k) - a };
  }).sort((x, y) => Math.abs(y.effect) - Math.abs(x.effect) || x.input.feature - y.input.feature);
  const most = Math.max(...effects.map((each) => Math.abs(each.effect)), 1e-300);
  return [
    h("div", { class: "pair" }, drawSide("A, this row", spellSide(state, state.result.answer, k)), drawSide("B, kept", spellSide(state, b.answer, k)),
      drawSide(state.isClasses ? `B − A, ${state.answers[k]}` : "B − A", change(chosenAnswer(state, b.answer, k) - a))),
    h("div", { class: "bar" },
      h("button", { type: "button", onclick: () => swap(state) }, "Swap A and B"),
      h("button", { type: "button", onclick: () => setOther(state, null) }, "Forget B")),
    used.length > 0 && h("table", { class: "rules" }, h("thead", {}, h("tr", {}, ["input", "A", "B", "if A had B's value"].map((name) => h("th", { scope: "col" }, name)), h("th"))),
      h("tbody", {}, effects.map(({ input, effect }) => drawDifference(state, input, effect, most, change)))),
    h("p", { class: "note" }, spellEqual(state.inputs.length - differ.length, differ.length - used.length, used.length)),
  ];
}

// What is predicted, and the probability of class k where another class is: B − A is the difference of these.
function spellSide(state, answer, k) {
  const other = state.isClasses && decide(state.model.schema, answer) !== k;
  return headline(state, answer) + (other ? `, ${state.answers[k]} ${spellShare(answer[k])}` : "");
}

function spellEqual(equal, unused, used) {
  if (!used && !unused) return "The rows are equal.";
  const count = (n) => `${n} ${n === 1 ? "input" : "inputs"}`;
  const told = [used > 1 && "Each change is made alone: together they need not add up to B − A.",
    unused && `${count(unused)} with other values ${unused === 1 ? "is" : "are"} not used by the tree.`, equal && `${count(equal)} ${equal === 1 ? "is" : "are"} equal.`];
  return told.filter(Boolean).join(" ");
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
