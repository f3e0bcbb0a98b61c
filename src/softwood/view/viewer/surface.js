// The surface tab: the prediction over two inputs, with all others as in the row. A click moves the row there.

import { evaluate } from "./evaluate.js";
import { extent, grid } from "./chart.js";
import { scaleColour, scaleText } from "./colour.js";
import { createAnswerMenu } from "./curves.js";
import { h, onceAFrame, replaceChildren, svg } from "./dom.js";
import { chosenAnswer, defaultAnswer, setRow } from "./state.js";
import { spellNumber, spellShare } from "./spell.js";

const CELLS = 56, BUDGET = 8; // cells per side, milliseconds of work per frame

export function createSurface(state, root) {
  const order = [...state.inputs].sort((a, b) => b.use - a.use || a.feature - b.feature);
  const view = { state, k: defaultAnswer(state), across: order[0], up: order[1] ?? null, shown: false, turn: 0 };
  if (!view.up) {
    root.append(h("p", { class: "note" }, "A surface needs two inputs; this tree has one. See Curves."));
    return { show: () => {}, hide: () => {} };
  }
  view.canvas = h("canvas", { width: CELLS, height: CELLS, role: "img", tabindex: 0, onclick: (event) => jump(view, event) });
  view.points = svg("svg", { class: "points", viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  view.cross = h("i", { class: "cross" });
  view.xName = h("p", { class: "axisname" });
  view.yName = h("p", { class: "axisname up" });
  view.legend = h("div", { class: "legend" });
  const menu = (name, key) => h("label", {}, `${name} `, h("select", { id: `surface-${key}`, onchange: (event) => {
    view[key] = state.inputs[Number(event.target.value)];
    draw(view);
  } }, order.map((input) => h("option", { value: String(input.feature), selected: input === view[key] }, input.name))));
  root.append(h("div", { class: "bar" }, menu("Across", "across"), menu("Up", "up"), createAnswerMenu(state, () => view.k, (k) => {
    view.k = k;
    draw(view);
  })), h("div", { class: "surface" }, view.yName, h("div", { class: "map" }, view.canvas, view.points, view.cross), view.legend, view.xName));
  state.listen("row", onceAFrame(() => view.shown && draw(view)));
  return { show: () => ((view.shown = true), draw(view)), hide: () => (view.shown = false) };
}

function valuesOf(input) {
  return input.levels ? input.levels.map((_, code) => code) : grid(input.low, input.high, CELLS);
}

// Cells are computed a few milliseconds at a time, so that sliders stay responsive; a newer call ends an older one.
function draw(view) {
  const { state, across, up } = view, xs = valuesOf(across), ys = valuesOf(up), values = new Float64Array(xs.length * ys.length);
  const turn = ++view.turn, row = [...state.row], [f, g] = [across.feature, up.feature];
  placeCross(view, xs, ys);
  drawPoints(view);
  let at = 0;
  const work = () => {
    if (turn !== view.turn) return;
    const until = performance.now() + BUDGET;
    while (at < values.length && performance.now() < until) {
      for (const end = Math.min(at + 16, values.length); at < end; at++) {
        row[f] = xs[at % xs.length];
        row[g] = ys[Math.floor(at / xs.length)];
        values[at] = chosenAnswer(state, evaluate(state.model, row).answer, view.k);
      }
    }
    if (at < values.length) setTimeout(work);
    else paint(view, xs, ys, values);
  };
  work();
}

function paint(view, xs, ys, values) {
  const { canvas, state } = view, [low, high] = state.isClasses ? [0, 1] : extent(values);
  [canvas.width, canvas.height] = [xs.length, ys.length];
  const pen = canvas.getContext("2d"), image = pen.createImageData(xs.length, ys.length);
  values.forEach((value, at) => {
    const across = at % xs.length, up = Math.floor(at / xs.length), pixel = 4 * ((ys.length - 1 - up) * xs.length + across);
    image.data.set([...scaleColour((value - low) / (high - low || 1)), 255], pixel);
  });
  pen.putImageData(image, 0, 0);
  const spell = state.isClasses ? spellShare : spellNumber, name = state.answers[view.k];
  canvas.setAttribute("aria-label", `${name} over ${view.across.name} and ${view.up.name}, from ${spell(extent(values)[0])} to ${spell(extent(values)[1])}`);
  const strip = h("i");
  strip.style.background = `linear-gradient(0deg, ${grid(0, 1, 10).map(scaleText).join(", ")})`;
  replaceChildren(view.legend, h("span", {}, spell(high)), strip, h("span", {}, spell(low)));
  view.canvas.dataset.done = String(Number(view.canvas.dataset.done ?? 0) + 1);
}

function partOf(input, value) {
  if (input.levels) return (value + 0.5) / input.levels.length;
  return (value - input.low) / (input.high - input.low);
}

function placeCross(view) {
  const { state, across, up, cross } = view, x = partOf(across, state.row[across.feature]), y = partOf(up, state.row[up.feature]);
  cross.hidden = !(x >= 0 && x <= 1 && y >= 0 && y <= 1);
  cross.style.left = `${100 * x}%`;
  cross.style.top = `${100 * (1 - y)}%`;
  const ends = (input) => (input.levels ? input.levels.join(" · ") : `${spellNumber(input.low)} … ${spellNumber(input.high)}`);
  replaceChildren(view.xName, h("b", {}, across.name), ` ${ends(across)}`);
  replaceChildren(view.yName, h("b", {}, up.name), ` ${ends(up)}`);
}

// Rows of one level are placed side by side.
function scatter(input, row, i) {
  const apart = input.levels ? ((((i * 0.618034) % 1) - 0.5) * 0.7) / input.levels.length : 0;
  return partOf(input, row[input.feature]) + apart;
}

function drawPoints(view) {
  const { state, across, up } = view;
  replaceChildren(view.points, (state.rows ?? []).filter((row) => !Number.isNaN(row[across.feature] + row[up.feature])).map((row, i) =>
    svg("circle", { cx: scatter(across, row, i), cy: 1 - scatter(up, row, i * 7 + 3), r: 0.006 })));
}

function jump(view, event) {
  const box = view.canvas.getBoundingClientRect(), { state } = view, row = [...state.row];
  const value = (input, part) => input.levels ? Math.min(Math.floor(part * input.levels.length), input.levels.length - 1)
    : input.low + part * (input.high - input.low);
  row[view.across.feature] = value(view.across, (event.clientX - box.left) / box.width);
  row[view.up.feature] = value(view.up, 1 - (event.clientY - box.top) / box.height);
  setRow(state, row);
}
