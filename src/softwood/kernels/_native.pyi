from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints, Longs

class Evaluator:
    def __init__(self, tree: Any, low: Floats, high: Floats) -> None: ...
    def output(self, X: Floats, out: Floats, n_threads: int) -> None: ...
    def predict(self, X: Floats, link: int, out: Floats, n_threads: int) -> None: ...
    def decide(self, X: Floats, link: int, out: npt.NDArray[np.int64], n_threads: int) -> None: ...
    def reach(self, X: Floats, out: Floats, n_threads: int) -> None: ...
    def apply(self, X: Floats, out: Ints, n_threads: int) -> None: ...

class Annealer:
    def __init__(self, problem: Any, seed: int) -> None: ...
    def run(self, max_calls: int, patience: int) -> tuple[int, int, int, float]: ...
    def theta(self) -> Floats: ...
    def loss(self, theta: Floats, n_threads: int) -> float: ...
    def gradient(self, theta: Floats, threshold: Floats, response: Floats, slope: Floats, n_threads: int) -> float: ...

def exp_lanes(value: Floats) -> None: ...
def log_lanes(value: Floats) -> None: ...
def log1p_lanes(value: Floats) -> None: ...
def log2_lanes(value: Floats) -> None: ...
def cos_of_turn_lanes(value: Floats) -> None: ...
def power(base: float, exponent: int) -> float: ...
def multiply(A: Floats, B: Floats, C: Floats) -> None: ...
def multiply_stored(
    begin: Ints, column: Ints, value: Floats, dense: Floats, transpose: bool, product: Floats
) -> None: ...
def dot(a: Floats, b: Floats) -> float: ...

class Columns:
    @overload
    def __init__(self, X: Floats, n_levels: list[int], weight: Floats, max_bins: int, n_threads: int) -> None: ...
    @overload
    def __init__(
        self,
        begin: npt.NDArray[np.int64],
        column: Ints,
        value: Floats,
        n_columns: int,
        weight: Floats,
        max_bins: int,
        n_threads: int,
    ) -> None: ...

def grow(
    columns: Columns,
    code: Ints,
    y: Floats,
    weight: Floats,
    factor: Floats,
    n_classes: int,
    criterion: int,
    max_depth: int,
    max_leaves: int,
    min_samples_split: float,
    min_samples_leaf: float,
    min_impurity: float,
    min_impurity_decrease: float,
    missing: int,
    max_surrogates: int,
    monotone: list[int],
    parameter: list[float],
    max_places: int,
    every_level: int,
    n_threads: int,
) -> dict[str, Any]: ...
def replay(
    columns: Columns,
    weight: Floats,
    first_child: Ints,
    feature: Ints,
    threshold: Floats,
    group_begin: Ints,
    group: Ints,
    group_level: Ints,
    default: Ints,
    max_surrogates: int,
    monotone: list[int],
    every_level: int,
    n_threads: int,
) -> dict[str, npt.NDArray[Any]]: ...
def grow_c45(
    X: Floats,
    n_levels: list[int],
    code: Ints,
    weight: Floats,
    n_classes: int,
    min_cases: float,
    subsets: bool,
    n_threads: int,
) -> dict[str, Any]: ...
def collapse_alphas(parent: Ints, risk: Floats) -> Floats: ...
def grow_discriminant(
    phi: Floats,
    weight: Floats,
    code: Ints,
    factor: Floats,
    y: Floats,
    criterion: int,
    X: Floats | None,
    n_levels: list[int],
    max_depth: int,
    min_samples_split: float,
    min_samples_leaf: float,
    min_impurity_decrease: float,
    shrinkage: float,
    gaussian: bool,
) -> dict[str, Any]: ...
def is_valid(tree: Any) -> bool: ...
def gate_losses(
    phi: Floats,
    weight: Floats,
    code: Ints,
    factor: Floats,
    y: Floats,
    criterion: int,
    X: Floats | None,
    n_levels: list[int],
    min_samples_leaf: float,
    shrinkage: float,
    gaussian: bool,
    linear: int,
    lines: bool,
    squares: bool,
    half: npt.NDArray[Any],
) -> Floats: ...
def hash_rows(X: Floats, y: Floats, seed: int) -> npt.NDArray[np.uint64]: ...
def any_infinite(X: Floats) -> bool: ...
def begin_fit() -> None: ...
def end_fit() -> None: ...
def end_threads() -> None: ...
def simd_paths() -> list[str]: ...
def simd_path() -> str: ...
def use_simd_path(name: str) -> bool: ...
def column_moments(X: Floats, weight: Floats) -> tuple[Floats, Floats, Floats] | None: ...
def make_linear_columns(
    X: Floats, feature: Sequence[int], when_missing: Floats, scale: Floats, shift: Floats
) -> Floats: ...
def sum_bins(
    code: npt.NDArray[Any],
    n_bins: int,
    weight: Floats,
    first_child: Ints,
    feature: Ints,
    child: npt.NDArray[np.int8],
    place: Ints,
    y: npt.NDArray[Any],
    n_classes: int,
    origin: Floats,
    n_threads: int,
    table: Floats,
) -> None: ...
def find_bins(
    X: Floats, edge: list[Floats], n_levels: Ints, n_bins: int, n_threads: int, code: npt.NDArray[Any]
) -> None: ...
def solve_symmetric(S: Floats, right: Floats, tiny: float, part: float) -> Floats: ...
def solve_with_band(S: Floats, right: Floats, n_threads: int) -> tuple[Floats, Floats] | None: ...
def hat_products(segment: Ints, part: Floats, weight: Floats, begin: Longs, n_threads: int) -> Floats: ...
def invert_bands(band: Floats, begin: Longs) -> Floats: ...
def eigen_symmetric(S: Floats) -> tuple[Floats, Floats]: ...

