// Evaluates the rows of a file of trees: node evaluate_rows.mjs cases.json > answers.json
// cases: [{model, rows}]; answers: [{reach, output, answer}], each (rows, ...); numbers as `to_json` writes them.

import { readFileSync } from "node:fs";

const { evaluate, readModel, readNumber } = await import(new URL("evaluate.js", process.env.SOFTWOOD_VIEWER));

const write = (value) => (Number.isNaN(value) ? null : Number.isFinite(value) ? value : value > 0 ? "inf" : "-inf");
const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
const answers = cases.map(({ model, rows }) => {
  const tree = readModel(model), found = rows.map((row) => evaluate(tree, row.map(readNumber)));
  const part = (name) => found.map((each) => Array.from(each[name], write));
  return { reach: part("reach"), output: part("output"), answer: part("answer") };
});
process.stdout.write(JSON.stringify(answers));
