"""One SELECT gives the model's predictions in SQLite, DuckDB and a real PostgreSQL; other dialects are parsed."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softwood import CARTClassifier, CARTRegressor
from softwood.formats.dialects import DIALECTS
from softwood.formats.sql import to_sql
from softwood.tree import Kind
from tests.examples import IS_LONG
from tests.formats.exports.agree import check
from tests.formats.exports.cases import Case, learned_cases, random_case


def column_types(case: Case) -> list[str]:
    """The type of every input in a table."""
    return [
        "BOOLEAN" if one.kind == Kind.BOOLEAN else "DOUBLE PRECISION" if one.levels is None
        else "TEXT" if isinstance(one.levels[0], str) else "INTEGER"
        for one in case.tree.schema.inputs
    ]  # fmt: skip


def create(case: Case, quote: str = '"') -> str:
    names = [name.replace(quote, quote * 2) for name in case.tree.schema.features]
    columns = ", ".join(f"{quote}{name}{quote} {kind}" for name, kind in zip(names, column_types(case), strict=True))
    return f"CREATE TABLE asked (id INTEGER, {columns})"


def compare(case: Case, rows: Iterable[tuple[Any, ...]]) -> None:
    """Rows of (id, answers..., label), in any order."""
    told = sorted((int(row[0]), *row[1:]) for row in rows)
    assert [row[0] for row in told] == list(range(len(case.rows)))
    n = case.answers.shape[1]
    check(case, [row[1 : n + 1] for row in told])
    if case.labels is not None:
        texts = any(isinstance(label, str) for label in case.tree.schema.answers)
        wanted = [str(label) if texts else label for label in case.labels]
        assert [_like(row[-1], label) for row, label in zip(told, wanted, strict=True)] == wanted, case.name
    else:
        assert {len(row) for row in told} == {n + 1}


def _like(value: Any, label: Any) -> Any:
    """A database's value as the type of the label; text files have text."""
    if isinstance(label, bool):
        return value in ("t", True, 1)
    return type(label)(value)


def test_sqlite_answers_as_the_model(cases: list[Case]) -> None:
    for case in cases:
        with sqlite3.connect(":memory:") as database:
            database.execute(create(case))
            marks = ", ".join("?" * (1 + len(case.rows[0])))
            database.executemany(f"INSERT INTO asked VALUES ({marks})", [(i, *row) for i, row in enumerate(case.rows)])
            compare(case, database.execute(to_sql(case.model, dialect="sqlite", table="asked", keep=["id"])))


