// Linear sums far away from the training rows; twin of kernels/formulas/far_out.py, which has the reason.

const LARGEST_SUM = 1e300, APART = 8, DIFFERENT = 32;
const IS_LINE = 0, IS_SQUARE = 1, IS_HINGE = 2;

// Weights and slopes as the equation takes them, and per column the limits between which its input is held.
export function steadySums(model) {
  const { group, last } = findCurves(model), n = model.term.length;
  const gates = steadyWeights(model, group, last), slope = steadySlopes(model, group, last);
  const largest = new Float64Array(n);
  const see = (column, weight) => (largest[column] = Math.max(largest[column], Math.abs(weight)));
  gates.weight.forEach((weight, i) => see(gates.weightColumn[i], weight));
  slope.forEach((row) => row.forEach((factors, column) => factors.forEach((factor) => see(column, factor))));
  const limit = Float64Array.from(largest, (size, column) => limitOf(model.term[column], size, column, n));
  const isInner = (c) => group[c] >= 0 && last[group[c]] !== c;
  const high = limit.map((most, c) => (isInner(c) ? Math.min(most, model.parameter[last[group[c]]]) : most));
  return { ...gates, slope, low: limit.map((most) => -most), high };
}

// The curve of every column, -1 for none, and the column of the last knot of every curve.
function findCurves(model) {
  const group = new Int32Array(model.term.length).fill(-1), last = [];
  const isPart = (c) => model.term[c] === IS_LINE || model.term[c] === IS_HINGE;
  const columns = Array.from(model.term, (_, c) => c).filter(isPart);
  for (const feature of new Set(columns.map((c) => model.columnFeature[c]))) {
    const mine = columns.filter((c) => model.columnFeature[c] === feature);
    const hinges = mine.filter((c) => model.term[c] === IS_HINGE);
    if (mine.length < 2 || !hinges.length) continue;
    const at = hinges.reduce((best, c) => (model.parameter[c] > model.parameter[best] ? c : best));
    if (model.whenMissing[at] !== 0) continue;
    for (const c of mine) group[c] = last.length;
    last.push(at);
  }
  return { group, last };
}

// A sum, 0 if it is not larger than the rounding of its terms.
function withoutNoise(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const size = weights.reduce((sum, weight) => sum + Math.abs(weight), 0);
  return Math.abs(total) <= weights.length * Number.EPSILON * size ? 0 : total;
}

function steadyWeights(model, group, last) {
  const weightBegin = [0], weightColumn = [], weight = [];
  for (let m = 0; m < model.n; m++) {
    const own = new Map();
    for (let i = model.weightBegin[m]; i < model.weightBegin[m + 1]; i++) own.set(model.weightColumn[i], model.weight[i]);
    const steady = new Map(own);
    last.forEach((at, curve) => {
      const parts = [...own].filter(([column]) => group[column] === curve).map(([, each]) => each);
      const total = withoutNoise(parts);
      if (own.has(at) || total !== 0) steady.set(at, total);
    });
    for (const [column, each] of [...steady].sort(([a], [b]) => a - b)) {
      weightColumn.push(column);
      weight.push(each);
    }
    weightBegin.push(weight.length);
  }
  return { weightBegin, weightColumn, weight };
}

function steadySlopes(model, group, last) {
  return model.slope.map((row) => {
    const total = (at, k) => withoutNoise(row.filter((_, c) => group[c] === group[at]).map((factors) => factors[k]));
    return row.map((factors, c) => (last.includes(c) ? factors.map((_, k) => total(c, k)) : factors));
  });
}

function limitOf(term, size, column, n) {
  if (term > IS_HINGE) return Number.MAX_VALUE;
  const room = Math.min(LARGEST_SUM, LARGEST_SUM / n / size);
  let exponent = Math.floor(Math.log2(room));
  exponent += Number(2 ** (exponent + 1) <= room) - Number(2 ** exponent > room) - APART * (column % DIFFERENT);
  return 2 ** (term === IS_SQUARE ? Math.floor(exponent / 2) : exponent);
}
