// Numbers and shares as the page writes them.

import assert from "node:assert/strict";
import { test } from "node:test";

const viewer = process.env.SOFTWOOD_VIEWER ?? new URL("../../src/softwood/view/viewer/", import.meta.url).href;
const { readTyped, shorten, spellFactor, spellLabels, spellNumber, spellPoints, spellShare, spellSummands } = await import(new URL("spell.js", viewer));

test("numbers read as in Python's spelling", () => {
  const pairs = [[16.7951, "16.795"], [-0.0123456, "−0.0123"], [3, "3"], [0, "0"], [-0, "0"], [1999.5, "1999.5"],
    [1e-7, "1e−7"], [1e20, "1e20"], [NaN, "missing"], [-Infinity, "−∞"], [-0.0000001, "−1e−7"], [100, "100"]];
  for (const [value, text] of pairs) assert.equal(spellNumber(value), text);
});

test("a share is never 0 % where something arrives nor 100 % where something is left", () => {
  assert.equal(spellShare(0), "0 %");
  assert.equal(spellShare(1), "100 %");
  assert.equal(spellShare(1e-9), "< 0.1 %");
  assert.equal(spellShare(1 - 1e-9), "> 99.9 %");
  assert.equal(spellShare(0.5), "50 %");
  assert.equal(spellShare(0.051), "5.1 %");
});

test("factors and summands have the digits with which products can be checked by hand", () => {
  assert.deepEqual([0.6612, 1, 0.0001].map(spellFactor), ["66.1 %", "100 %", "< 0.1 %"]);
  assert.deepEqual(spellSummands([-2.1, 4.6049, 0]), ["−2.10", "+4.60", "+0.00"]);
  assert.deepEqual(spellSummands([113.2, -0.2]), ["+113", "+0"]);
  assert.deepEqual(spellSummands([0.0123456, -1e-6]), ["+0.0123", "+0.0000"]);
  assert.deepEqual(spellSummands([2e12, -1]), ["+2000000000000", "−1"]);
});

test("a difference of probabilities is in percentage points", () => {
  assert.deepEqual([0.0721, -0.5, 1e-6, -1e-6, 0].map(spellPoints), ["+7.2 points", "−50.0 points", "< 0.1 points", "< 0.1 points", "0 points"]);
});

test("what a user types is read, whatever minus or comma", () => {
  assert.equal(readTyped("−1,5"), -1.5);
  assert.equal(readTyped(" 2.25 "), 2.25);
  assert.ok(Number.isNaN(readTyped("")));
  assert.ok(Number.isNaN(readTyped("two")));
});

test("labels of any type are text, and text is cut between characters", () => {
  assert.deepEqual(spellLabels({ type: "bool", values: [true, false] }), ["True", "False"]);
  assert.equal(shorten("🌲🌲🌲🌲", 3), "🌲🌲…");
});
