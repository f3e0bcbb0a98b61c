"""Joint refinement of a soft tree whose predictions are monotone in some of its inputs.

Columns of a monotone input increase in the required direction (design.py). A tree is monotone if

    weights    of these columns are >= 0 in every gate and in every linear response
    order      under a gate on them, every output below the first child is >= every output below the second

because with share g of the first child, d output = g' (first - second) + g first' + (1 - g) second' is a sum of
products of numbers >= 0, for any values of the other inputs, including missing ones. The order is that of constant
responses (kernels/formulas/node_order.py), so leaves under such a gate share their slopes; trees in which each leaf
has its own slopes have no gates on monotone inputs. Both conditions are bounds on parameters.
"""

from __future__ import annotations

import numpy as np

from softwood.arrays import Floats, Ints, Mask
from softwood.engines import OrderedTree, Penalty, Shape, SumEngine
from softwood.kernels.formulas.node_order import NodeOrder, middles_between


def looks_at_monotone(first_child: Ints, frozen: Mask, rising: Mask) -> Mask:
    """Whether the gate of each node may have weights of monotone inputs; if so, its children are ordered."""
    return np.asarray((first_child >= 0) & np.any(rising & ~frozen[:, :-1], axis=1))


def refine_in_order(
    engine: SumEngine,
    shape: Shape,
    parameters: Floats,
    penalty: Penalty,
    frozen: Mask,
    rising: Mask,
    ends: Floats | None,
    max_iter: int,
    tol: float,
) -> tuple[float, Floats, int]:
    """The objective, the ordered parameters, and the number of passes over the rows.

    frozen : (nodes, columns + 1), weights that stay at 0.  rising : columns of monotone inputs.
    ends : (2, outputs), the smallest and the largest output allowed; None or not finite: no limit.
    """
    first_child = np.asarray(shape.first_child, np.int32)
    given = np.full((2, shape.outputs), np.nan) if ends is None else ends
    low_ends, high_ends = (bool(np.isfinite(end).all()) for end in given)
    ordered = looks_at_monotone(first_child, frozen, rising)
    order = NodeOrder.of(first_child, ordered, first_child < 0, low=low_ends, high=high_ends)
    n, k = int(np.sum(first_child >= 0)) * (shape.columns + 1), shape.outputs
    end = n + int(np.sum(first_child < 0)) * k
    known = np.where(np.isfinite(given), given, 0.0)
    answers = np.zeros((len(first_child), k))
    answers[first_child < 0] = parameters[n:end].reshape(-1, k)
    middles = middles_between(first_child, ordered, first_child < 0, answers)
    items = order.start(middles, answers[first_child < 0], known)
    start = np.concatenate([parameters[:n], items.ravel(), parameters[end:]])
    low, high = _bounds(order, start, penalty.strength[:n] < 0, rising, shape.slopes * k, k)
    tree = OrderedTree(order, known, n, low, high)
    return engine.refine_ordered(shape, tree, np.clip(start, low, high), penalty, max_iter, tol)


def _bounds(
    order: NodeOrder, start: Floats, held: Mask, rising: Mask, n_slopes: int, outputs: int
) -> tuple[Floats, Floats]:
    """For the free parameters only: frozen weights do not change."""
    n = len(held)
    gates = np.tile(np.append(rising, False), n // (len(rising) + 1))
    low, high = order.bounds(outputs)
    gate_low = np.where(held, start[:n], np.where(gates, 0.0, -np.inf))
    slope_low = np.tile(np.where(rising, 0.0, -np.inf), n_slopes)
    low = np.concatenate([gate_low, low.ravel(), slope_low])
    return low, np.concatenate([np.where(held, start[:n], np.inf), high.ravel(), np.full(len(slope_low), np.inf)])
