// One node of the drawing: a card with its gate, its label (the class or mean of the training rows that arrive) with a
// bar, their number, what it adds to the output (signed, with a bar from the middle), and the share of the row that arrives.
// Shading shows leafness, in the colour of the label: a branch is plain, a leaf shaded, a bud in between.

import { decide } from "./evaluate.js";
import { classColour, scaleText } from "./colour.js";
import { svg } from "./dom.js";
import { drawGlyph, hasGlyph } from "./glyph.js";
import { countBelow } from "./inputs.js";
import { headline, labelName } from "./state.js";
import { spellCount, spellShare } from "./spell.js";

export const CARD = { width: 206, height: 84 };
const pen = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

// The text, truncated to a width of `room`.
export function fitText(text, room, size, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  const start = text.length > 400 ? text.slice(0, 400) : text; // no card shows more
  if (start === text && pen.measureText(text).width <= room) return text;
  const letters = Array.from(start);
  let low = 0, high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(letters.slice(0, middle).join("") + "…").width <= room) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("").trimEnd() + "…";
}

// The last space of a text at which a line may end: an operator stays with what follows it.
function lastBreak(text) {
  const found = [...text.matchAll(/(?<![−+≤≥<>=…]) /g)];
  return found.length ? found.at(-1).index : -1;
}

// The text on two lines, broken at a space; the second is truncated.
function fitLines(text, room, size, weight) {
  const whole = fitText(text, room, size, weight);
  if (whole === text) return [text];
  const first = Array.from(whole).slice(0, -1).join(""), space = lastBreak(text.slice(0, first.length + 1));
  const head = space > first.length / 2 ? text.slice(0, space) : first;
  return [head.trimEnd(), fitText(text.slice(head.length).trimStart(), room, size, weight)];
}

// The text of a node for screen readers.
export function describeNode(state, m) {
  const { model, data } = state, kept = model.leafness[m];
  const kind = kept === 1 ? "Leaf" : kept === 0 ? "Branch" : `Bud, leafness ${spellShare(kept)}`;
  const asks = kept < 1 && model.nChildren[m] ? `gate ${data.words.question[m]}` : "";
  const rule = m ? `for ${data.words.rule[m]}` : "for all rows";
  const rows = Number.isFinite(model.count[m]) ? `${spellCount(model.count[m])} rows` : "";
  const below = `${countBelow(model, m)} nodes below`;
  const closed = state.isSealed(m) ? `${below}, not on this page` : state.closed.has(m) ? `closed, ${below}` : "";
  const answer = `${labelName(state)} ${headline(state, model.arrives[m])}`;
  const here = `${spellShare(state.result.reach[m])} of this row arrives`;
  return [`${kind} ${m}`, rule, asks, rows, answer, data.words.added[m], here, closed].filter(Boolean).join("; ");
}

export function drawCard(state, m, scale) {
  const { model, data } = state, { width, height } = CARD, isBranch = model.nChildren[m] > 0 && model.leafness[m] < 1;
  const glyph = isBranch && hasGlyph(model, m) ? drawGlyph(model, m, width - 56, 44) : null;
  const says = headline(state, model.arrives[m]);
  const title = isBranch ? data.words.question[m] : says;
  const rows = Number.isFinite(model.count[m]) ? `n ${spellCount(model.count[m])}` : "";
  const isBud = model.leafness[m] > 0 && model.leafness[m] < 1;
  const second = [isBud && `keeps ${spellShare(model.leafness[m])}`, isBranch ? says : "", rows, data.words.added[m]];
  const third = isBranch ? "" : data.words.equation[m];
  const lines = fitLines(title, width - 20, 12.5, 600);
  const pill = svg("text", { class: "reach", x: width - 4, y: -6, "text-anchor": "end" });
  const below = svg("text", { class: "below", x: width / 2, y: height + 14, "text-anchor": "middle" });
  if (state.isSealed(m)) below.append(`… ${countBelow(model, m)} nodes below`);
  else if (state.closed.has(m)) below.append(`▸ ${countBelow(model, m)} nodes below`);
  const shade = state.isClasses ? { style: `--shade: ${classColour(mainClass(state, m))}` } : {};
  const group = svg("g", { class: `node ${isBranch ? "branch" : "leaf"}`, role: "treeitem", tabindex: -1, "data-node": m, ...shade },
    svg("rect", { class: "card", width, height, rx: 7 }),
    svg("rect", { class: "leafness", width, height, rx: 7, "fill-opacity": 0.16 * model.leafness[m] }),
    lines.map((line, i) => svg("text", { class: "title", x: 10, y: 19 + 16 * i }, line)),
    svg("text", { class: "second", x: 10, y: isBranch ? 58 : 22 + 16 * lines.length }, fitText(second.filter(Boolean).join(" · "), width - (glyph ? 74 : 20), 11)),
    third && svg("text", { class: "second", x: 10, y: 38 + 16 * lines.length }, fitText(third, width - 20, 11)),
    !isBranch && data.words.isSummed && drawAdded(state, m),
    m > 0 && svg("text", { class: "rule", x: 4, y: -6 }, fitText(data.words.branch[m], width / 2 - 16, 11)),
    glyph?.group, drawAnswer(state, m, scale), pill, below);
  return { group, pill, glyph };
}

// What a leaf adds, as a bar from the middle; one bar per output.
function drawAdded(state, m) {
  const { width, height } = CARD, adds = state.data.words.adds, room = (width - 20) / 2, middle = width / 2;
  const group = svg("g", { class: "added", "aria-hidden": "true" },
    svg("line", { class: "axis", x1: middle, x2: middle, y1: height - 21, y2: height - 13 }));
  const most = Object.values(adds).flat().reduce((top, value) => Math.max(top, Math.abs(value ?? 0)), 0) || 1, tall = 7 / adds[m].length;
  adds[m].forEach((value, k) => {
    const long = (room * (value ?? 0)) / most, fill = adds[m].length > 1 && state.isClasses ? classColour(k) : null;
    const box = { x: middle + Math.min(long, 0), y: height - 20.5 + k * tall, width: Math.abs(long), height: 0.85 * tall };
    group.append(svg("rect", fill ? { ...box, fill } : { ...box, class: "sum" }));
  });
  return group;
}

// The bar along the foot of a card: proportions of classes, or the place of a mean among those of all nodes.
function drawAnswer(state, m, [low, high]) {
  const { width, height } = CARD, foot = height - 9, room = width - 20, answer = state.model.arrives[m];
  const group = svg("g", { class: "answer", "aria-hidden": "true" });
  if (state.isClasses) {
    let from = 10;
    answer.forEach((part, k) => {
      if (part > 0) group.append(svg("rect", { x: from, y: foot, width: part * room, height: 4, fill: classColour(k) }));
      from += part * room;
    });
  } else {
    const part = high > low ? (answer[0] - low) / (high - low) : 0.5;
    group.append(svg("rect", { class: "track", x: 10, y: foot + 1, width: room, height: 2 }),
      svg("circle", { cx: 10 + part * room, cy: foot + 2, r: 4.5, fill: scaleText(part), class: "place" }));
  }
  return group;
}

export function answerScale(state) {
  const first = state.model.arrives.map((answer) => answer[0]).filter(Number.isFinite);
  return [first.reduce((a, b) => Math.min(a, b), Infinity), first.reduce((a, b) => Math.max(a, b), -Infinity)];
}

export function mainClass(state, m) {
  return decide(state.model.schema, state.model.arrives[m]);
}
