"""Rows on a device of PyTorch: a GPU, or the CPU through torch's operators (extra `torch`).

    engine = from_inputs(X, expansion, target, weight, loss, device="cuda")

Loss, gradient and mean reach are those of rows in memory to the rounding of the rows' type: float32 rows, sums in
float64, in a fixed order. On a CUDA device a fused Triton kernel computes loss and gradient in one pass over the rows
(fused.py); unsupported trees, and other devices, use torch's operators (operators.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats
from softwood.engines import Shape, SumEngine
from softwood.kernels.contracts.expansion import Expansion
from softwood.kernels.kinds import Loss

try:
    import torch
except ImportError as lacking:
    raise ImportError("engine='torch' needs PyTorch: pip install 'softwood[torch]'.") from lacking

from softwood.engines.torch import operators
from softwood.engines.torch.fused import lay_out, make_fused
from softwood.engines.torch.rows import DeviceRows, load_rows

__all__ = ["TorchEngine", "find_device", "from_inputs"]


class TorchEngine(SumEngine):
    """Sums over rows on a device.

    fused : the fused kernel if there is one for these rows, else None.
    """

    def __init__(self, rows: DeviceRows, expansion: Expansion) -> None:
        self.rows, self.columns = rows, operators.Columns(expansion, rows)
        self.fused = make_fused(rows, expansion)

    @property
    def total_weight(self) -> float:
        return float(self.rows.total_weight)

    def loss(self, shape: Shape, parameters: Floats) -> float:
        return self._pass(shape, parameters, False)[0]

    def gradient(self, shape: Shape, parameters: Floats) -> tuple[float, Floats]:
        return self._pass(shape, parameters, True)

    def mean_reach(self, shape: Shape, parameters: Floats) -> Floats:
        with torch.no_grad():
            found = operators.mean_reach(self.rows, self.columns, self._tree(shape, parameters))
        return np.asarray(found / self.rows.n_rows)

    def _pass(self, shape: Shape, parameters: Floats, with_gradient: bool) -> tuple[float, Floats]:
        layout = None if self.fused is None else lay_out(shape)
        if self.fused is not None and layout is not None:
            loss, gradient = self.fused(layout, parameters, with_gradient)
            return loss / self.rows.n_rows, gradient / self.rows.n_rows
        with torch.no_grad():
            tree = self._tree(shape, parameters)
            loss, gradient = operators.loss_and_gradient(self.rows, self.columns, tree, with_gradient)
        return loss / self.rows.n_rows, gradient / self.rows.n_rows

    def _tree(self, shape: Shape, parameters: Floats) -> operators.DeviceTree:
        return operators.DeviceTree.of(shape, parameters, self.rows.weight)


def find_device(name: str | None = None) -> str:
    """The name of an available device; None: the best available.

    >>> find_device("cpu")
    'cpu'
    """
    here = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available, "cpu": lambda: True}
    if name is None:
        return next(kind for kind, is_here in here.items() if is_here())
    try:
        kind = torch.device(name).type
    except (RuntimeError, TypeError):
        raise ValueError(f"device must be a PyTorch device such as 'cpu', 'cuda' or 'mps', got {name!r}.") from None
    if kind not in here:
        raise ValueError(f"device must be 'cpu', 'cuda' or 'mps', got {name!r}.")
    if not here[kind]():
        raise ValueError(f"device={name!r}: PyTorch {torch.__version__} finds no such device. Set device='cpu'.")
    return name


def from_inputs(
    X: Floats,
    expansion: Expansion,
    target: Floats,
    weight: Floats,
    loss: Loss,
    device: str | None = "cpu",
    single: bool = True,
    place: npt.NDArray[np.int64] | None = None,
) -> TorchEngine:
    """The engine for rows given by their inputs; `place` has the row of X of each. `single` rows are float32."""
    on = torch.device(find_device(device))
    if not single and on.type == "mps":
        raise ValueError("device='mps' has no float64: set single=True or device='cpu'.")
    rows = load_rows(X, expansion, target, weight, loss, on, torch.float32 if single else torch.float64, place)
    return TorchEngine(rows, expansion)
