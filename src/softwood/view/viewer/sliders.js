// The panel of inputs: a slider for a number, a menu for a category, a switch for missing; and the choice of a row.

import { h, onceAFrame, replaceChildren } from "./dom.js";
import { setCell, setOther, setRow } from "./state.js";
import { readTyped, spellNumber } from "./spell.js";

export function createSliders(state, root) {
  const used = state.inputs.filter((input) => input.use > 0).sort((a, b) => b.use - a.use || a.feature - b.feature);
  const unused = state.inputs.filter((input) => !(input.use > 0));
  const fields = [...used, ...unused].map((input) => createField(state, input));
  const list = h("div", { class: "fields" }, fields.slice(0, used.length).map((field) => field.box));
  const rest = unused.length
    ? h("details", { class: "unused" }, h("summary", {}, `${unused.length} not used by the tree`),
        fields.slice(used.length).map((field) => field.box)) : null;
  root.append(createChooser(state), list, rest ?? "");
  const refresh = () => fields.forEach((field) => field.refresh());
  state.listen("row", onceAFrame(refresh));
  state.listen("search", () => {
    const query = state.query.toLowerCase();
    const hits = fields.map((field) => !query || field.input.name.toLowerCase().includes(query));
    const some = hits.some(Boolean); // text that matches no input searches nodes: all inputs stay
    fields.forEach((field, i) => (field.box.hidden = some && !hits[i]));
  });
  refresh();
}

// -- rows ---------------------------------------------------------------------------------------------------------------

function createChooser(state) {
  const { data, rows } = state, typical = () => setRow(state, state.inputs.map((input) => input.typical));
  const keep = h("button", { type: "button", onclick: () => setOther(state, [...state.row]), title: "Keep this row to compare others with it" }, "Keep as B");
  const reset = h("button", { type: "button", onclick: typical, title: "Medians and most frequent categories" }, "Typical row");
  if (!rows) return h("div", { class: "chooser" }, reset, keep);
  const go = (at) => setRow(state, [...rows[at]], at);
  const step = (by) => go(((state.at ?? (by > 0 ? -1 : 0)) + by + rows.length) % rows.length);
  const number = h("select", { "aria-label": "Row of the table", id: "row", onchange: (event) => event.target.value !== "" && go(Number(event.target.value)) },
    h("option", { value: "" }, "own values"),
    rows.map((_, at) => h("option", { value: String(at) }, `row ${data.rows.number[at]}`)));
  const truth = h("p", { class: "truth" });
  const refresh = () => {
    number.value = state.at === null ? "" : String(state.at);
    const known = data.rows.truth && state.at !== null;
    replaceChildren(truth, known ? `Actual: ${data.rows.truth[state.at]}` : "");
  };
  state.listen("row", refresh);
  refresh();
  return h("div", { class: "chooser" },
    h("button", { type: "button", "aria-label": "Previous row", onclick: () => step(-1) }, "‹"), number,
    h("button", { type: "button", "aria-label": "Next row", onclick: () => step(1) }, "›"), reset, keep, truth);
}

// -- one input ----------------------------------------------------------------------------------------------------------

function createField(state, input) {
  const id = `input-${input.feature}`, control = input.levels ? createMenu(state, input, id) : createRange(state, input, id);
  const missing = h("input", { type: "checkbox", "aria-label": `${input.name} is missing`, onchange: (event) =>
    setCell(state, input.feature, event.target.checked ? NaN : input.typical) });
  const box = h("div", { class: "field", "data-feature": input.feature },
    h("label", { for: id, title: input.name }, input.name), control.value,
    h("span", { class: "missing" }, h("label", { title: "missing" }, missing, "missing")), control.body);
  const refresh = () => {
    const value = state.row[input.feature], gone = Number.isNaN(value);
    missing.checked = gone;
    box.classList.toggle("gone", gone);
    control.refresh(value, gone);
  };
  return { input, box, refresh };
}

function createMenu(state, input, id) {
  const menu = h("select", { id, onchange: (event) =>
    setCell(state, input.feature, event.target.value === "" ? NaN : Number(event.target.value)) },
    input.levels.map((level, code) => h("option", { value: String(code) }, level)), h("option", { value: "" }, "(missing)"));
  return { body: menu, value: h("span"), refresh: (value, gone) => (menu.value = gone ? "" : String(value)) };
}

function createRange(state, input, id) {
  const { low, high, feature } = input;
  const range = h("input", { type: "range", id, min: low, max: high, step: "any", oninput: (event) =>
    setCell(state, feature, Number(event.target.value)) });
  const typed = h("input", { type: "text", class: "typed", inputmode: "decimal", "aria-label": `${input.name}, value`,
    onchange: (event) => {
      const value = readTyped(event.target.value);
      if (Number.isFinite(value) || event.target.value.trim() === "") setCell(state, feature, value);
      else typed.value = Number.isNaN(state.row[feature]) ? "" : spellNumber(state.row[feature]);
    } });
  const band = drawBand(input);
  const refresh = (value, gone) => {
    if (document.activeElement !== range || Number(range.value) !== value) range.value = gone ? input.typical : value;
    range.setAttribute("aria-valuetext", gone ? "missing" : spellNumber(value));
    if (document.activeElement !== typed) typed.value = gone ? "" : spellNumber(value, 4);
  };
  return { body: h("span", { class: "range" }, band, range), value: typed, refresh };
}

// Where most training rows are: from the 5th to the 95th percentile, with the median.
function drawBand(input) {
  const at = (p) => input.quantiles.find(([each]) => each === p)?.[1];
  const [from, middle, to] = [at(0.05), at(0.5), at(0.95)];
  if (from === undefined || to === undefined || !(input.high > input.low)) return h("i", { class: "band" });
  const place = (value) => (100 * (value - input.low)) / (input.high - input.low);
  const band = h("i", { class: "band" }, h("i", { class: "most" }), h("i", { class: "median" }));
  band.firstChild.style.left = `${place(from)}%`;
  band.firstChild.style.width = `${Math.max(place(to) - place(from), 0.5)}%`;
  band.lastChild.style.left = `${place(middle)}%`;
  return band;
}
