// The page: reads its data, creates the panels and switches tabs.

import { createAnswer } from "./answer.js";
import { createCompare } from "./compare.js";
import { createCurves } from "./curves.js";
import { createDetails } from "./details.js";
import { replaceChildren } from "./dom.js";
import { createGrowth } from "./growth.js";
import { createRules } from "./rules.js";
import { createSliders } from "./sliders.js";
import { createState, select, setRow } from "./state.js";
import { createSurface } from "./surface.js";
import { centre, createTreeView, drawAll, findNodes, fit, zoom } from "./treeview.js";

const TABS = ["tree", "curves", "rules", "surface", "compare"];
const LEAST_AT_FIRST = 0.6; // zoom

const find = (id) => document.getElementById(id);

function start() {
  const data = JSON.parse(find("data").textContent);
  if (data.steps) createGrowth(data, find, show);
  else show(data);
  document.body.dataset.ready = "true";
}

// Fills the page; `before` is what it showed until now: the row and the tab stay.
function show(data, before = null) {
  const state = createState(data);
  replaceChildren(find("title"), data.words.title);
  replaceChildren(find("facts"), data.words.facts.join(" · "));
  createAnswer(state, find("answer"), find("spoken"));
  createSliders(state, find("inputs"));
  const view = createTreeView(state, find("canvas"));
  view.onHover = createDetails(state, find("details"));
  const nothing = { show: () => {}, hide: () => {} };
  const tabs = { tree: { show: () => !view.fitted && fit(view, LEAST_AT_FIRST), hide: () => {} } };
  tabs.curves = createCurves(state, find("curves")) ?? nothing;
  tabs.rules = createRules(state, find("rules"), (node) => {
    open("tree");
    centre(view, node);
  });
  tabs.surface = createSurface(state, find("surface"));
  tabs.compare = createCompare(state, find("compare"));
  const open = listenToTabs(find, tabs);
  listenToSearch(state, view, find, open);
  listenToButtons(state, view, find);
  if (before) setRow(state, before.state.row, before.state.at);
  open(before ? before.tab() : state.model.n === 1 && state.model.slopeRow[0] >= 0 ? "curves" : "tree");
  return { state, tab: () => TABS.find((name) => !find(`panel-${name}`).hidden) };
}

function listenToTabs(find, tabs) {
  let current = null;
  const open = (name) => {
    if (current === name) return;
    if (current) tabs[current].hide();
    current = name;
    for (const each of TABS) {
      find(`tab-${each}`).setAttribute("aria-selected", String(each === name));
      find(`tab-${each}`).tabIndex = each === name ? 0 : -1;
      find(`panel-${each}`).hidden = each !== name;
    }
    tabs[name].show();
  };
  TABS.forEach((name, at) => {
    find(`tab-${name}`).addEventListener("click", () => open(name));
    find(`tab-${name}`).addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = TABS[(at + by + TABS.length) % TABS.length];
      open(next);
      find(`tab-${next}`).focus();
    });
  });
  return open;
}

function listenToSearch(state, view, find, open) {
  let at = -1;
  find("search").addEventListener("input", (event) => {
    state.query = event.target.value.trim();
    at = -1;
    state.tell("search");
    const found = findNodes(state).length;
    replaceChildren(find("found"), state.query ? `${found} ${found === 1 ? "node" : "nodes"}` : "");
  });
  find("search").addEventListener("keydown", (event) => {
    const nodes = event.key === "Enter" ? findNodes(state) : [];
    if (!nodes.length) return;
    at = (at + 1) % nodes.length;
    open("tree");
    centre(view, nodes[at]);
    select(state, nodes[at]);
  });
}

function listenToButtons(state, view, find) {
  const { model } = state, inner = Array.from({ length: model.n }, (_, m) => m).filter((m) => model.nChildren[m]);
  const reshape = (closed) => {
    state.closed = new Set(closed);
    drawAll(view);
    fit(view);
  };
  find("fit").addEventListener("click", () => fit(view));
  find("closer").addEventListener("click", () => zoom(view, 1.25));
  find("farther").addEventListener("click", () => zoom(view, 0.8));
  find("open-all").addEventListener("click", () => reshape([]));
  find("close-all").addEventListener("click", () => reshape(inner.filter((m) => m > 0)));
  find("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme === "dark"
      || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    state.tell("theme");
  });
  new ResizeObserver(() => view.canvas.clientWidth && !view.fitted && fit(view, LEAST_AT_FIRST)).observe(view.root);
}

start();
