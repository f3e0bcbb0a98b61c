// Small drawings in SVG: a curve with a histogram of the rows under it, and bars of levels.

import { svg } from "./dom.js";
import { shorten, spellNumber } from "./spell.js";

const PAD = { left: 34, right: 8, top: 8, bottom: 18 };

export function grid(low, high, n) {
  return Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1));
}

export function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function linePath(xs, ys, x, y) {
  let path = "", pen = "M";
  xs.forEach((at, i) => {
    if (!Number.isFinite(ys[i])) {
      pen = "M";
      return;
    }
    path += `${pen}${x(at).toFixed(1)} ${y(ys[i]).toFixed(1)}`;
    pen = "L";
  });
  return path;
}

// A number beside an axis, with few digits.
function spellTick(value) {
  return spellNumber(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 1 : 2);
}

// lines: [{ys, kind}] over xs. marks: [{x, y, kind}]. column: values of rows, for the histogram at the foot. ends: of the
// vertical axis; by default those of the lines. zero: show the line of 0. flip: the largest x is at the left.
export function drawCurve({ xs, lines, marks = [], column = [], width = 220, height = 110, ends = null, label, zero = false, flip = false }) {
  const [low, high] = [xs[0], xs[xs.length - 1]];
  const [bottom, top] = ends ?? extent([...lines.flatMap((line) => Array.from(line.ys)), ...(zero ? [0] : [])]);
  const part = (value) => (flip ? high - value : value - low) / (high - low || 1);
  const x = (value) => PAD.left + part(value) * (width - PAD.left - PAD.right);
  const y = (value) => height - PAD.bottom - ((value - bottom) / (top - bottom || 1)) * (height - PAD.bottom - PAD.top);
  const inside = (value) => Math.min(Math.max(value, low), high);
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    densityPath(column, low, high, x, height),
    svg("line", { class: "axis", x1: PAD.left, x2: width - PAD.right, y1: height - PAD.bottom, y2: height - PAD.bottom }),
    zero && bottom < 0 && top > 0 && svg("line", { class: "zero", x1: PAD.left, x2: width - PAD.right, y1: y(0), y2: y(0) }),
    lines.map((line) => svg("path", { class: `line ${line.kind ?? ""}`, d: linePath(xs, line.ys, x, y) })),
    marks.filter((mark) => Number.isFinite(mark.x) && Number.isFinite(mark.y)).map((mark) =>
      svg("circle", { class: `mark ${mark.kind ?? ""}`, cx: x(inside(mark.x)), cy: y(mark.y), r: 4 })),
    svg("text", { class: "tick", x: PAD.left, y: height - 5 }, spellTick(flip ? high : low)),
    svg("text", { class: "tick", x: width - PAD.right, y: height - 5, "text-anchor": "end" }, spellTick(flip ? low : high)),
    svg("text", { class: "tick", x: PAD.left - 5, y: PAD.top + 4, "text-anchor": "end" }, spellTick(top)),
    svg("text", { class: "tick", x: PAD.left - 5, y: height - PAD.bottom + 2, "text-anchor": "end" }, spellTick(bottom)));
}

function densityPath(column, low, high, x, height) {
  if (column.length < 2) return null;
  const bins = new Float64Array(24);
  for (const value of column)
    if (value >= low && value <= high) bins[Math.min(23, Math.floor(((value - low) / (high - low || 1)) * 24))]++;
  const most = Math.max(...bins) || 1, foot = height - PAD.bottom, step = (high - low) / 24;
  const parts = Array.from(bins, (count, i) => {
    const tall = (count / most) * 22;
    return `L${x(low + i * step).toFixed(1)} ${(foot - tall).toFixed(1)}L${x(low + (i + 1) * step).toFixed(1)} ${(foot - tall).toFixed(1)}`;
  });
  return svg("path", { class: "density", d: `M${x(low)} ${foot}${parts.join("")}L${x(high)} ${foot}Z` });
}

// One bar per level: rows [{name, value, isNow}].
export function drawBars({ rows, width = 220, label, most = 12 }) {
  const shown = rows.slice(0, most), tall = 15, [low, high] = extent([0, ...rows.map((row) => row.value)]);
  const x = (value) => 92 + ((value - low) / (high - low || 1)) * (width - 92 - 44);
  const height = shown.length * tall + (rows.length > most ? 14 : 2);
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    shown.map((row, i) => svg("g", { class: row.isNow ? "now" : "" },
      svg("text", { class: "tick", x: 88, y: i * tall + 11, "text-anchor": "end" }, shorten(row.name, 15)),
      svg("rect", { class: "bar", x: Math.min(x(0), x(row.value)), y: i * tall + 2, height: tall - 4,
        width: Math.max(Math.abs(x(row.value) - x(0)), 1) }),
      svg("text", { class: "tick", x: width - 40, y: i * tall + 11 }, spellNumber(row.value)))),
    rows.length > most && svg("text", { class: "tick", x: 88, y: height - 3, "text-anchor": "end" }, `… ${rows.length - most} more`));
}
