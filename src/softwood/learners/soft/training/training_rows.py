"""All training rows, as the joint learners need them: a sample in memory and an engine of all rows.

The search (search/) grows and compares trees on the sample; only the tree that it selects is refined on all
rows, by an engine that `make_engine` makes once the columns are known. So rows that do not fit in memory need a sample,
the scale of the targets, and an engine of sums.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from softwood.arrays import Floats
from softwood.engines import MakeEngine, SumEngine
from softwood.engines.memory import from_inputs
from softwood.kernels.contracts.expansion import Expansion
from softwood.learners.soft.columns.design import DesignMatrix
from softwood.learners.soft.columns.piecewise import expansion_of
from softwood.learners.soft.columns.sparse_rows import stored_engine
from softwood.learners.soft.regimes import HEAD_ROWS, MEDIUM_TABLE_MAX_ROWS, SAMPLE_ROWS
from softwood.learners.soft.rows.dataset import Dataset
from softwood.learners.soft.rows.last_digits import without_last_digits
from softwood.parts.folds import raise_to


@dataclass(frozen=True)
class TrainingRows:
    """A sample of the rows, and how to make the engine of all of them.

    sample : at most SAMPLE_ROWS rows, `in_order`, targets scaled as (target - centre) / scale; inputs without
        noise in their last digits.
    n_rows : number of distinct rows.
    make_engine : maps the expansion of the columns to the engine of all rows, with targets scaled in the same way.
    make_head_engine : `make_engine` for the first HEAD_ROWS rows, if more are in memory; else None.
    engine_of_design : in place of `make_engine` for sparse rows, whose columns are made from the stored values.
    """

    sample: Dataset
    n_rows: int
    centre: Floats
    scale: Floats
    make_engine: MakeEngine
    make_head_engine: MakeEngine | None = None
    engine_of_design: Callable[[DesignMatrix], SumEngine] | None = None
    known: list[tuple[DesignMatrix, Expansion]] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def in_memory(cls, dataset: Dataset, seed: int, n_threads: int = 1, single: bool = True) -> TrainingRows:
        """From rows in memory: the sample is the first of them in the order of a hash of their content."""
        whole = dataset.in_order(seed, copied=False)
        centre, scale = whole.target_scale()
        whole = whole.scaled(centre, scale)
        if whole.is_sparse:
            of_design = partial(stored_engine, whole, n_threads=n_threads)
            return cls(whole.head(SAMPLE_ROWS), len(whole), centre, scale, _no_expansion, None, of_design)

        def engine_of(rows: Dataset, expansion: Expansion) -> SumEngine:
            return from_inputs(
                rows.X,
                expansion,
                rows.target,
                rows.weight,
                rows.loss,
                n_threads,
                single,
                rows.place,
                keep=len(rows) <= SAMPLE_ROWS,
                by_tables=len(rows) > MEDIUM_TABLE_MAX_ROWS,
            )

        of_head = partial(engine_of, whole.first(HEAD_ROWS)) if len(whole) > HEAD_ROWS else None
        make_engine = partial(engine_of, whole)
        sample = without_last_digits(whole.head(SAMPLE_ROWS))
        return cls(sample, len(whole), centre, scale, make_engine, of_head)

    @classmethod
    def on_device(
        cls, dataset: Dataset, seed: int, device: str | None = None, n_threads: int = 1, single: bool = True
    ) -> TrainingRows:
        """For rows that PyTorch sums: the sample is that of rows in memory, the others stay in the given order.

        device : a PyTorch device; None: the best available.
        """
        from softwood.engines.torch import find_device, from_inputs  # PyTorch is imported where it is used

        on = find_device(device)
        whole = dataset.in_order(seed) if len(dataset) <= SAMPLE_ROWS else dataset.present()
        are_few = len(whole) <= SAMPLE_ROWS
        weight = raise_to(whole.weight, len(whole), whole.total_weight)[0]
        centre, scale = whole.target_scale()
        sample = whole.head(SAMPLE_ROWS) if are_few else whole.first_in_order(SAMPLE_ROWS, seed, n_threads)
        target = whole.scaled(centre, scale).target

        def make_engine(expansion: Expansion) -> SumEngine:
            return from_inputs(whole.X, expansion, target, weight, whole.loss, on, single)

        sample = without_last_digits(sample.scaled(centre, scale))
        return cls(sample, len(whole), centre, scale, make_engine)

    def engine_of(self, design: DesignMatrix) -> SumEngine:
        """The engine of all rows over these columns."""
        if self.engine_of_design is not None:
            return self.engine_of_design(design)
        return self.make_engine(self.expansion_of(design))

    def engine_of_head(self, design: DesignMatrix) -> SumEngine:
        """The engine of the first HEAD_ROWS rows, or of all if there are no more."""
        if self.make_head_engine is None:
            return self.engine_of(design)
        return self.make_head_engine(self.expansion_of(design))

    def expansion_of(self, design: DesignMatrix) -> Expansion:
        """The columns as tables; those of the last design are cached, because they are used several times."""
        if not (self.known and self.known[0][0] is design):
            self.know(design, expansion_of(design, self.sample.X.shape[1]))
        return self.known[0][1]

    def know(self, design: DesignMatrix, expansion: Expansion) -> None:
        """Cache tables of a design that exist already."""
        self.known[:] = [(design, expansion)]

    @property
    def are_sampled(self) -> bool:
        """Whether there are more rows than the sample has."""
        return self.n_rows > SAMPLE_ROWS


def _no_expansion(expansion: Expansion) -> SumEngine:
    raise TypeError("sparse rows make their columns from what is stored.")
