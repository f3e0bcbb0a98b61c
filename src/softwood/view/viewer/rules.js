// The rules tab: one line per node with a response, with the proportion of this row that goes there.

import { h, onceAFrame, replaceChildren } from "./dom.js";
import { headline, labelName, select } from "./state.js";
import { spellCount, spellShare } from "./spell.js";

const MOST_RULES = 300;

export function createRules(state, root, openNode) {
  let shown = false, byRow = false;
  const { model, data } = state, body = h("tbody"), foot = h("p", { class: "note" });
  const soft = data.words.isHard ? "One rule applies to each row." : "A row may follow several paths, each in part.";
  const order = h("label", {}, h("input", { type: "checkbox", onchange: (event) => {
    byRow = event.target.checked;
    refresh();
  } }), " this row's paths first");
  root.append(h("div", { class: "bar" }, h("p", { class: "note" }, soft), order),
    h("table", { class: "rules" }, h("thead", {}, h("tr", {}, ["node", "if", ...(data.words.isSummed ? [data.words.unit, labelName(state)] : ["prediction"]), "training rows", "share of this row"].map((name) => h("th", { scope: "col" }, name)))), body), foot,
    data.words.sums.length ? h("dl", { class: "sums" }, data.words.sums.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])) : "");
  const untold = Array.from(model.leafness).filter((part, m) => part > 0 && !state.isTold(m)).length;
  const kept = (m) => state.result.reach[m] * model.leafness[m];
  let lines = [];
  const refresh = onceAFrame(() => {
    if (!shown) return;
    const query = state.query.toLowerCase();
    let rules = data.rules.filter((rule) => !query || `${rule.if.join(" ")} ${headline(state, model.arrives[rule.node])}`.toLowerCase().includes(query));
    if (byRow) rules = [...rules].sort((a, b) => kept(b.node) - kept(a.node));
    lines = rules.slice(0, MOST_RULES).map((rule) => createLine(state, rule, openNode));
    lines.forEach((line) => line.move(kept(line.node)));
    replaceChildren(body, lines.map((line) => line.row));
    const more = rules.length > MOST_RULES ? `… ${rules.length - MOST_RULES} more; use the search to find them. ` : "";
    replaceChildren(foot, more + (untold ? `${spellCount(untold)} rules are not on this page.` : ""));
  });
  const move = onceAFrame(() => shown && lines.forEach((line) => line.move(kept(line.node))));
  state.listen("row", () => (byRow ? refresh() : move()));
  state.listen("search", refresh);
  return { show: () => ((shown = true), refresh()), hide: () => (shown = false) };
}

// One line of the table; `move` shows the part of the row that its node keeps.
function createLine(state, rule, openNode) {
  const { model } = state, bar = h("i", { class: "part" }), percent = h("span", { class: "percent" });
  const words = rule.if.length ? rule.if.flatMap((text, i) => [i ? h("em", {}, " and ") : "", text]) : ["any row"];
  const rows = model.count[rule.node] * model.leafness[rule.node];
  const label = state.data.words.isSummed ? model.arrives[rule.node] : rule.then; // null: not known
  const row = h("tr", {},
    h("td", {}, h("button", { type: "button", class: "link", onclick: () => {
      select(state, rule.node);
      openNode(rule.node);
    } }, String(rule.node))),
    h("td", {}, words), state.data.words.isSummed && h("td", { class: "then" }, rule.adds),
    h("td", { class: "then" }, label ? headline(state, label) : ""),
    h("td", { class: "right" }, Number.isFinite(rows) ? spellCount(rows) : ""),
    h("td", {}, h("span", { class: "rail" }, bar), percent));
  let last = null;
  const move = (part) => {
    if (part === last) return;
    last = part;
    row.classList.toggle("holds", part > 0);
    bar.style.width = `${100 * part}%`;
    percent.textContent = spellShare(part);
  };
  return { node: rule.node, row, move };
}
