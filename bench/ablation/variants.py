"""The search with one step left out or added, and one fixed kind in place of the choice among kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from bench.ablation.substitutes import ADDED, LEFT_OUT
from softwood import SoftTreeClassifier, SoftTreeRegressor
from softwood.learners.soft.options import JointOptions
from softwood.learners.soft.search import SearchSteps

STEPS = tuple(each.name for each in fields(SearchSteps))


@dataclass(frozen=True)
class Variant:
    """Differences from the default learner: steps left out or substituted (substitutes.py), and parameters."""

    without: tuple[str, ...] = ()
    substituted: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)

    def make(self, classes: bool, seed: int) -> Any:
        """An estimator."""
        kind = AblatedClassifier if classes else AblatedRegressor
        model = kind(random_state=seed, n_jobs=1, **self.parameters)
        model.other_steps = dict.fromkeys(self.without, False)
        return model


class LightGBM(Variant):
    """The yardstick: its defaults, in bags of four rows and four inputs in five, so that it draws, too."""

    def make(self, classes: bool, seed: int) -> Any:
        """An estimator."""
        from lightgbm import LGBMClassifier, LGBMRegressor

        kind = LGBMClassifier if classes else LGBMRegressor
        bags: dict[str, Any] = {"subsample": 0.8, "subsample_freq": 1, "colsample_bytree": 0.8}
        return kind(random_state=seed, n_jobs=1, verbose=-1, **bags)


ADDITIVE = {"gate": "additive", "leaf": "linear"}
VARIANTS: dict[str, Variant] = {
    "default": Variant(),
    **{f"without {step}": Variant((step,)) for step in STEPS},
    **{f"without {name}": Variant(substituted=(name,)) for name in LEFT_OUT},
    **{f"with {name}": Variant(substituted=(name,)) for name in ADDED},
    "one kind: additive linear": Variant(parameters=ADDITIVE),
    "one kind: additive constant": Variant(parameters=ADDITIVE | {"leaf": "constant"}),
    "one kind: no optional step": Variant(STEPS, parameters=ADDITIVE),
    "one node": Variant(parameters={"max_leaves": 1}),
    "quick": Variant(parameters={"effort": "quick"}),
    "LightGBM": LightGBM(),
}


class _Ablated:
    """Runs other steps, which are not parameters of the public classes."""

    other_steps: Mapping[str, bool] = {}

    def _joint(self, engine: str = "memory") -> JointOptions:
        how: JointOptions = super()._joint(engine)  # type: ignore[misc]  # of SoftTree
        return replace(how, steps=replace(how.steps, **self.other_steps))


class AblatedClassifier(_Ablated, SoftTreeClassifier):
    """SoftTreeClassifier without some steps."""


class AblatedRegressor(_Ablated, SoftTreeRegressor):
    """SoftTreeRegressor without some steps."""
