"""Differences between databases: names, text, numbers, booleans and missing values in their SQL."""

from __future__ import annotations

from dataclasses import dataclass

from softwood.formats.program import EXACT_IN_DOUBLE, Cell, Label
from softwood.tree import Kind


@dataclass(frozen=True)
class Dialect:
    """One database's SQL.

    Attributes
    ----------
    quote : quotation mark of a name.
    backslash : whether a backslash in text begins an escape.
    double, text, integer, wide : its types, for CAST; `wide` is an integer of 64 bits.
    number : converts NaN to NULL; `{}` is the CAST of the column.
    is_number : a condition for being a number, if a CAST of text gives 0 instead of NULL.
    exact : suffix for a bytewise comparison of text.
    fence : suffix of a SELECT that must not be merged into the outer one, because a merged expression is computed for
        each use.
    exp_is_total : whether EXP of a large number is infinity instead of an error.
    """

    quote: str = '"'
    backslash: bool = False
    double: str = "DOUBLE PRECISION"
    text: str = "TEXT"
    integer: str = "INTEGER"
    wide: str = "BIGINT"
    number: str = "{}"
    is_number: str = ""
    exact: str = ""
    fence: str = ""
    exp_is_total: bool = False

    def name(self, name: str) -> str:
        """A name of a table's column."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def literal(self, label: Label) -> str:
        """A label: text, a number or a boolean."""
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        if isinstance(label, int):
            return str(label)
        return self.real(label) if isinstance(label, float) else self.quoted(label)

    def quoted(self, text: str) -> str:
        """Text."""
        if self.backslash:
            escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
            return f"'{escaped}'"
        return "'" + text.replace("'", "''") + "'"

    def real(self, value: float) -> str:
        """A number in double precision, with an exponent, because many databases read other numbers as decimals."""
        text = repr(float(value))
        return text if "e" in text else f"{text.removesuffix('.0')}e0"

    def cell(self, cell: Cell) -> str:
        """The value of a column, as a number or a level; NULL if missing or an unknown level."""
        column = self.name(cell.name)
        if not cell.kind.has_levels:
            whole = f"CAST({column} AS {self.integer})" if cell.kind == Kind.BOOLEAN else column
            value = self.number.format(f"CAST({whole} AS {self.double})")
            return f"CASE WHEN {self.is_number.format(column)} THEN {value} END" if self.is_number else value
        if not cell.levels:
            return "NULL"
        value = self.level_value(cell, column)
        known = ", ".join(self.level(cell, level) for level in cell.levels)
        are_texts = any(isinstance(level, str) for level in cell.levels)
        asked = f"{self.is_number.format(column)} AND " if self.is_number and not are_texts else ""
        return f"CASE WHEN {asked}{value} IN ({known}) THEN {value} END"

    def level_value(self, cell: Cell, column: str) -> str:
        """The column of a category in the type of its levels."""
        if any(isinstance(level, str) for level in cell.levels):
            return f"CAST({column} AS {self.text}){self.exact}"
        if has_wide_levels(cell):
            return f"CAST({column} AS {self.wide})"
        if all(isinstance(level, bool) for level in cell.levels):
            column = f"CAST({column} AS {self.integer})"
        return f"CAST({column} AS {self.double})"

    def level(self, cell: Cell, level: Label) -> str:
        """One level in that type."""
        if any(isinstance(other, str) for other in cell.levels):
            return self.quoted(str(level))
        return str(level) if has_wide_levels(cell) else self.real(float(level))


def has_wide_levels(cell: Cell) -> bool:
    """Whether levels are integers that are not distinct as doubles; they are then compared as 64-bit integers."""
    whole = [level for level in cell.levels if type(level) is int]
    return len(whole) == len(cell.levels) and any(abs(level) > EXACT_IN_DOUBLE for level in whole)


DIALECTS = {
    # A comparison converts text only if all of it is a number (CAST reads a prefix); other text is larger than every
    # number.
    "sqlite": Dialect(
        double="REAL", wide="INTEGER", exact=" COLLATE BINARY", fence="LIMIT -1", exp_is_total=True,
        is_number="CAST(9e999 AS REAL) >= {}",
    ),
    "duckdb": Dialect(double="DOUBLE", number="NULLIF({}, CAST('NaN' AS DOUBLE))", exp_is_total=True),
    "postgresql": Dialect(number="NULLIF({}, CAST('NaN' AS DOUBLE PRECISION))", fence="OFFSET 0"),
    "mysql": Dialect(
        quote="`", backslash=True, double="DOUBLE", text="CHAR", integer="SIGNED", wide="SIGNED",
        exact=" COLLATE utf8mb4_0900_bin", fence="LIMIT 18446744073709551615",
    ),
    "bigquery": Dialect(
        quote="`", backslash=True, double="FLOAT64", text="STRING", integer="INT64", wide="INT64",
        number="IF(IS_NAN({0}), NULL, {0})",
    ),
    "snowflake": Dialect(backslash=True, double="DOUBLE", number="NULLIF({}, CAST('NaN' AS DOUBLE))"),
}  # fmt: skip
