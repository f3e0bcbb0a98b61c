// The tree tab: cards and edges in SVG, with zoom, pan, collapse, and the path of the row on top.
// The pale edge is as wide as the share of the training rows that takes it, the coloured one as the share of this row.

import { childrenOf } from "./evaluate.js";
import { CARD, answerScale, describeNode, drawCard } from "./card.js";
import { onceAFrame, replaceChildren, svg } from "./dom.js";
import { scoreOf } from "./glyph.js";
import { layOut } from "./layout.js";
import { reveal, select, toggle } from "./state.js";
import { spellShare } from "./spell.js";

const STEP = { x: CARD.width + 22, y: CARD.height + 70 };
const WIDEST = 13, FAR = 0.42, SPECKS = 0.16, MANY = 200, LEAST_ZOOM = 0.01, MOST_ZOOM = 3;

export function createTreeView(state, root) {
  const scene = svg("g", { class: "scene" });
  const canvas = svg("svg", { class: "tree", role: "tree", "aria-label": "The tree. Arrow keys move between nodes." }, scene);
  root.append(canvas);
  const view = { state, root, canvas, scene, shown: new Map(), at: { x: 0, y: 0, k: 1 }, focus: 0, fitted: false };
  state.listen("shape", () => drawAll(view));
  state.listen("row", onceAFrame(() => drawRow(view)));
  state.listen("select", () => markSelected(view));
  state.listen("search", () => markFound(view));
  listenToPointer(view);
  listenToKeys(view);
  drawAll(view);
  return view;
}

export function drawAll(view) {
  const { state } = view, { model } = state;
  const children = Array.from({ length: model.n }, (_, m) => (state.closed.has(m) || state.isSealed(m) ? [] : childrenOf(model, m)));
  const { x, depth, order } = layOut(children);
  const edges = svg("g", { class: "edges", "aria-hidden": "true" });
  const cards = svg("g", { role: "presentation" }), scale = answerScale(state);
  view.shown = new Map();
  for (const m of order) {
    const place = { x: x.get(m) * STEP.x, y: depth.get(m) * STEP.y };
    const card = drawCard(state, m, scale);
    card.group.setAttribute("transform", `translate(${place.x - CARD.width / 2} ${place.y})`);
    const item = { ...place, ...card, children: children[m] };
    if (m) item.flow = drawEdge(view, m, view.shown.get(model.parent[m]), place, edges);
    cards.append(card.group);
    view.shown.set(m, item);
  }
  replaceChildren(view.scene, edges, cards);
  view.canvas.classList.toggle("many", order.length > MANY);
  for (const [m, item] of view.shown) setItem(view, m, item, depth.get(m));
  drawRow(view);
  markSelected(view);
  markFound(view);
  cull(view);
}

function setItem(view, m, item, depth) {
  const { model } = view.state;
  item.group.setAttribute("aria-level", depth + 1);
  if (model.nChildren[m] && !view.state.isSealed(m)) item.group.setAttribute("aria-expanded", String(!view.state.closed.has(m)));
}

function drawEdge(view, m, parent, place, edges) {
  const { model } = view.state, top = parent.y + CARD.height, middle = (top + place.y) / 2;
  const path = `M${parent.x} ${top}C${parent.x} ${middle + 6} ${place.x} ${middle - 12} ${place.x} ${place.y}`;
  const part = model.count[0] > 0 ? model.count[m] / model.count[0] : NaN;
  const width = Number.isFinite(part) ? Math.max(1.2, WIDEST * part) : 2;
  const flow = svg("path", { class: "flow", d: path });
  edges.append(svg("path", { class: "edge", d: path, "stroke-width": width }), flow);
  return flow;
}

export function drawRow(view) {
  const { state } = view, { model, result, row } = state;
  for (const [m, item] of view.shown) {
    const reach = result.reach[m];
    if (item.glyph && reach > 0) item.glyph.move(scoreOf(model, m, row, result.phi));
    if (reach === item.reach) continue; // most of a large tree stays as it is
    item.reach = reach;
    item.pill.textContent = reach > 0 ? spellShare(reach) : "";
    item.group.classList.toggle("unreached", !(reach > 0));
    if (item.flow) {
      item.flow.style.strokeWidth = reach > 0 ? Math.max(1, WIDEST * reach) : 0;
      item.flow.style.strokeOpacity = reach > 0 ? 0.35 + 0.6 * Math.sqrt(reach) : 0;
    }
    item.group.setAttribute("aria-label", describeNode(state, m));
  }
}

function markSelected(view) {
  const chosen = view.shown.has(view.state.selected) ? view.state.selected : 0;
  view.focus = chosen;
  for (const [m, item] of view.shown) {
    item.group.classList.toggle("selected", m === chosen);
    item.group.setAttribute("tabindex", m === chosen ? 0 : -1);
    item.group.setAttribute("aria-selected", String(m === chosen));
  }
}

function markFound(view) {
  const found = new Set(view.state.query ? findNodes(view.state) : []);
  view.canvas.classList.toggle("searching", found.size > 0);
  for (const [m, item] of view.shown) item.group.classList.toggle("found", found.has(m));
}

// Nodes whose text contains the search text.
export function findNodes(state) {
  const query = state.query.toLowerCase(), { words } = state.data, found = [];
  if (!query) return found;
  for (let m = 0; m < state.model.n; m++) {
    if (!state.isTold(m)) continue;
    const answer = state.model.leafness[m] > 0 ? words.answer[m] : "";
    if (`${m} ${words.question[m]} ${words.rule[m]} ${answer}`.toLowerCase().includes(query)) found.push(m);
  }
  return found;
}

