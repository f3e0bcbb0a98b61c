"""Python, JavaScript and C give the same predictions as the model, for trees of every kind and a user's rows."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softwood import SoftenedTreeRegressor, SoftTreeRegressor
from softwood.formats.c import to_c
from softwood.formats.javascript import to_javascript
from softwood.formats.python import to_python
from tests.formats.exports.agree import check, is_exact
from tests.formats.exports.cases import Case, learned_cases, names_of, random_case

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-O1")


def load_python(model: Any) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(compile(to_python(model), "exported", "exec"), module)
    return module


def test_python_answers_as_the_model(cases: list[Case]) -> None:
    for case in cases:
        module = load_python(case.model)
        ask = module["predict_proba" if case.labels is not None else "predict"]
        check(case, [ask(row) for row in case.rows], case.labels and [module["predict"](row) for row in case.rows])


def test_python_imports_math_alone(cases: list[Case]) -> None:
    for case in cases:
        assert re.findall(r"^ *(?:import|from) .*", to_python(case.model), re.MULTILINE) == ["import math"]


def test_some_cases_are_exact_and_some_are_not(cases: list[Case]) -> None:
    exact = [is_exact(case) for case in cases]
    assert 10 < sum(exact) < len(exact) - 10


def test_javascript_answers_as_the_model(cases: list[Case], node: Callable[..., str], tmp_path: Path) -> None:
    names = names_of(cases)
    for name, case in zip(names, cases, strict=True):
        if not (tmp_path / f"{name}.mjs").exists():
            (tmp_path / f"{name}.mjs").write_text(to_javascript(case.model), encoding="utf-8")
    asked = [[name, case.rows] for name, case in zip(names, cases, strict=True)]
    (tmp_path / "rows.json").write_text(json.dumps(asked), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(
        """
        import { readFileSync } from "node:fs";
        const told = [];
        for (const [name, rows] of JSON.parse(readFileSync(new URL("rows.json", import.meta.url)))) {
          const model = await import(`./${name}.mjs`);
          told.push([rows.map(model.predictProba ?? model.predict), rows.map(model.predict)]);
        }
        process.stdout.write(JSON.stringify(told));
        """,
        encoding="utf-8",
    )
    told = json.loads(node(tmp_path / "run.mjs"))
    for case, (answers, labels) in zip(cases, told, strict=True):
        check(case, answers, case.labels and labels)


def run_c(cases: list[Case], gcc: Callable[..., str], folder: Path, precision: str = "double") -> list[list[Any]]:
    """Predictions and decisions for every row from compiled headers, in one program."""
    calls, lines = [], ["#include <stdio.h>"]
    for name, case in zip(names_of(cases), cases, strict=True):
        if not (folder / f"{name}.h").exists():
            (folder / f"{name}.h").write_text(to_c(case.model, name=name, precision=precision), encoding="utf-8")
            lines.append(f'#include "{name}.h"')
        decide = f"{name}_decide(row)" if case.labels is not None else "-1"
        calls.append(f"CASE({name}, {name.upper()}, {len(case.rows)}, {decide})")
    lines += [
        f"typedef {precision} real;",
        "#define CASE(name, NAME, n, decided) for (int i = 0; i < n; i++) { real row[NAME##_INPUTS]; "
        "real answer[NAME##_ANSWERS]; if (fread(row, sizeof(real), NAME##_INPUTS, stdin) == 0) return 1; "
        'name##_answer(row, answer); for (int k = 0; k < NAME##_ANSWERS; k++) printf("%.17g ", answer[k]); '
        'printf("%d\\n", decided); }',
        f"int main(void) {{ {' '.join(calls)} return 0; }}",
    ]
    (folder / "main.c").write_text("\n".join(lines), encoding="utf-8")
    gcc(*STRICT, folder / "main.c", "-o", folder / "main", "-lm")
    given = b"".join(case.codes.astype(np.float32 if precision == "float" else np.float64).tobytes() for case in cases)
    (folder / "rows.bin").write_bytes(given)
    with (folder / "rows.bin").open("rb") as rows:
        said = subprocess.run([folder / "main"], stdin=rows, capture_output=True, text=True, check=True).stdout
    lines = said.splitlines()
    told = []
    for case in cases:
        mine, lines = lines[: len(case.rows)], lines[len(case.rows) :]
        told.append([[line.split()[:-1] for line in mine], [int(line.split()[-1]) for line in mine]])
    return told


def test_c_answers_as_the_model(cases: list[Case], gcc: Callable[..., str], tmp_path: Path) -> None:
    for case, (answers, places) in zip(cases, run_c(cases, gcc, tmp_path), strict=True):
        check(case, answers, case.labels and [case.tree.schema.answers[k] for k in places])


def test_c_in_float_sends_rows_of_floats_as_the_tree_does(gcc: Callable[..., str], tmp_path: Path) -> None:
    """Rows exactly on the thresholds as floats: the nearest float of a threshold would send half of them wrong."""
    rng, hard = np.random.default_rng(0), []
    for seed in range(1, 60, 3):
        case = random_case(seed)
        tree = case.tree.replace(threshold=case.tree.threshold + rng.normal(size=case.tree.n_nodes))
        codes = case.codes.astype(np.float32)
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0 and tree.schema.categories[feature] is None and math.isfinite(threshold):
                codes[rng.random(len(codes)) < 0.5, feature] = np.float32(threshold)
        levels = tree.schema.categories
        rows = [[None if math.isnan(x) else x if levels[f] is None else levels[f][int(x)] for f, x in enumerate(row)]
                for row in codes.tolist()]  # fmt: skip
        answers = tree.predict(codes.astype(np.float64))
        hard.append(Case(case.name, tree, rows, np.minimum(answers, 1) if case.labels else answers, case.labels))
    for case, (answers, _) in zip(hard, run_c(hard, gcc, tmp_path, "float"), strict=True):
        check(case, answers, tolerance=1e-6)


def test_c_in_float_agrees_with_learned_models(gcc: Callable[..., str], tmp_path: Path) -> None:
    floats = []
    for case in learned_cases():
        answers = case.tree.predict(case.codes.astype(np.float32).astype(np.float64))
        floats.append(Case(case.name, case.model, case.rows, answers, case.labels))
    for case, (answers, _) in zip(floats, run_c(floats, gcc, tmp_path, "float"), strict=True):
        check(case, answers, tolerance=1e-5)


@pytest.mark.parametrize("ratio", [1e2, 1e5])
def test_c_in_float_answers_where_means_are_far_larger_than_spreads(
    gcc: Callable[..., str], tmp_path: Path, ratio: float
) -> None:
    rng, asked = np.random.default_rng(0), []
    X = (rng.normal(size=(200, 3)) + ratio).astype(np.float32).astype(np.float64)
    y = X[:, 0] - ratio - (X[:, 1] - ratio) ** 2
    for model in (
        SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=3, weight_penalty=1e-3, random_state=0),
        SoftenedTreeRegressor(patience=3, n_splits=1, random_state=0),
    ):
        answers = model.fit(X, y).predict(X)[:, None]
        asked.append(Case(type(model).__name__, model, X.tolist(), answers, None))
    for case, (answers, _) in zip(asked, run_c(asked, gcc, tmp_path, "float"), strict=True):
        check(case, answers, tolerance=1e-6)


def test_c_codes_are_those_of_the_levels(gcc: Callable[..., str], tmp_path: Path) -> None:
    case = learned_cases()[0]
    schema = case.tree.schema
    (tmp_path / "model.h").write_text(to_c(case.model), encoding="utf-8")
    asks = []
    for at, levels in enumerate(schema.categories):
        for level in levels or ():
            octal = "".join(f"\\{byte:03o}" for byte in str(level).encode())
            asks.append(
                f'model_code({at}, "{octal}")' if isinstance(level, str) else f"model_code_of_number({at}, {level})"
            )
    asks += ['model_code(3, "Oz")', "model_code_of_number(4, 11)"]
    program = '#include <stdio.h>\n#include "model.h"\nint main(void) {' + "".join(
        f'printf("%g\\n", {ask});' for ask in asks
    )
    (tmp_path / "main.c").write_text(program + "return 0;}", encoding="utf-8")
    gcc(*STRICT, tmp_path / "main.c", "-o", tmp_path / "main", "-lm")
    said = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout.split()
    wanted = [code for levels in schema.categories for code in range(len(levels or ()))]
    assert list(map(float, said[:-2])) == wanted
    assert [abs(float(word)) != abs(float(word)) for word in said[-2:]] == [True, True]


@pytest.mark.parametrize(
    ("cell", "words"), [("old", "is a number, got 'old'"), (math.inf, "finite or missing, got inf")]
)
def test_python_refuses_what_the_model_refuses(cell: Any, words: str) -> None:
    module = load_python(learned_cases()[0].model)
    with pytest.raises(ValueError, match=words):
        module["predict"]([cell, 1.0, True, "Paris", 10, "S"])
    with pytest.raises(ValueError, match="has categories like '', got 3"):
        module["predict"]([1.0, 1.0, True, 3, 10, "S"])
    with pytest.raises(ValueError, match="a row must have 6 cells, one for each input, got 1"):
        module["predict"]([1.0])
    with pytest.raises(ValueError, match=r"the row has \['Age'\], which are not inputs"):
        module["predict"]({"Age": 3})


def test_javascript_refuses_what_the_model_refuses(node: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "model.mjs").write_text(to_javascript(learned_cases()[0].model), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(
        """
        import { predict } from "./model.mjs";
        const bad = [["old", 1, true, "Paris", 10, "S"], [Infinity, 1, true, "Paris", 10, "S"],
                     [1, 1, true, 3, 10, "S"], [1], { Age: 3 }];
        for (const row of bad) { try { predict(row); console.log("taken"); } catch (e) { console.log(e.message); } }
        """,
        encoding="utf-8",
    )
    said = node(tmp_path / "run.mjs")
    for words in (
        'is a number, got "old"',
        "finite or missing, got Infinity",
        "has categories like , got 3",
        "a row must have 6 cells, one for each input, got 1",
        "the row has Age, which are not inputs",
    ):
        assert words in said
    assert "taken" not in said


def test_rows_may_be_dicts() -> None:
    case = learned_cases()[0]
    module = load_python(case.model)
    names = case.tree.schema.features
    assert module["INPUTS"] == names
    for row in case.rows[:20]:
        told = {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
        assert module["predict"](told) == module["predict"](row)


def test_wrong_options_of_c_are_refused() -> None:
    model = learned_cases()[0].model
    with pytest.raises(ValueError, match="name must be a C name"):
        to_c(model, name="my model")
    with pytest.raises(ValueError, match="precision must be 'float' or 'double', got 'half'"):
        to_c(model, precision="half")
