// What evaluate.js does with single gates, links and costs. The law over random trees is in test_evaluate.py.

import assert from "node:assert/strict";
import { test } from "node:test";

const viewer = process.env.SOFTWOOD_VIEWER ?? new URL("../../src/softwood/view/viewer/", import.meta.url).href;
const { decide, evaluate, expandColumn, readModel, readNumber, softThreshold } = await import(new URL("evaluate.js", viewer));

const schema = (n, answers, task = "regression") => ({
  inputs: Array.from({ length: n }, (_, i) => ({ name: `x${i}`, kind: "number", levels: null, summary: null })),
  task, answers: { type: "str", values: answers }, target: "", costs: null, unseen: "missing",
});
const stump = (changes = {}) => readModel({
  tree: { link: 0, response: [[0.5], [0], [1]], first_child: [1, -1, -1], n_children: [2, 0, 0], score: [1, 0, 0],
    feature: [0, -1, -1], threshold: [2.5, null, null], ...changes },
  schema: schema(1, ["y"]), basis: {}, surrogates: {},
});

test("null is missing and infinity is a word", () => {
  assert.ok(Number.isNaN(readNumber(null)));
  assert.equal(readNumber("inf"), Infinity);
  assert.equal(readNumber("-inf"), -Infinity);
});

test("a threshold itself goes to the first child", () => {
  assert.deepEqual(evaluate(stump(), [2.5]).answer, [0]);
  assert.deepEqual(evaluate(stump(), [2.5000001]).answer, [1]);
});

test("a missing value goes to the default child, or in fractions", () => {
  assert.deepEqual(evaluate(stump({ default: [1, 0, 0] }), [NaN]).answer, [1]);
  assert.deepEqual(evaluate(stump({ missing: [1, 0, 0], fraction: [null, 0.25, 0.75] }), [NaN]).answer, [0.75]);
});

test("a bud keeps its leafness", () => {
  const result = evaluate(stump({ leafness: [0.5, 1, 1] }), [0]);
  assert.deepEqual(Array.from(result.reach), [1, 0.5, 0]);
  assert.deepEqual(result.answer, [0.25]);
});

test("a ramp is one half at its threshold and 0 or 1 at its ends", () => {
  for (const [x, share] of [[-2, 1], [-1, 0.75], [0, 0.5], [2, 0.25], [4, 0]]) assert.equal(softThreshold(x, [2, 4], 1), share);
});

test("a missing indicator is 1 where others take their fill", () => {
  const model = { term: [4, 2], parameter: [0, 1], whenMissing: [0, 7] };
  assert.deepEqual([expandColumn(model, 0, NaN), expandColumn(model, 0, 3)], [1, 0]);
  assert.deepEqual([expandColumn(model, 1, NaN), expandColumn(model, 1, 3)], [7, 2]);
});

test("costs change the class that is decided for", () => {
  assert.equal(decide({ costs: null }, [0.8, 0.2]), 0);
  assert.equal(decide({ costs: [[0, 1], [9, 0]] }, [0.8, 0.2]), 1);
  assert.equal(decide({ costs: null }, [0.5, 0.5]), 0);
});