// -- zoom and pan ----------------------------------------------------------------------------------------------------

function move(view, x, y, k) {
  view.at = { x, y, k: Math.min(Math.max(k, LEAST_ZOOM), MOST_ZOOM) };
  view.scene.setAttribute("transform", `translate(${view.at.x} ${view.at.y}) scale(${view.at.k})`);
  view.canvas.classList.toggle("far", view.at.k < FAR);
  view.canvas.classList.toggle("specks", view.at.k < SPECKS);
  cull(view);
}

// Cards out of sight are not drawn: text takes most of the time.
function cull(view) {
  const { at, canvas, shown } = view, { clientWidth: width, clientHeight: height } = canvas;
  const many = shown.size > MANY && width > 0;
  for (const item of shown.values()) {
    const x = at.x + at.k * item.x, y = at.y + at.k * item.y, room = at.k * CARD.width;
    const away = many && (x < -room || x > width + room || y < -room || y > height + room);
    if (away === Boolean(item.away)) continue;
    item.away = away;
    item.group.style.display = away ? "none" : "";
  }
}

export function zoom(view, factor, x = view.canvas.clientWidth / 2, y = view.canvas.clientHeight / 2) {
  const { at } = view, k = Math.min(Math.max(at.k * factor, LEAST_ZOOM), MOST_ZOOM);
  move(view, x - ((x - at.x) * k) / at.k, y - ((y - at.y) * k) / at.k, k);
}

// Fit everything; at first with a minimum zoom for legibility, with the root in the middle.
export function fit(view, least = 0) {
  const items = [...view.shown.values()], xs = items.map((item) => item.x);
  const left = Math.min(...xs) - CARD.width / 2, right = Math.max(...xs) + CARD.width / 2;
  const bottom = Math.max(...items.map((item) => item.y)) + CARD.height + 16;
  const { clientWidth: width, clientHeight: height } = view.canvas;
  if (!width || !height) return;
  const whole = Math.min(1.15, (width - 32) / (right - left), (height - 56) / (bottom + 12)), k = Math.max(whole, least);
  move(view, width / 2 - (whole < least ? 0 : (k * (left + right)) / 2), Math.max(28, (height - k * bottom) / 3), k);
  view.fitted = true;
}

export function centre(view, node) {
  reveal(view.state, node);
  const item = view.shown.get(node), k = Math.max(view.at.k, 0.8);
  move(view, view.canvas.clientWidth / 2 - k * item.x, view.canvas.clientHeight / 2 - k * (item.y + CARD.height / 2), k);
}

function listenToPointer(view) {
  const { canvas } = view;
  let from = null, moved = false;
  canvas.addEventListener("wheel", (event) => {
    if (window.self !== window.top && !event.ctrlKey && !event.metaKey) return; // in a notebook the wheel scrolls
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(view, Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX - view.at.x, y: event.clientY - view.at.y, startX: event.clientX, startY: event.clientY };
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (!moved && Math.hypot(event.clientX - from.startX, event.clientY - from.startY) < 4) return;
    if (!moved) canvas.setPointerCapture(event.pointerId);
    moved = true;
    move(view, event.clientX - from.x, event.clientY - from.y, view.at.k);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (from = null));
  canvas.addEventListener("click", (event) => {
    const node = nodeOf(event.target);
    if (node === null || moved) return;
    if (view.state.selected === node && event.detail === 1 && view.state.model.nChildren[node] && event.target.closest(".below"))
      toggle(view.state, node);
    select(view.state, node);
    view.shown.get(node)?.group.focus({ preventScroll: true });
  });
  canvas.addEventListener("dblclick", (event) => {
    const node = nodeOf(event.target);
    if (node !== null) toggle(view.state, node);
  });
  canvas.addEventListener("pointerover", (event) => {
    const node = nodeOf(event.target);
    if (node !== null && !from) view.onHover?.(node);
  });
  canvas.addEventListener("pointerleave", () => view.onHover?.(null));
}

function nodeOf(target) {
  const group = target.closest?.("[data-node]");
  return group ? Number(group.dataset.node) : null;
}

// -- keys --------------------------------------------------------------------------------------------------------------

function listenToKeys(view) {
  view.canvas.addEventListener("keydown", (event) => {
    const { state } = view, m = view.focus, item = view.shown.get(m), parent = state.model.parent[m];
    const siblings = parent >= 0 ? view.shown.get(parent).children : [m], at = siblings.indexOf(m);
    const actions = {
      ArrowUp: () => parent >= 0 && go(view, parent), ArrowDown: () => item.children.length && go(view, item.children[0]),
      ArrowLeft: () => at > 0 && go(view, siblings[at - 1]),
      ArrowRight: () => at < siblings.length - 1 && go(view, siblings[at + 1]), Home: () => go(view, 0),
      Enter: () => refocus(view, () => toggle(state, m)), " ": () => refocus(view, () => toggle(state, m)),
      "+": () => zoom(view, 1.25), "=": () => zoom(view, 1.25), "-": () => zoom(view, 0.8), 0: () => fit(view),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
}

function refocus(view, act) {
  act();
  view.shown.get(view.focus)?.group.focus({ preventScroll: true });
}

function go(view, node) {
  select(view.state, node);
  const item = view.shown.get(node), { at, canvas } = view;
  const x = at.x + at.k * item.x, y = at.y + at.k * item.y, margin = 40 + (at.k * CARD.width) / 2;
  if (x < margin || x > canvas.clientWidth - margin || y < 20 || y > canvas.clientHeight - CARD.height) centre(view, node);
  item.group.focus({ preventScroll: true });
}
