"""A tree as an ONNX model of plain operators (no tree ensembles, no custom domain), for any runtime."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood.formats.graph import Graph, add_link, add_output
from softwood.formats.program import (
    EXACT_IN_DOUBLE,
    EXACT_IN_INT64,
    Cell,
    Label,
    Program,
    make_program,
    refuse_wide,
)
from softwood.formats.tables import to_single

OPSET = 19  # the first version with comparison of text
IR_VERSION = 9
NAME = "softwood"
OUTPUTS = ("label", "probabilities", "prediction")


def to_onnx(model: Any, *, precision: str = "float") -> Any:
    """An `onnx.ModelProto`; needs the package onnx.

    Inputs: if all are numbers, one, `X` (rows, inputs); otherwise one per input with its name, (rows, 1): text for a
    category with text levels, else numbers. NaN and unknown levels are missing. Outputs: for classes `label` (rows,)
    and `probabilities` (rows, classes), for regression `prediction` (rows, targets).

    Parameters
    ----------
    model : a `Tree`, a fitted estimator, or a search over one.
    precision : "float" or "double", of inputs and outputs. Linear sums and soft thresholds are always computed in
        double, because floats lose the digits of differences; a tree without them uses floats only and sends rows of
        floats as the model does.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softwood import CARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> to_onnx(CARTClassifier().fit(X, y)).graph.output[0].name
    'label'
    """
    if precision not in ("float", "double"):
        raise ValueError(f"precision must be 'float' or 'double', got {precision!r}.")
    program = make_program(model, "to_onnx")
    dtype: type[np.floating[Any]] = np.float32 if precision == "float" else np.float64
    inside = np.float64 if program.has_differences else dtype
    graph = Graph(inside)
    program = to_single(program) if inside == np.float32 else program
    inputs, table, rows = _add_inputs(graph, program, np.dtype(dtype))
    answers = add_link(graph, program, add_output(graph, program, table, rows))
    outputs: dict[str, tuple[Any, list[Any]]] = {}
    if program.is_classifier:
        labels = _labels(program.answers, dtype)
        outputs["label"] = (labels.dtype, ["rows"])
        outputs["probabilities"] = (np.dtype(dtype), ["rows", len(program.answers)])
        _add_label(graph, program, answers, labels)
    else:
        outputs["prediction"] = (np.dtype(dtype), ["rows", len(program.answers)])
    graph.op("Cast", answers, output="probabilities" if program.is_classifier else "prediction", to=np.dtype(dtype))
    return _make_model(graph, program, inputs, outputs)


Shapes = dict[str, tuple[Any, list[Any]]]


def _add_inputs(graph: Graph, program: Program, dtype: np.dtype[Any]) -> tuple[Shapes, str, str]:
    """The inputs with their types and shapes, the table of the used ones, and one of them."""
    used = program.used
    if not any(cell.kind.has_levels for cell in program.cells):
        table = graph.pick("X", used) if used and len(used) < len(program.cells) else "X"
        return {"X": (dtype, ["rows", len(program.cells)])}, _inside(graph, table, dtype), "X"
    _refuse_names([cell.name for cell in program.cells])
    inputs: Shapes = {cell.name: (_type(cell, dtype), ["rows", 1]) for cell in program.cells}
    columns = [_add_codes(graph, program.cells[at], dtype) for at in used]
    return inputs, graph.join(columns) if columns else "", program.cells[0].name


def _refuse_names(names: Sequence[str]) -> None:
    """Refuse empty names of inputs, and those of outputs and intermediate values."""
    if "" in names:
        raise ValueError(
            f"input {names.index('')} has an empty name, which ONNX does not allow; fit with a name for the column."
        )
    taken = sorted(name for name in names if name in OUTPUTS or name.startswith(f"{NAME}/"))
    if taken:
        raise ValueError(f"inputs {taken!r} have names of outputs of the ONNX model; fit with other names.")


def _type(cell: Cell, dtype: npt.DTypeLike) -> Any:
    return np.dtype(object) if any(isinstance(level, str) for level in cell.levels) else dtype


def _inside(graph: Graph, table: str, dtype: np.dtype[Any]) -> str:
    """Inputs in the precision that the graph computes in."""
    return table if dtype == graph.dtype else graph.op("Cast", table, to=np.dtype(graph.dtype))


def _add_codes(graph: Graph, cell: Cell, dtype: np.dtype[Any]) -> str:
    """The encoded column of an input: for a category the codes of its levels."""
    if not cell.kind.has_levels:
        return _inside(graph, cell.name, dtype)
    levels = _levels(cell, dtype)
    if not len(levels):
        return graph.op("Mul", _inside(graph, cell.name, dtype), graph.real(np.nan))
    same = graph.number(graph.op("Equal", cell.name, graph.constant(levels[None, :])))
    code = graph.op("MatMul", same, graph.real(np.arange(len(levels))[:, None]))
    known = graph.op("Greater", graph.op("MatMul", same, graph.real(np.ones((len(levels), 1)))), graph.real(0.5))
    return graph.op("Where", known, code, graph.real(np.nan))


def _levels(cell: Cell, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if any(isinstance(level, str) for level in cell.levels):
        return np.array([str(level) for level in cell.levels], object)
    refuse_wide(cell.levels, f"input {cell.name!r} has the level", "ONNX, whose inputs are doubles,", EXACT_IN_DOUBLE)
    levels = np.array([float(level) for level in cell.levels], dtype)
    if len(set(levels.tolist())) < len(levels):
        raise ValueError(f"levels of {cell.name!r} are equal as floats; export in double precision.")
    return levels


def _labels(labels: tuple[Label, ...], dtype: type[np.floating[Any]]) -> npt.NDArray[Any]:
    """Labels of one type: text if they are mixed."""
    kinds = {type(label) for label in labels}
    if kinds == {bool}:
        return np.array(labels, np.bool_)
    if kinds == {int}:
        refuse_wide(labels, "the answer has the label", "ONNX, which has int64,", EXACT_IN_INT64)
        return np.array(labels, np.int64)
    if kinds <= {int, float}:
        refuse_wide(labels, "the answer has the label", "ONNX, where labels are doubles,", EXACT_IN_DOUBLE)
        single = np.array(labels, np.float32).astype(np.float64).tolist() == [float(label) for label in labels]
        return np.array(labels, dtype if single else np.float64)
    return np.array([str(label) for label in labels], object)


def _add_label(graph: Graph, program: Program, answers: str, labels: npt.NDArray[Any]) -> None:
    if program.costs is None:
        best = graph.op("ArgMax", answers, axis=1, keepdims=0)
    else:
        expected = graph.op("MatMul", answers, graph.real(program.costs))
        best = graph.op("ArgMin", expected, axis=1, keepdims=0)
    graph.op("Gather", graph.constant(labels), best, output="label", axis=0)


def _make_model(graph: Graph, program: Program, inputs: Shapes, outputs: Shapes) -> Any:
    try:  # by name, so that type checks do not depend on onnx
        checker, helper, numpy_helper = (
            import_module(f"onnx.{name}") for name in ("checker", "helper", "numpy_helper")
        )
    except ImportError as problem:
        raise ImportError(f"ONNX needs the package onnx ({problem}): pip install 'softwood[onnx]'") from problem

    def element(dtype: Any) -> int:
        return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    nodes = [
        helper.make_node(
            each.kind,
            each.inputs,
            [each.output],
            **{name: element(value) if name == "to" else value for name, value in each.attributes.items()},
        )
        for each in graph.operators
    ]
    infos = [
        [helper.make_tensor_value_info(name, element(dtype), shape) for name, (dtype, shape) in told.items()]
        for told in (inputs, outputs)
    ]
    constants = [numpy_helper.from_array(values, name) for name, values in graph.constants.items()]
    made = helper.make_graph(nodes, NAME, *infos, initializer=constants, doc_string=program.title)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name=NAME)
    model.ir_version = IR_VERSION
    checker.check_model(model, full_check=True)
    return model
