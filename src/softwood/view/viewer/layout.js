// The positions of the nodes of a tree: parents above the middle of their children, subtrees side by side without overlap,
// equal subtrees drawn equally (Reingold and Tilford, 1981, for any number of children). Units are columns and levels.

// children: per node the ids that are shown, parents before children. Returns x and depth of every shown node.
export function layOut(children, root = 0) {
  const order = walk(children, root), offset = new Map(), shape = new Map();
  for (const node of [...order].reverse()) {
    const placed = children[node].map((child) => ({ child, shape: shape.get(child) }));
    shape.set(node, join(placed, offset));
    placed.forEach(({ child }) => shape.delete(child));
  }
  const x = new Map([[root, 0]]), depth = new Map([[root, 0]]);
  for (const node of order)
    for (const child of children[node]) {
      x.set(child, x.get(node) + offset.get(child));
      depth.set(child, depth.get(node) + 1);
    }
  return { x, depth, order };
}

function walk(children, root) {
  const order = [], stack = [root];
  while (stack.length) {
    const node = stack.pop();
    order.push(node);
    for (let i = children[node].length - 1; i >= 0; i--) stack.push(children[node][i]);
  }
  return order;
}

// A shape is the outline of a subtree: per level its leftmost and rightmost column, the root at 0.
function join(placed, offset) {
  if (!placed.length) return { left: [0], right: [0] };
  const place = [], left = [], right = [];
  for (const { shape } of placed) {
    let at = 0;
    for (let level = 0; level < Math.min(right.length, shape.left.length); level++)
      at = Math.max(at, right[level] - shape.left[level] + 1);
    place.push(at);
    shape.right.forEach((end, level) => {
      if (level >= left.length) left.push(shape.left[level] + at);
      right[level] = end + at;
    });
  }
  const middle = (place[0] + place[place.length - 1]) / 2;
  placed.forEach(({ child }, i) => offset.set(child, place[i] - middle));
  return { left: [0, ...left.map((end) => end - middle)], right: [0, ...right.map((end) => end - middle)] };
}

// Branches to close at first so that at most `most` nodes are shown, none deeper than `deepest`: those that the most
// rows reach stay open.
export function closeFar(model, most, deepest) {
  const open = new Set(), shown = [0], depth = new Map([[0, 0]]);
  let total = 1;
  const weight = (m) => (Number.isFinite(model.count[m]) ? model.count[m] : 1 / (1 + m));
  while (shown.length) {
    shown.sort((a, b) => weight(a) - weight(b));
    const m = shown.pop();
    if (!model.nChildren[m] || depth.get(m) >= deepest) continue;
    if (total + model.nChildren[m] > most) break;
    open.add(m);
    total += model.nChildren[m];
    for (let slot = 0; slot < model.nChildren[m]; slot++) {
      const child = model.firstChild[m] + slot;
      depth.set(child, depth.get(m) + 1);
      shown.push(child);
    }
  }
  return new Set(Array.from({ length: model.n }, (_, m) => m).filter((m) => model.nChildren[m] && !open.has(m)));
}
