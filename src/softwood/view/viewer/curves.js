// The curves tab: the prediction as one input varies and all others stay as in the row; the pale line is the mean
// of such predictions over some rows of the page (partial dependence).

import { evaluate } from "./evaluate.js";
import { drawBars, drawCurve, extent, grid } from "./chart.js";
import { h, onceAFrame, replaceChildren } from "./dom.js";
import { chosenAnswer, defaultAnswer } from "./state.js";

const POINTS = 41, MEAN_POINTS = 21, MEAN_ROWS = 30, MOST_INPUTS = 24;

export function createCurves(state, root) {
  let shown = false, k = defaultAnswer(state), all = false;
  const means = new Map(), body = h("div", { class: "curves wide" });
  const note = h("p", { class: "note" }, "The prediction as one input varies and the others stay as in the row.",
    state.rows && " Pale: the mean over rows of the table.");
  root.append(h("div", { class: "bar" }, createAnswerMenu(state, () => k, (choice) => {
    k = choice;
    means.clear();
    refresh();
  }), note), body);
  const refresh = onceAFrame(() => {
    if (!shown) return;
    const used = state.inputs.filter((input) => input.use > 0).sort((a, b) => b.use - a.use);
    const some = all ? used : used.slice(0, MOST_INPUTS);
    const drawn = some.map((input) => traceInput(state, input, k, means));
    const ends = state.isClasses ? [0, 1] : extent(drawn.flatMap((each) => [...each.ys, ...(each.mean ?? [])]));
    replaceChildren(body, drawn.map((each) => drawInput(state, each, ends)),
      used.length > some.length && h("button", { type: "button", onclick: () => {
        all = true;
        refresh();
      } }, `All ${used.length} inputs`),
      !used.length && h("p", {}, "The tree uses no input: its prediction is constant."));
  });
  state.listen("row", refresh);
  return { show: () => ((shown = true), refresh()), hide: () => (shown = false) };
}

// The choice of a class or a target, if there are several.
export function createAnswerMenu(state, get, set) {
  if (state.answers.length < 2) return null;
  const menu = h("select", { onchange: (event) => set(Number(event.target.value)) },
    state.answers.map((name, at) => h("option", { value: String(at), selected: at === get() }, name)));
  return h("label", {}, state.isClasses ? "Probability of " : "Target ", menu);
}

function traceInput(state, input, k, means) {
  const at = (base, x) => {
    const row = [...base];
    row[input.feature] = x;
    return chosenAnswer(state, evaluate(state.model, row).answer, k);
  };
  const xs = input.levels ? input.levels.map((_, code) => code) : grid(input.low, input.high, POINTS);
  const ys = xs.map((x) => at(state.row, x));
  if (state.rows && !means.has(input.feature)) {
    const step = Math.max(1, Math.floor(state.rows.length / MEAN_ROWS)), few = state.rows.filter((_, i) => i % step === 0);
    const places = input.levels ? xs : grid(input.low, input.high, MEAN_POINTS);
    const mean = places.map((x) => few.reduce((sum, row) => sum + at(row, x), 0) / few.length);
    means.set(input.feature, input.levels ? mean : xs.map((_, i) => between(mean, i / (POINTS - 1))));
  }
  return { input, xs, ys, mean: means.get(input.feature) };
}

function between(values, part) {
  const at = part * (values.length - 1), low = Math.min(Math.floor(at), values.length - 2);
  return values[low] + (at - low) * (values[low + 1] - values[low]);
}

function drawInput(state, { input, xs, ys, mean }, ends) {
  const now = state.row[input.feature], label = `Prediction over ${input.name}`;
  const here = chosenAnswerNow(ys, xs, now);
  const drawing = input.levels
    ? drawBars({ rows: input.levels.map((name, code) => ({ name, value: ys[code], isNow: now === code })), label })
    : drawCurve({ xs, ends, label, column: input.column, marks: [{ x: now, y: here }],
        lines: [...(mean ? [{ ys: mean, kind: "pale" }] : []), { ys }] });
  return h("figure", {}, drawing, h("figcaption", { title: input.name }, h("span", {}, input.name)));
}

function chosenAnswerNow(ys, xs, now) {
  if (Number.isNaN(now)) return NaN;
  const part = (now - xs[0]) / (xs[xs.length - 1] - xs[0] || 1);
  return between(ys.length > 1 ? ys : [ys[0], ys[0]], Math.min(Math.max(part, 0), 1));
}