def test_duckdb_answers_as_the_model(cases: list[Case]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: its SQL is not tested.")
    database = duckdb.connect()
    for case in cases:
        database.execute(create(case).replace("CREATE", "CREATE OR REPLACE"))
        marks = ", ".join("?" * (1 + len(case.rows[0])))
        cells = [cell for i, row in enumerate(case.rows) for cell in (i, *row)]
        database.execute(f"INSERT INTO asked VALUES {', '.join([f'({marks})'] * len(case.rows))}", cells)
        query = to_sql(case.model, dialect="duckdb", table="asked", keep=["id"])
        compare(case, database.execute(query).fetchall())


def test_postgresql_answers_as_the_model(cases: list[Case], postgresql: Callable[[str], str]) -> None:
    script = []
    for case in cases:
        lines = "\n".join(_copied([i, *row]) for i, row in enumerate(case.rows))
        query = to_sql(case.model, dialect="postgresql", table="asked", keep=["id"])
        script.append(f"DROP TABLE IF EXISTS asked;\n{create(case)};\nCOPY asked FROM STDIN;\n{lines}\n\\.\n")
        script.append(f"COPY ({query}) TO STDOUT WITH (FORMAT csv);\n\\echo next\n")
    told = postgresql("SET client_min_messages = warning;\n" + "".join(script)).split("next\n")
    for case, text in zip(cases, told[:-1], strict=True):
        compare(case, [tuple(row) for row in csv.reader(io.StringIO(text))])


def _copied(row: list[Any]) -> str:
    escapes = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    texts = ("".join(escapes.get(char, char) for char in cell) if isinstance(cell, str) else cell for cell in row)
    return "\t".join("\\N" if cell is None else str(cell) for cell in texts)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_parsed_as_one_select(dialect: str, cases: list[Case]) -> None:
    sqlglot = pytest.importorskip(
        "sqlglot", reason="sqlglot is not installed: SQL of databases not here is not parsed."
    )
    known = {"postgresql": "postgres"}.get(dialect, dialect)
    at, step = (0, 1) if IS_LONG else (list(DIALECTS).index(dialect) % 3, 3)  # of learned models a third
    for case in [*cases[:13], *learned_cases()[at::step]]:
        text = to_sql(case.model, dialect=dialect, keep=["id"])
        (parsed,) = sqlglot.parse(text, dialect=known)
        assert isinstance(parsed, sqlglot.exp.Select)
        assert not list(parsed.find_all(sqlglot.exp.Command))
        strings = {each.this for each in parsed.find_all(sqlglot.exp.Literal) if each.is_string}
        assert not case.labels or not isinstance(case.labels[0], str) or set(case.labels) <= strings, (
            dialect,
            case.name,
        )


def test_nan_is_missing_where_a_database_has_it(postgresql: Callable[[str], str]) -> None:
    duckdb = pytest.importorskip("duckdb")
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    model = CARTRegressor(missing="category", prune=None, min_samples_leaf=1).fit(X, [1.0, 1.0, 1.0, 5.0, 5.0])
    assert model.predict([[np.nan]])[0] == 5.0
    rows = "(SELECT 0 AS id, CAST('NaN' AS DOUBLE PRECISION) AS x0 UNION ALL SELECT 1, NULL UNION ALL SELECT 2, 2.0) q"
    answers = duckdb.sql(to_sql(model, dialect="duckdb", table=rows, keep=["id"])).fetchall()
    assert sorted(answers) == [(0, 5.0), (1, 5.0), (2, 1.0)]
    query = to_sql(model, dialect="postgresql", table=rows, keep=["id"])
    assert sorted(postgresql(f"COPY ({query}) TO STDOUT;").split("\n")) == ["", "0\t5", "1\t5", "2\t1"]


def test_sqlite_compares_levels_by_their_case_whatever_the_column_says() -> None:
    model = CARTClassifier(categorical_features=[0], prune=None, min_samples_leaf=1)
    model.fit([["a"], ["A"], ["a"], ["A"]], [0, 1, 0, 1])
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE asked (x0 TEXT COLLATE NOCASE)")
        database.execute("INSERT INTO asked VALUES ('a'), ('A')")
        told = database.execute(to_sql(model, dialect="sqlite", table="asked", keep=["x0"])).fetchall()
    assert told == [("a", 1.0, 0.0, 0), ("A", 0.0, 1.0, 1)]


def test_a_deep_tree_fits_the_parser_of_sqlite() -> None:
    """Nested CASE is split into steps; in one step it would be about thirty deep."""
    X = 2.0 ** np.arange(64)[:, None]
    model = CARTRegressor(prune=None, min_samples_leaf=1).fit(X, 3.0 ** np.arange(64))
    assert model.get_depth() > 30
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE asked (x0 REAL)")
        database.executemany("INSERT INTO asked VALUES (?)", X.tolist())
        told = database.execute(to_sql(model, dialect="sqlite", table="asked")).fetchall()
    assert [answer for (answer,) in told] == model.predict(X).tolist()


@pytest.mark.parametrize("table", ["cells", "nodes0", "outputs", '"Cells"', "_cells", "(SELECT * FROM cells)"])
def test_a_table_may_be_called_as_a_step_of_the_query(table: str) -> None:
    X = np.arange(20.0)[:, None]
    model = CARTRegressor().fit(X, X[:, 0] > 7)
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE {'cells' if '(' in table else table} (x0 REAL)")
        database.execute(f"INSERT INTO {'cells' if '(' in table else table} VALUES (3), (9)")
        assert database.execute(to_sql(model, dialect="sqlite", table=table)).fetchall() == [(0.0,), (1.0,)]
    names = to_sql(model, table="people")
    assert "WITH cells AS" in names


def test_text_that_is_no_number_is_missing_in_sqlite() -> None:
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [0.0], [0.0]])
    model = CARTRegressor(missing="category", prune=None, min_samples_leaf=1).fit(X, [1.0, 1, 1, 5, 5, 9, 9])
    assert model.predict([[np.nan], [0.0], [2.5]]).tolist() == [5.0, 9.0, 1.0]
    missing = ["", "abc", "2abc", None, b"2"]
    asked = {**dict.fromkeys(missing, 5.0), "2.5": 1.0, " 2 ": 1.0, 2**62 + 1: 1.0, "0": 9.0, 0: 9.0}
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE asked (x0)")
        database.executemany("INSERT INTO asked VALUES (?)", [(each,) for each in asked])
        told = database.execute(to_sql(model, dialect="sqlite", table="asked", keep=["x0"])).fetchall()
    assert dict(told) == asked
    levels = CARTRegressor(categorical_features=[0], prune=None, min_samples_leaf=1, missing="category")
    levels.fit([[0.0], [1.0], [np.nan]] * 2, [1.0, 2.0, 3.0] * 2)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE asked (x0)")
        database.executemany("INSERT INTO asked VALUES (?)", [("",), ("abc",), (0,), (1,)])
        told = database.execute(to_sql(levels, dialect="sqlite", table="asked")).fetchall()
    assert told == [(3.0,), (3.0,), (1.0,), (2.0,)]


def test_wrong_options_are_refused() -> None:
    model = random_case(1).model
    with pytest.raises(ValueError, match=r"dialect must be one of 'sqlite', .*, got 'oracle'"):
        to_sql(model, dialect="oracle")
    with pytest.raises(ValueError, match=r"keep must be a list of columns, got the text 'id'; write \['id'\]"):
        to_sql(model, keep="id")
    with pytest.raises(ValueError, match=r"columns \['prediction'\] would occur twice in the result"):
        to_sql(model, keep=["prediction"])
    tree = random_case(1).tree
    with pytest.raises(ValueError, match=r"inputs \['_S3'\] have names of the query's own columns"):
        to_sql(tree.replace(schema=replace(tree.schema, features=("_S3", *tree.schema.features[1:]))))
    with pytest.raises(ValueError, match="different names, one for each answer, got"):
        to_sql(model, names=["a"] * 9)
