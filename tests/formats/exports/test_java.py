"""Java gives the same predictions as the model, for trees of every kind and a user's rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote_plus

import numpy as np
import pytest

from softwood import CARTRegressor, Tree
from softwood.formats.java import to_java
from tests.formats.exports.agree import check
from tests.formats.exports.cases import Case, learned_cases, names_of
from tests.formats.exports.conftest import AWKWARD, tool

BRIEF = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # for a run of a second: no second compiler

READ = """
    static Object cell(String text) throws Exception {
        String value = java.net.URLDecoder.decode(text.substring(1), "UTF-8");
        switch (text.charAt(0)) {
            case 's': return value;
            case 'b': return value.equals("True");
            case 'i': return Long.valueOf(value);
            case 'd': return Double.valueOf(value);
            default: return null;
        }
    }

    static Object[] row(String line) throws Exception {
        String[] texts = line.split(" ");
        Object[] cells = new Object[texts.length];
        for (int i = 0; i < cells.length; i++) cells[i] = cell(texts[i]);
        return cells;
    }

    static String say(Object value) throws Exception {
        return java.net.URLEncoder.encode(value.toString(), "UTF-8");
    }
"""


@pytest.fixture(scope="session")
def run_java() -> Callable[..., list[str]]:
    """Compile classes by name with a main method, run it on lines of rows; the lines it prints."""
    compile_classes, java = tool("javac", "default-jdk-headless"), tool("java", "default-jdk-headless")

    def run(folder: Path, classes: dict[str, str], main: str, lines: list[str]) -> list[str]:
        head = "import java.io.*; import java.util.*;\npublic class Main {\n" + READ
        body = f"public static void main(String[] args) throws Exception {{\n{main}\n}}\n}}\n"
        for name, text in {**classes, "Main": head + body}.items():
            (folder / f"{name}.java").write_text(text, encoding="utf-8")
        compile_classes(
            *(f"-J{option}" for option in BRIEF), "-Xlint:all", "-Werror", "-d", folder, *folder.glob("*.java")
        )
        return java(*BRIEF, "-cp", folder, "Main", text="\n".join(lines)).splitlines()

    return run


def spell(cell: Any) -> str:
    kinds = {str: "s", bool: "b", int: "i", float: "d"}
    return (
        "n"
        if cell is None
        else kinds[type(cell)]
        + quote(str(cell).replace("inf", "Infinity") if cell == float("inf") else str(cell), safe="")
    )


def test_java_answers_as_the_model(cases: list[Case], run_java: Callable[..., list[str]], tmp_path: Path) -> None:
    classes: dict[str, str] = {}
    calls = ["BufferedReader rows = new BufferedReader(new InputStreamReader(System.in));"]
    for name, case in zip(names_of(cases), cases, strict=True):
        classes[name] = classes.get(name) or to_java(case.model, name=name)
        ask, label = ("predictProba", f"say({name}.predict(row))") if case.labels else ("predict", '""')
        calls.append(f"for (int i = 0; i < {len(case.rows)}; i++) {{ Object[] row = row(rows.readLine()); "
                     f'System.out.println(Arrays.toString({name}.{ask}(row)) + " " + {label}); }}')  # fmt: skip
    lines = [" ".join(map(spell, row)) for case in cases for row in case.rows]
    said = run_java(tmp_path, classes, "\n".join(calls), lines)
    for case in cases:
        mine, said = said[: len(case.rows)], said[len(case.rows) :]
        check(case, [[float(word.strip("[],")) for word in line.split()[: case.answers.shape[1]]] for line in mine])
        if case.labels is not None:
            told = [unquote_plus(line.rsplit(" ", 1)[1]) for line in mine]
            assert [_as(text, label) for text, label in zip(told, case.labels, strict=True)] == case.labels, case.name


def _as(text: str, label: Any) -> Any:
    return text == "true" if isinstance(label, bool) else type(label)(text)


def test_names_are_data_and_rows_may_be_maps(awkward: Tree, run_java: Callable[..., list[str]], tmp_path: Path) -> None:
    main = "for (String each : Model.INPUTS) System.out.println(say(Model.predict(Map.of(Model.INPUTS.get(0), each))));"
    said = run_java(tmp_path, {"Model": to_java(awkward)}, main, [])
    assert list(map(unquote_plus, said)) == [AWKWARD[1], AWKWARD[0]] * 4


def test_java_refuses_what_the_model_refuses(run_java: Callable[..., list[str]], tmp_path: Path) -> None:
    bad = [["old", 1.0, True, "Paris", 10, "S"], [float("inf"), 1.0, True, "Paris", 10, "S"],
           [1.0, 1.0, True, 3, 10, "S"], [1.0]]  # fmt: skip
    main = """
        BufferedReader rows = new BufferedReader(new InputStreamReader(System.in));
        for (String line = rows.readLine(); line != null; line = rows.readLine()) {
            try { Model.predict(row(line)); System.out.println("taken"); }
            catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        }
        try { Model.predict(Map.of("Age", 3)); System.out.println("taken"); }
        catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
    """
    text = to_java(learned_cases()[0].model)
    said = run_java(tmp_path, {"Model": text}, main, [" ".join(map(spell, row)) for row in bad])
    wanted = ["is a number, got old", "finite or missing, got Infinity", "has categories like , got 3",
              "a row must have 6 cells, one for each input, got 1",
              "the row has Age, which is not an input"]  # fmt: skip
    assert len(said) == len(wanted)
    for line, words in zip(said, wanted, strict=True):
        assert words in line


def test_a_large_tree_is_compiled(run_java: Callable[..., list[str]], tmp_path: Path) -> None:
    """Tables too large for the code of a class: a method has at most 64 kilobytes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 1))
    model = CARTRegressor(prune=None, min_samples_leaf=1).fit(X, rng.normal(size=9000))
    assert model.tree_.n_nodes > 15_000
    main = """
        BufferedReader rows = new BufferedReader(new InputStreamReader(System.in));
        for (String line = rows.readLine(); line != null; line = rows.readLine())
            System.out.println(Model.predict(row(line))[0]);
    """
    asked = X[:300].tolist()
    said = run_java(tmp_path, {"Model": to_java(model)}, main, [" ".join(map(spell, row)) for row in asked])
    assert list(map(float, said)) == model.predict(asked).tolist()


def test_wrong_options_are_refused() -> None:
    model = learned_cases()[0].model
    for name in ("my model", "class", "2x"):
        with pytest.raises(ValueError, match=f"name must be a name of Java, got '{name}'"):
            to_java(model, name=name)
    with pytest.raises(ValueError, match=r"package must be a name of Java, got 'org\.new'"):
        to_java(model, package="org.new")
