// Laws of the drawing: no two nodes meet, a parent stands over the middle of its children, equal subtrees look equal.

import assert from "node:assert/strict";
import { test } from "node:test";

const viewer = process.env.SOFTWOOD_VIEWER ?? new URL("../../src/softwood/view/viewer/", import.meta.url).href;
const { closeFar, layOut } = await import(new URL("layout.js", viewer));

// A random tree: as in softwood, children of a node are adjacent and come after it.
function grow(seed, branches) {
  let state = seed;
  const random = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  const children = [[]];
  for (let i = 0; i < branches; i++) {
    const leaves = children.flatMap((below, m) => (below.length ? [] : [m])), m = leaves[Math.floor(random() * leaves.length)];
    children[m] = Array.from({ length: 2 + Math.floor(random() * 3) }, (_, slot) => children.length + slot);
    children.push(...children[m].map(() => []));
  }
  return children;
}

test("nodes of a level stand at least one column apart, in their order", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { x, depth, order } = layOut(grow(seed, seed % 40)), last = new Map();
    for (const node of order) {
      const level = depth.get(node), before = last.get(level);
      if (before !== undefined) assert.ok(x.get(node) - before >= 1 - 1e-9, `seed ${seed}, node ${node}`);
      last.set(level, x.get(node));
    }
  }
});

test("a parent stands over the middle of its children", () => {
  const children = grow(7, 30), { x } = layOut(children);
  children.forEach((below, m) => {
    if (below.length) assert.ok(Math.abs(x.get(m) - (x.get(below[0]) + x.get(below[below.length - 1])) / 2) < 1e-9);
  });
});

test("equal subtrees are drawn equally", () => {
  const { x } = layOut([[1, 2], [3, 4], [5, 6], [], [], [], []]);
  assert.equal(x.get(4) - x.get(3), x.get(6) - x.get(5));
  assert.equal(x.get(3) - x.get(1), x.get(5) - x.get(2));
});

test("a chain of thousands is laid out", () => {
  const children = Array.from({ length: 5000 }, (_, m) => (m < 4999 ? [m + 1] : []));
  assert.equal(layOut(children).depth.get(4999), 4999);
});

test("of a large tree only some nodes are open at first, the most travelled", () => {
  const children = grow(3, 300), n = children.length;
  const model = { n, count: new Float64Array(n).map((_, m) => n - m), nChildren: children.map((each) => each.length), firstChild: children.map((each) => each[0] ?? -1) };
  const closed = closeFar(model, 31, 5), { order, depth } = layOut(children.map((below, m) => (closed.has(m) ? [] : below)));
  assert.ok(order.length <= 31 && order.length > 10);
  assert.ok(Math.max(...depth.values()) <= 5);
});
