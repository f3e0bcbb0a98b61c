// The squash of a gate as a small picture: the share of the first child over the score, with a dot at the row.

import { SCORE, SQUASH, linearScore, sigmoid, softThreshold } from "./evaluate.js";
import { svg } from "./dom.js";

const WIDE = 44, TALL = 20, STEPS = 28;

// How far the drawing reaches to either side of the threshold, in units of the score.
function reachOfGlyph(model, m) {
  if (model.score[m] === SCORE.LINEAR) return 5;
  const [below, above] = model.softness[m];
  return model.squash[m] === SQUASH.SIGMOID ? 5 * below : 1.6 * Math.max(below, above) || 1;
}

// Share of the first child where the distance to the threshold (or the score) is `at`.
function shareAt(model, m, at) {
  if (model.score[m] === SCORE.LINEAR) return model.squash[m] === SQUASH.STEP ? Number(at >= 0) : sigmoid(at);
  return model.squash[m] === SQUASH.STEP ? Number(at <= 0) : softThreshold(at, model.softness[m], model.squash[m]);
}

export function hasGlyph(model, m) {
  return model.nChildren[m] === 2 && (model.score[m] === SCORE.LINEAR || model.score[m] === SCORE.THRESHOLD);
}

// The score of a row at a gate: a linear sum, or the distance to the threshold; NaN where the value is missing.
export function scoreOf(model, m, row, phi) {
  return model.score[m] === SCORE.LINEAR ? linearScore(model, m, phi) : row[model.feature[m]] - model.threshold[m];
}

export function drawGlyph(model, m, left, top) {
  const reach = reachOfGlyph(model, m), points = [], rises = model.score[m] === SCORE.LINEAR;
  for (let i = 0; i <= STEPS; i++) {
    const at = -reach + (2 * reach * i) / STEPS;
    points.push([left + (WIDE * i) / STEPS, top + TALL * (1 - shareAt(model, m, rises ? -at : at))]);
  }
  const isStep = model.squash[m] === SQUASH.STEP; // yes is at the left: a score falls to the right
  const middle = left + WIDE / 2, [from, to] = [top, top + TALL];
  const path = isStep ? `M${left} ${from}H${middle}V${to}H${left + WIDE}`
    : "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
  const dot = svg("circle", { class: "dot", r: 2.8, cx: middle, cy: top + TALL / 2 });
  const move = (score) => {
    dot.style.display = Number.isFinite(score) ? "" : "none";
    if (!Number.isFinite(score)) return;
    const at = isStep ? Math.sign(score) * reach * 0.5 : Math.min(Math.max(score, -reach), reach);
    dot.setAttribute("cx", middle + (WIDE / 2) * ((rises ? -at : at) / reach));
    dot.setAttribute("cy", top + TALL * (1 - shareAt(model, m, isStep ? score : at)));
  };
  const group = svg("g", { class: isStep ? "glyph step" : "glyph soft", "aria-hidden": "true" },
    svg("line", { class: "axis", x1: left, x2: left + WIDE, y1: top + TALL, y2: top + TALL }),
    svg("path", { d: path }), dot);
  return { group, move };
}
