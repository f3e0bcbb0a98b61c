"""Learners compute with kernels/arithmetic, because results of other libraries may differ between machines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import softwood

SOURCES = Path(softwood.__file__).parent
PACKAGES = ("learners", "parts", "engines", "kernels", "tree")
EXCEPT = {
    "kernels/arithmetic/reference.py": "the one place that names them",
    "kernels/reference": "NumPy's kernels",
    "engines/torch": "PyTorch's, on a GPU",
    "tree/wording.py": "printed with few digits",
    "tree/spelling.py": "printed with few digits",
}
OF_MATH = {
    "exp",
    "log",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "pow",
    "cos",
    "sin",
    "tan",
    "tanh",
    "sinh",
    "cosh",
    "cbrt",
    "erf",
}
PRODUCTS = {"einsum", "dot", "vdot", "inner", "matmul", "tensordot", "cov", "corrcoef", "polyfit", "convolve", "linalg"}
FUNCTIONS = OF_MATH | PRODUCTS | {"exp2", "logaddexp", "power", "float_power", "interp", "geomspace", "logspace"}
SCIPY = {"linalg", "special", "optimize", "stats"}


def found_in(text: str) -> Iterator[str]:
    """Line and name of every operation that a library would do."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield f"{node.lineno}: @"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = {"np": FUNCTIONS, "math": OF_MATH}.get(node.value.id, set())
            if node.attr in names:
                yield f"{node.lineno}: {node.value.id}.{node.attr}"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scipy"):
            parts = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
            yield from (f"{node.lineno}: scipy.{part}" for part in sorted(parts & SCIPY))


def test_it_finds_what_it_looks_for() -> None:
    text = "from scipy.linalg import eigh\nfrom scipy import sparse\ny = a @ b\nz = np.exp(y) + np.sum(y) + math.log(2)"
    assert sorted(found_in(text)) == ["1: scipy.linalg", "3: @", "4: math.log", "4: np.exp"]


def test_learners_leave_no_arithmetic_to_libraries() -> None:
    files = [file for package in PACKAGES for file in sorted((SOURCES / package).rglob("*.py"))]
    found = [
        f"{name}:{what}"
        for file in files
        if not any((name := file.relative_to(SOURCES).as_posix()).startswith(other) for other in EXCEPT)
        for what in found_in(file.read_text(encoding="utf-8"))
    ]
    assert len(files) > 100
    assert found == []
