"""Loss and gradient of a soft tree on a GPU: the fused kernel against PyTorch's operators and torch.compile, in one
run.

    python -m bench.gpu [--rows 4194304] [--json figures.json]

Times are medians of CUDA events around one pass with rows and parameters on the device; `copy` is the bandwidth of the
card's memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from softwood import SoftTreeClassifier
from softwood.engines.torch import TorchEngine, fused, operators
from softwood.engines.torch.rows import DeviceRows
from softwood.kernels import make_shape
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.contracts.soft import Shape
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.params.tree_kinds import ADDITIVE
from softwood.torch import SoftTree

DEPTH, INPUTS = 4, 16
WARM_UP, REPEATS, QUEUED = 5, 20, 20


def time_ms(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Median milliseconds of one pass, with QUEUED passes in the device's queue, so that launches do not count."""
    for _ in range(WARM_UP):
        work()
    spans = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        for _ in range(QUEUED):
            work()
        end.record()
        end.synchronize()
        spans.append(float(begin.elapsed_time(end)) / QUEUED)
    return statistics.median(spans)


def wait_ms(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Median milliseconds until the result of one pass is back, as in a learner."""
    for _ in range(WARM_UP):
        work()
    spans = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        spans.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(spans)


def make_engine(
    rows: int, spec: BasisSpec, inputs: int = INPUTS, loss: Loss = Loss.LOGISTIC
) -> tuple[TorchEngine, Expansion]:
    """Random rows on the device; columns as the learner would make them of a sample."""
    rng = np.random.default_rng(0)
    sample = rng.normal(size=(20_000, inputs))
    expansion = expansion_of(build_design(sample, [0] * inputs, np.ones(len(sample)), spec), inputs)
    generator = torch.Generator("cuda").manual_seed(0)
    x = torch.randn((inputs, rows), generator=generator, device="cuda")
    kind = torch.uint8 if len(expansion.knot) else None
    segment = None if kind is None else torch.empty((inputs, rows), dtype=kind, device="cuda")
    for f in range(inputs):
        begin, end = expansion.knot_begin[f], expansion.knot_begin[f + 1]
        knot, origin, width = (
            torch.tensor(part[begin + shift : end + shift + more], device="cuda")
            for part, shift, more in ((expansion.knot, 0, 0), (expansion.origin, f, 1), (expansion.width, f, 1))
        )
        at = torch.searchsorted(knot, x[f].double())
        x[f] = ((x[f] - origin[at]) / width[at]).float()
        if segment is not None:
            segment[f] = at.to(torch.uint8)
    target = (torch.rand((1, rows), generator=generator, device="cuda") < 0.5).float()
    given = DeviceRows(x, segment, target, torch.ones(rows, device="cuda"), loss, rows, float(rows))
    return TorchEngine(given, expansion), expansion


def full_shape(columns: int, depth: int = DEPTH) -> Shape:
    gates = 2**depth - 1
    first = np.where(np.arange(2 * gates + 1) < gates, 2 * np.arange(2 * gates + 1) + 1, -1).astype(np.int32)
    return make_shape(first, np.full(gates + 1, -1, np.int32), 0, columns, 1)


def plain_loss(x: Any, weight: Any, bias: Any, response: Any, target: Any) -> Any:
    """Plain PyTorch: level by level, with autograd for the gradient; x is (rows, inputs)."""
    share = torch.sigmoid(x @ weight.T + bias)
    reach = torch.ones_like(share[:, :1])
    for level in range(DEPTH):
        part = share[:, 2**level - 1 : 2 ** (level + 1) - 1]
        reach = torch.stack([reach * part, reach * (1 - part)], dim=2).flatten(1)
    output = reach @ response
    return (torch.nn.functional.softplus(output) - target * output).mean()


def peers(engine: TorchEngine) -> dict[str, float]:
    """Milliseconds of eager PyTorch and of torch.compile, same tree, inputs as given."""
    x, target = engine.rows.place.T.contiguous(), engine.rows.target[0].contiguous()
    gates = 2**DEPTH - 1
    parameters = [
        torch.randn(shape, device="cuda", requires_grad=True) for shape in ((gates, len(x.T)), (gates,), (gates + 1,))
    ]

    def work(loss: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: torch.autograd.grad(loss(x, *parameters, target), parameters)

    return {"eager": time_ms(work(plain_loss), 10), "torch.compile": time_ms(work(torch.compile(plain_loss)))}


def fused_ms(engine: TorchEngine, expansion: Expansion, gradient: bool = True) -> float:
    """Milliseconds of the kernel and of the reduction."""
    shape = full_shape(expansion.n_columns)
    layout = fused.lay_out(shape)
    assert layout is not None
    one = engine.fused
    assert one is not None
    parameters = np.random.default_rng(1).normal(size=shape.parameters) * 0.5
    packed = torch.from_numpy(fused.pack(layout, parameters, one.columns)).cuda()
    return time_ms(lambda: one.launch(layout, packed, gradient).sum(dim=0))


def called_ms(engine: TorchEngine, expansion: Expansion) -> float:
    """Milliseconds of `engine.gradient`, parameters from the CPU and sums back to it included."""
    shape = full_shape(expansion.n_columns)
    parameters = np.random.default_rng(1).normal(size=shape.parameters) * 0.5
    return wait_ms(lambda: engine.gradient(shape, parameters))


def error_of(engine: TorchEngine, expansion: Expansion) -> float:
    """Largest difference of the fused gradient from operators in float64, relative to the largest entry."""
    shape = full_shape(expansion.n_columns)
    parameters = np.random.default_rng(1).normal(size=shape.parameters) * 0.5
    rows = engine.rows
    exact = DeviceRows(
        rows.place.double(),
        rows.segment,
        rows.target.double(),
        rows.weight.double(),
        rows.loss,
        rows.n_rows,
        rows.total_weight,
    )
    tree = operators.DeviceTree.of(shape, parameters, exact.weight)
    loss, gradient = operators.loss_and_gradient(exact, operators.Columns(expansion, exact), tree)
    (found_loss, found), again = (engine.gradient(shape, parameters) for _ in range(2))
    loss, gradient = loss / rows.n_rows, gradient / rows.n_rows
    if found_loss != again[0] or not np.array_equal(found, again[1]):
        raise SystemExit("two passes over the same rows differ")
    return max(abs(found_loss / loss - 1.0), float(np.abs(found - gradient).max() / np.abs(gradient).max()))


def predict_figures(rows: int) -> dict[str, float]:
    """Predictions of `softwood.torch.SoftTree` on the device with its kernel, and with torch.compile instead."""
    module, x = SoftTree(INPUTS, 1, DEPTH).cuda(), torch.randn((rows, INPUTS), device="cuda")
    quick = torch.compile(module)
    with torch.no_grad():
        spans = {"predict ms": time_ms(lambda: module(x)), "predict by torch.compile ms": time_ms(lambda: quick(x))}
    return spans | {"predict TB/s": 4 * (INPUTS + 1) * rows / spans["predict ms"] * 1e-9}


def fit_seconds(rows: int, n_jobs: int) -> dict[str, float]:
    """A default fit of rows of HIGGS's shape (28 inputs, two classes) and of the same again, kernels compiled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 28))
    X[:, 21:] = np.exp(0.5 * X[:, 21:])
    score = np.tanh(X[:, 0] + 0.5 * X[:, 1]) * 1.2 + np.sin(1.5 * X[:, 2]) * X[:, 3] + 0.8 * np.log(X[:, 25])
    score += 0.5 * X[:, 4] * X[:, 5] - 0.6 * (X[:, 26] > 1.5)
    y = rng.random(rows) < 1.0 / (1.0 + np.exp(-score))
    spans = []
    for _ in range(2):
        begin = time.perf_counter()
        SoftTreeClassifier(device="cuda", n_jobs=n_jobs).fit(X, y)
        spans.append(time.perf_counter() - begin)
    return {"fit rows": rows, "fit s": spans[0], "fit again s": spans[1]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1 << 22)
    parser.add_argument("--fit", type=int, default=0, help="rows of a whole fit, such as 11000000")
    parser.add_argument("--jobs", type=int, default=-1, help="threads of the fit")
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    big = torch.empty(1 << 28, device="cuda")
    other = torch.empty_like(big)
    copy = time_ms(partial(other.copy_, big))
    figures: dict[str, Any] = {
        "card": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "rows": given.rows,
        "copy TB/s": 2 * big.numel() * 4 / copy * 1e-9,
    }
    del big, other
    for name, spec in (("linear", BasisSpec()), ("curves", ADDITIVE)):
        engine, expansion = make_engine(given.rows, spec)
        figures[name] = {
            "columns": expansion.n_columns,
            "fused ms": fused_ms(engine, expansion),
            "fused loss alone ms": fused_ms(engine, expansion, gradient=False),
            "gradient called ms": called_ms(engine, expansion),
            "error": error_of(engine, expansion),
        }
        if name == "linear":
            figures[name] |= {f"{peer} ms": ms for peer, ms in peers(engine).items()}
        print(json.dumps({name: figures[name]}), flush=True)
    figures["predict"] = predict_figures(given.rows)
    if given.fit:
        figures["fit"] = fit_seconds(given.fit, given.jobs)
    print(json.dumps(figures, indent=1))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
