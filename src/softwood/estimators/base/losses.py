"""Losses and offsets of regressors: their names, the targets they accept, and what an offset does.

    squared_error, absolute_error,          the prediction is the output; an offset is added to it
    huber, quantile
    poisson, gamma, tweedie                 the prediction is exp(output), never negative; an offset is added to the
    output

With m = exp(offset) a row of target y and weight w has the deviance of power p, w d(y, m exp(output)) =
w m^(2-p) d(y / m, exp(output)): learning with an offset is learning rates y / m by weights w m^(2-p). So a row of
counts with exposure m may be given as y with offset log(m), or as y / m with sample_weight m (poisson).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from softwood.arrays import Floats
from softwood.estimators.base.base import Numbers
from softwood.intake import options
from softwood.intake.cells.cells import refuse_nonnumbers
from softwood.intake.cells.frames import read_vector
from softwood.intake.classify import is_dask
from softwood.kernels.arithmetic import exp
from softwood.kernels.kinds import Link, Loss, LossKind

LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie")
ALIASES = {"squared": "squared_error", "absolute": "absolute_error"}  # names from before scikit-learn's were adopted
NEAR_END = 0.01  # minimum distance of a power from 1 and 2, which have their own formulas
LARGEST_OFFSET = 50.0  # behind a log link: 5e21 times the rate of offset 0


def read_loss(params: dict[str, Any]) -> Loss:
    """The loss that an estimator's parameters `loss`, `quantile`, `delta` and `power` name.

    Examples
    --------
    >>> read_loss({"loss": "poisson", "quantile": 0.5, "delta": 1.0, "power": 1.5}) == Loss.POISSON
    True
    """
    name = loss_name(params["loss"])
    quantile, delta = read_quantile(params["quantile"]), read_delta(params["delta"], "loss='absolute_error'")
    power = options.real("power", params["power"], 1.0)
    if power not in (1.0, 2.0) and not 1.0 + NEAR_END <= power <= 2.0 - NEAR_END:
        raise ValueError(f"power must be 1 (poisson), 2 (gamma) or from 1.01 to 1.99, got {params['power']!r}.")
    return {
        "squared_error": Loss.SQUARED,
        "absolute_error": Loss.ABSOLUTE,
        "huber": Loss(LossKind.HUBER, delta),
        "quantile": Loss(LossKind.QUANTILE, quantile),
        "poisson": Loss.POISSON,
        "gamma": Loss.GAMMA,
        "tweedie": Loss(LossKind.TWEEDIE, power),
    }[name]


def loss_name(loss: Any) -> str:
    """The name of a loss; some have an older name.

    >>> loss_name("absolute")
    'absolute_error'
    """
    older = ALIASES.get(loss) if isinstance(loss, str) else None
    return str(options.one_of("loss", older or loss, LOSSES))


def read_quantile(value: Any) -> float:
    """The level of the quantile."""
    quantile = options.real("quantile", value, 0.0)
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile must be between 0 and 1, such as 0.9, got {value!r}.")
    return quantile


def read_delta(value: Any, otherwise: str) -> float:
    """The error above which the loss is linear."""
    delta = options.real("delta", value, 0.0)
    if delta == 0.0:
        raise ValueError(f"delta must be a number > 0, got 0; for the absolute error use {otherwise}.")
    return delta


def refuse_targets(loss: Loss, values: Floats, weight: Floats, name: str = "y") -> None:
    """An error for targets (rows, targets) that a loss with a log link does not accept."""
    if loss.link != Link.LOG:
        return
    seen, kind = values[weight > 0], {1.0: "poisson", 2.0: "gamma"}.get(loss.parameter, "tweedie")
    bad = seen <= 0 if kind == "gamma" else seen < 0
    if bad.any():
        wanted = "> 0" if kind == "gamma" else ">= 0"
        other = " If some amounts are 0, use loss='tweedie'." if kind == "gamma" and (seen >= 0).all() else ""
        raise ValueError(f"loss={kind!r} needs {name} {wanted}, got {seen[bad][0]:g}.{other}")
    if name == "y" and not np.all(seen.sum(axis=0) > 0):
        raise ValueError(f"loss={kind!r} needs some y > 0, but all are 0.")


def read_offset(offset: Any, n_rows: int, loss: Loss, name: str = "offset") -> Floats | None:
    """One finite number per row, or one for all rows; None if not given."""
    if offset is None:
        return None
    values = read_vector(offset, name)
    refuse_nonnumbers(name, values)
    if np.ndim(values) == 0:
        values = np.full(n_rows, float(values))
    found: Floats = check_array(values, ensure_2d=False, dtype=np.float64, input_name=name, ensure_min_samples=0)
    if found.ndim != 1:
        raise ValueError(f"{name} must have one dimension, one number per row, got shape {found.shape}.")
    check_consistent_length(range(n_rows), found)
    if loss.link == Link.LOG and np.abs(found).max(initial=0.0) > LARGEST_OFFSET:
        largest = float(found[np.abs(found).argmax()])
        raise ValueError(
            f"{name} must be within -50 and 50 with a log link, got {largest:g}: it is the logarithm of the "
            "exposure, not the exposure."
        )
    return found


def without_offset(loss: Loss, values: Floats, weight: Floats, offset: Floats | None) -> tuple[Floats, Floats]:
    """Targets and weights for which a tree without offsets has the same loss; the sum of the weights is kept."""
    if offset is None:
        return values, weight
    if loss.link != Link.LOG:
        return values - offset[:, None], weight
    times = weight * exp((2.0 - loss.parameter) * offset)
    return values / exp(offset)[:, None], times * (weight.sum() / times.sum())


def rows_of_loss(loss: Loss, values: Floats, weight: Floats, offset: Any, suffix: str = "") -> tuple[Floats, Floats]:
    """Targets and weights to learn from, without offsets; targets that the loss does not accept are refused."""
    refuse_targets(loss, values, weight, "y" + suffix)
    given = read_offset(offset, len(values), loss, "offset" + suffix)
    return without_offset(loss, values, weight, given)


def refuse_loss_of_engine(loss: Any, engine: str, offset: Any) -> None:
    """An error for a loss or an offset that is supported for rows in memory only."""
    is_squared = loss_name(loss) == "squared_error"
    if not is_squared or offset is not None:
        what = "offset" if is_squared else f"loss={loss!r}"
        raise ValueError(
            f"{what} needs engine='memory'; engine={engine!r} supports the squared error only. Use a sample of the "
            "rows, Batches(...).sample(100_000), or drop the device."
        )


class LossNumbers(Numbers):
    """Predictions of regressors with a `loss`; a mixin to the left of TreeEstimator."""

    def predict(self: Any, X: Any, offset: Any = None) -> Floats:
        """Predictions, of shape (rows,) or (rows, targets), like y in `fit`.

        Parameters
        ----------
        X : rows, as in `fit`.
        offset : one number per row that is added to the output of the tree. With a log link it is the logarithm of the
            exposure, which multiplies the prediction.
        """
        answer: Floats = super().predict(X)
        if offset is None:
            return answer
        if is_dask(X):
            raise ValueError(
                "offset is for rows in memory: predictions for Dask collections are lazy; add the offset to them "
                "afterwards."
            )
        given = read_offset(offset, len(answer), self._loss)
        assert given is not None
        given = given if answer.ndim == 1 else given[:, None]
        return np.asarray(answer * exp(given) if self._loss.link == Link.LOG else answer + given)

    @property
    def _loss(self: Any) -> Loss:
        return read_loss({name: getattr(self, name) for name in ("loss", "quantile", "delta", "power")})
