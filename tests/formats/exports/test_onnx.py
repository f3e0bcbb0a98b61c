"""onnxruntime gives the same predictions as the model, in double and in float."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softwood import (
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    Schema,
    SoftenedTreeRegressor,
    SoftTreeRegressor,
    Tree,
    export,
)
from softwood.formats.onnx import OPSET, to_onnx
from softwood.kernels.kinds import Score, Squash
from tests.formats.exports.agree import check
from tests.formats.exports.cases import Case, learned_cases, random_case

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: ONNX models are not run.")
pytest.importorskip("onnx", reason="onnx is not installed: ONNX models are not written.")


def run(case: Case, precision: str) -> dict[str, Any]:
    model = to_onnx(case.model, precision=precision)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    told = session.run(None, feed(case, [each.name for each in session.get_inputs()], precision))
    return dict(zip([each.name for each in session.get_outputs()], told, strict=True))


def feed(case: Case, names: list[str], precision: str) -> dict[str, Any]:
    dtype = np.float32 if precision == "float" else np.float64
    if names == ["X"]:
        return {"X": case.codes.astype(dtype)}
    inputs = {}
    for at, one in enumerate(case.tree.schema.inputs):
        cells = [row[at] for row in case.rows]
        if one.levels is not None and isinstance(one.levels[0], str):
            inputs[one.name] = np.array([["no such level" if cell is None else cell] for cell in cells], object)
        else:
            inputs[one.name] = np.array([[np.nan if cell is None else cell] for cell in cells], dtype)
    assert list(inputs) == names
    return inputs


def test_double_answers_as_the_model(cases: list[Case]) -> None:
    for case in cases:
        told = run(case, "double")
        if case.labels is None:
            check(case, told["prediction"])
            continue
        texts = any(isinstance(label, str) for label in case.tree.schema.answers)
        labels = [str(label) if texts else label for label in case.labels]
        assert told["label"].tolist() == labels
        check(case, told["probabilities"])


def test_float_answers_rows_of_floats_as_the_model(cases: list[Case]) -> None:
    for case in cases:
        with np.errstate(over="ignore"):
            codes = case.codes.astype(np.float32).astype(np.float64)
        if np.isinf(codes).any():  # what no float holds
            continue
        answers = case.tree.predict(codes)
        answers = answers if case.labels is None else np.minimum(answers, 1.0)
        told = run(case, "float")
        got = told["prediction" if case.labels is None else "probabilities"]
        assert got.dtype == np.float32
        check(replace(case, answers=answers), got, tolerance=1e-5)


@pytest.mark.parametrize("ratio", [1e2, 1e3, 1e5])
def test_float_answers_where_means_are_far_larger_than_spreads(ratio: float) -> None:
    """Sums and soft thresholds of floats would be off by 0.05 and more."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(150, 3)) + ratio).astype(np.float32).astype(np.float64)
    z = X - ratio
    target, classes = z[:, 0] - z[:, 1] ** 2, z[:, 0] + z[:, 1] > 0
    for model, y in (
        (SoftTreeRegressor(gate="linear", leaf="linear", max_leaves=3, weight_penalty=1e-3, random_state=0), target),
        (SoftenedTreeRegressor(patience=3, n_splits=1, random_state=0), target),
        (LinearDiscriminantTreeClassifier(random_state=0), classes),
    ):
        model.fit(X, y)
        session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
        told = session.run(None, {"X": X.astype(np.float32)})
        assert told[-1].dtype == np.float32
        answers = model.predict_proba(X) if len(told) == 2 else model.predict(X)[:, None]
        np.testing.assert_allclose(told[-1], answers, rtol=1e-6, atol=1e-6)
        assert len(told) == 1 or told[0].tolist() == model.predict(X).tolist()


def test_a_float_beside_a_soft_threshold_is_on_its_side() -> None:
    """The nearest float of the threshold would be the row itself, which would then get a share of one half."""
    row, threshold = np.float32(2000.1), float(np.float32(2000.1)) + 1e-6
    tree = Tree(
        response=[[0.5], [1.0], [0.0]], schema=Schema.plain(1, 1), first_child=[1, -1, -1], n_children=[2, 0, 0],
        score=[Score.THRESHOLD, 0, 0], squash=[Squash.RAMP, 0, 0], feature=[0, -1, -1],
        threshold=[threshold, np.nan, np.nan], softness=[[1e-9, 1e-9], [0, 0], [0, 0]],
    )  # fmt: skip
    session = onnxruntime.InferenceSession(to_onnx(tree).SerializeToString())
    assert tree.predict([[float(row)]]).item() == 1.0
    assert session.run(None, {"X": np.array([[row]])})[0].item() == 1.0


def test_hard_trees_stay_in_float() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    made = to_onnx(CARTClassifier(random_state=0).fit(X, X[:, 1] > 0))
    assert {each.data_type for each in made.graph.initializer} & {11} == set()  # no double


def test_operators_are_plain_and_the_opset_is_the_stated_one(cases: list[Case]) -> None:
    for case in cases[:40]:
        model = to_onnx(case.model)
        assert [(each.domain, each.version) for each in model.opset_import] == [("", OPSET)]
        assert {node.domain for node in model.graph.node} == {""}
        read = {name for node in model.graph.node for name in node.input}
        assert {each.name for each in model.graph.initializer} <= read


def test_numbers_alone_are_one_table() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = CARTClassifier(random_state=0).fit(X, X[:, 1] > 0)
    session = onnxruntime.InferenceSession(export(model, to="onnx", precision="double").SerializeToString())
    assert [(each.name, each.shape) for each in session.get_inputs()] == [("X", ["rows", 3])]
    label, probabilities = session.run(None, {"X": X})
    assert label.dtype == np.bool_
    assert label.tolist() == model.predict(X).tolist()
    assert np.array_equal(probabilities, model.predict_proba(X))
    assert [len(told) for told in session.run(None, {"X": X[:0]})] == [0, 0]


def test_what_cannot_be_said_is_refused() -> None:
    tree = random_case(1).tree
    with pytest.raises(ValueError, match="precision must be 'float' or 'double', got 'half'"):
        to_onnx(tree, precision="half")
    with pytest.raises(ValueError, match=r"inputs \['label'\] have names of outputs"):
        to_onnx(tree.replace(schema=replace(tree.schema, features=("label", *tree.schema.features[1:]))))
    with pytest.raises(ValueError, match=r"inputs \['softwood/x'\] have names of outputs"):
        to_onnx(tree.replace(schema=replace(tree.schema, features=("softwood/x", *tree.schema.features[1:]))))
    with pytest.raises(ValueError, match="input 1 has an empty name, which ONNX does not allow; fit with a name"):
        to_onnx(tree.replace(schema=replace(tree.schema, features=(tree.schema.features[0], "", "a", "b", "c", "d"))))
    with pytest.raises(ValueError, match=r"1e\+300 does not fit in a float; export in double precision"):
        to_onnx(tree.replace(response=tree.response * 0 + 1e300))
    schema = learned_cases()[0].tree.schema
    near = (*schema.categories[:4], (2**24, 2**24 + 1, 5), schema.categories[5])
    with pytest.raises(ValueError, match="levels of 'code' are equal as floats; export in double"):
        to_onnx(learned_cases()[2].tree.replace(schema=replace(schema, categories=near, summaries=())))


def test_without_onnx_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("onnx", "onnx.checker"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"ONNX needs the package onnx .*: pip install 'softwood\[onnx\]'"):
        to_onnx(random_case(1).tree)