class SoftShape:
    @staticmethod
    def make(
        first_child: Ints, slope_row: Ints, slopes: int, columns: int, outputs: int, own_columns: Sequence[int] = ()
    ) -> SoftShape: ...
    @property
    def first_child(self) -> list[int]: ...
    @property
    def slope_row(self) -> list[int]: ...
    @property
    def slopes(self) -> int: ...
    @property
    def own_columns(self) -> list[int]: ...
    @property
    def columns(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def parameters(self) -> int: ...

class SoftRows64:
    @staticmethod
    def make(phi: Floats, target: Floats, weight: Floats, loss: int, parameter: float = 0.0) -> SoftRows64: ...
    @staticmethod
    def make_expanded(
        X: Floats,
        place: npt.NDArray[np.int64],
        segments: tuple[Any, ...],
        tables: tuple[Any, ...],
        target: Floats,
        weight: Floats,
        loss: int,
        parameter: float,
        keep: bool,
        n_threads: int = 1,
    ) -> SoftRows64: ...
    def mean_reach(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> Floats: ...
    def loss(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> float: ...
    def gradient(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]: ...
    def answers(self, shape: SoftShape, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]: ...
    def refine(
        self,
        shape: SoftShape,
        parameters: Floats,
        strength: Floats,
        centre: Floats,
        log_penalty: Floats,
        max_iter: int,
        tol: float,
        n_threads: int = 1,
    ) -> tuple[float, Floats, int]: ...
    def refine_ordered(
        self,
        shape: SoftShape,
        below: npt.NDArray[np.int64],
        above: npt.NDArray[np.int64],
        ends: Floats,
        low: Floats,
        high: Floats,
        free: Floats,
        strength: Floats,
        centre: Floats,
        log_penalty: Floats,
        max_iter: int,
        tol: float,
        n_threads: int = 1,
    ) -> tuple[float, Floats, int]: ...
    def histograms(
        self,
        shape: SoftShape,
        parameters: Floats,
        bin: npt.NDArray[Any],
        bins: int,
        nodes: list[int],
        n_threads: int = 1,
    ) -> Floats: ...
    def split_direction(
        self, shape: SoftShape, parameters: Floats, node: int, n_threads: int = 1
    ) -> tuple[Floats, Floats, Floats]: ...
    def under(self, shape: SoftShape, parameters: Floats, node: int, n_threads: int = 1) -> SoftRows64: ...

class SoftRows32(SoftRows64): ...

class SplitFeatures:
    @staticmethod
    def make(
        cuts: list[int], linear: Ints, at_cut: list[Floats], place: npt.NDArray[np.int64], levels: list[Any]
    ) -> SplitFeatures: ...

def best_thresholds(table: Floats, cuts: list[int], ridge: float) -> Floats: ...
def split_step(
    rows: Any,
    tree: Any,
    bin: npt.NDArray[Any],
    bins: int,
    split_features: SplitFeatures,
    rules: Any,
    total_weight: float,
    n_threads: int = 1,
) -> tuple[int, npt.NDArray[Any], bool, Floats, int] | None: ...
def descend(
    x: Floats,
    target: Floats,
    weight: Floats,
    offset: Floats,
    reach: Floats,
    loss: int,
    split: Floats,
    order: npt.NDArray[np.int64],
    step: Floats,
    momentum: float,
    decay: float,
    n_threads: int = 1,
) -> Floats: ...
def train_buds(
    state: Any,
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    order: npt.NDArray[np.int64],
    options: Any,
) -> float: ...
def scale_running(
    X: Floats, feature: Ints, code: Floats, weight: Floats, moments: Any, rule: tuple[float, ...], phi: Floats
) -> bool: ...
def evaluate_buds(state: Any, x: npt.NDArray[Any], n_threads: int = 1) -> Floats: ...

class StoredRows:
    @staticmethod
    def make(
        begin: Ints,
        column: Ints,
        value: Floats,
        shift: Floats,
        target: Floats,
        weight: Floats,
        offset: Floats,
        arrival: Floats,
        loss: int,
        parameter: float,
    ) -> StoredRows: ...
    def loss(self, shape: Any, parameters: Floats, n_threads: int = 1) -> float: ...
    def gradient(self, shape: Any, parameters: Floats, n_threads: int = 1) -> tuple[float, Floats]: ...
    def answers(self, shape: Any, parameters: Floats, n_threads: int = 1) -> tuple[Floats, Floats, Floats]: ...
    def refine(
        self,
        shape: Any,
        parameters: Floats,
        strength: Floats,
        centre: Floats,
        log_penalty: Floats,
        max_iter: int,
        tol: float,
        n_threads: int = 1,
    ) -> tuple[float, Floats, int]: ...
