"""Shared by BuddingTreeClassifier and BuddingTreeRegressor: fits, streams and their tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from time import monotonic
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from softwood.arrays import Floats, Signs
from softwood.estimators.base.base import RowCount, TreeEstimator
from softwood.estimators.base.intervals import Calibrated
from softwood.estimators.base.monotone import certificate_of, soft_signs
from softwood.estimators.base.progress import budding_lines
from softwood.estimators.base.steps import Callback, show_steps
from softwood.estimators.base.transactional_fit import warn_if_interrupted
from softwood.estimators.budding.lazy_tree import LazyTree
from softwood.intake import options
from softwood.kernels.contracts.growth import UNCONSTRAINED
from softwood.kernels.contracts.online_state import Rule
from softwood.learners.budding.joint import JointOptions, learn_joint
from softwood.learners.budding.online import Online, history_entry, learn_online
from softwood.learners.budding.params import BuddingParams
from softwood.learners.budding.resume import stream_of
from softwood.learners.budding.stream import Stream
from softwood.learners.budding.to_tree import to_tree
from softwood.learners.soft.rows.dataset import Dataset
from softwood.tree import MonotonicCertificate, Provenance, Schema, Tree

LEARNERS = ("joint", "online")
GATES = ("auto", "axis", "linear", "quadratic", "additive")
LEAVES = ("auto", "constant", "linear")
NOTHING = Provenance()  # of a tree not fitted to any rows
OPTIMIZERS = {"adagrad": Rule.ADAGRAD, "sgd": Rule.SGD, "adam": Rule.ADAM}
MOST_NODES = 2**20 - 1  # whose state is allocated at once
OF_STREAMS = (
    "learner", "leafness_penalty", "learning_rate", "optimizer", "batch_size", "gate", "leaf", "weight_penalty",
    "max_nodes", "max_epochs", "shuffle", "keep_on_interrupt", "verbose",
)  # fmt: skip
REMEMBERED = 1_000  # maximum number of chunks in `history_`, the latest ones


class BuddingTree(Calibrated, TreeEstimator):
    """Base class of the classifier and the regressor; not for direct use."""

    _engines = ("memory", "batches", "dask")
    history_: list[dict[str, Any]]
    _stream: Stream
    _schema: Schema
    _seen: Provenance
    _lazy_tree: LazyTree

    @property
    def tree_(self) -> Tree:  # type: ignore[override]  # read only here
        """The current tree."""
        if "_lazy_tree" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no tree_ yet: call fit or partial_fit.")
        return self._lazy_tree.tree

    @property
    def _answering_tree(self) -> Tree:
        return self._lazy_tree.answering

    def _require_tree(self) -> None:
        if "_lazy_tree" not in vars(self):
            check_is_fitted(self, "tree_")

    @property
    def n_nodes_(self) -> int:
        """Number of nodes, where buds and their children count fully."""
        self._require_tree()
        return self._stream.state.n_nodes

    @property
    def effective_size_(self) -> float:
        """Number of nodes, each weighted by the proportion that the buds above it pass on."""
        self._require_tree()
        return float(self._stream.params().effective_size)

    @property
    def monotonic_certificate_(self) -> MonotonicCertificate | None:
        """The proof that predictions are monotone as `monotonic_cst` requires, computed from the tree; None without
        constraints.
        """
        check_is_fitted(self, "tree_")
        return certificate_of(self.tree_, self._option("monotonic_cst"))

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's share of the increase in loss if the feature stays at its mean.

        Measured on the most recent 1,024 training rows; shares sum to 1 (all 0 if no feature is used).
        """
        self._require_tree()
        return self._stream.importance(self.n_features_in_)

    # -- learning ------------------------------------------------------------------------------------------------

    def _learn(self, dataset: Dataset, validation: Dataset | None, callback: Callback) -> Self:
        how, params, signs, keep_steps = self._online(), None, UNCONSTRAINED, callback is not None
        steps: Iterable[Tree] = ()
        if options.one_of("learner", self._option("learner"), LEARNERS) == "online":
            grown = learn_online(dataset, replace(how, keep_steps=keep_steps), validation)
            self._stream, self.history_ = grown.stream, grown.history
            steps = (stream.tree(self._schema) for stream in grown.steps[:-1])
            warn_if_interrupted(grown.interrupted)
        else:
            signs = soft_signs(self._option("monotonic_cst"), self._schema)
            learned = learn_joint(dataset, replace(self._joint(), signs=signs, keep_steps=keep_steps), validation)
            self._stream, self.history_, params = stream_of(learned, dataset, how), learned.history, learned.params
            self.weight_penalty_ = learned.penalties.weight
            warn_if_interrupted(learned.interrupted)
            self._take_held_out(learned.held_out, self._schema)
            steps = (
                to_tree(step, learned.design, self._schema, dataset.loss, learned.centre, learned.scale)
                for step in learned.steps
            )
        self._remember(how, dataset.weight, params, signs=signs)
        if callback is not None:
            show_steps(callback, (*steps, self.tree_))
        return self

    def _continue(self, dataset: Dataset, first: bool) -> Self:
        if self._option("monotonic_cst") is not None:
            raise ValueError(
                "monotonic_cst is for fit: partial_fit updates all parameters row by row and cannot keep the "
                "constraint. Drop it, or "
                "call fit on the rows so far."
            )
        how = self._online()
        stream = how.begin(dataset, how.options(dataset.loss)) if first else self._stream.copy()
        seen, before = (0, []) if first else (self.n_iter_, self.history_)
        line = history_entry(stream, seen + 1, stream.learn(dataset.X, dataset.target, dataset.weight))
        self._stream, self.history_ = stream, [*before, line][-REMEMBERED:]
        return self._remember(how, dataset.weight, n_iter=seen + 1)

    def _remember(
        self,
        how: Online,
        weight: Floats | RowCount,
        params: BuddingParams | None = None,
        n_iter: int | None = None,
        signs: Signs = UNCONSTRAINED,
    ) -> Self:
        self._seen = self._provenance(weight, before=self._seen)
        self._lazy_tree = LazyTree(self._stream, self._schema, self._seen, params, signs)
        self.leafness_penalty_ = self.history_[-1]["leafness_penalty"] if self.history_ else how.leafness_penalty
        self.learning_rate_ = self._stream.options.step
        self.n_iter_ = max(len(self.history_), 1) if n_iter is None else n_iter
        return self

    def _restore(self, tree: Tree, learned: dict[str, Any]) -> Self:
        params = learned.pop("_params")
        self.__dict__.update(learned)
        self._schema, self._seen = tree.schema, tree.provenance or NOTHING
        self._lazy_tree = LazyTree(self._stream, self._schema, self._seen, params)
        self._lazy_tree.tree = tree  # as that version built it, even if this version would build another tree
        return self

    def _option(self, name: str) -> Any:
        return getattr(self, name)  # get_params reads the signature of __init__ each time: 70 microseconds

    def _seed(self) -> int:
        return options.seed_of(self._option("random_state"))

    def _online(self) -> Online:
        if self._option("monotonic_cst") is not None and self._option("learner") == "online":
            raise ValueError("monotonic_cst needs learner='joint'; the online learner does not support it.")
        given = (*(getattr(self, name) for name in OF_STREAMS), self._seed())
        try:
            return _options_seen(*given)
        except TypeError:  # one of them is not hashable
            return _online_options(*given)

    def _joint(self) -> JointOptions:
        return JointOptions(
            leafness_penalty=options.auto("leafness_penalty", self._option("leafness_penalty")),
            weight_penalty=options.auto("weight_penalty", self._option("weight_penalty")),
            gate=options.one_of("gate", self._option("gate"), GATES),
            leaf=options.one_of("leaf", self._option("leaf"), LEAVES),
            max_nodes=options.integer("max_nodes", self._option("max_nodes"), 1, MOST_NODES),
            round_buds=options.boolean("round_buds", self._option("round_buds")),
            n_threads=self._threads(),
            seed=self._seed(),
            keep=options.boolean("keep_on_interrupt", self._option("keep_on_interrupt")),
            report=budding_lines(options.verbosity(self._option("verbose")), monotonic()),
        )


def _online_options(
    learner: Any, leafness_penalty: Any, learning_rate: Any, optimizer: Any, batch_size: Any, gate: Any, leaf: Any,
    weight_penalty: Any, max_nodes: Any, max_epochs: Any, shuffle: Any, keep_on_interrupt: Any, verbose: Any, seed: int,
) -> Online:  # fmt: skip
    """These parameters of the user, checked for the online learner."""
    rule = OPTIMIZERS[options.one_of("optimizer", optimizer, tuple(OPTIMIZERS))]
    weight = options.auto("weight_penalty", weight_penalty)
    step = options.auto("learning_rate", learning_rate)
    if step == 0:
        raise ValueError("learning_rate must be 'auto' or a number > 0, got 0.")
    options.one_of("gate", gate, GATES)
    if gate not in ("auto", "linear") and learner == "online":
        raise ValueError(f"gate={gate!r} needs learner='joint'; the online learner has linear gates.")
    return Online(
        leafness_penalty=options.auto("leafness_penalty", leafness_penalty),
        step=step,
        rule=rule,
        batch=options.integer("batch_size", batch_size, 1),
        weight_penalty=0.0 if weight is None else weight,
        linear=options.one_of("leaf", leaf, LEAVES) == "linear",
        max_nodes=options.integer("max_nodes", max_nodes, 1, MOST_NODES),
        max_epochs=options.integer("max_epochs", max_epochs, 1),
        shuffle=options.boolean("shuffle", shuffle),
        seed=seed,
        keep=options.boolean("keep_on_interrupt", keep_on_interrupt),
        report=budding_lines(options.verbosity(verbose)),
    )


_options_seen = lru_cache(maxsize=64, typed=True)(_online_options)  # a stream reads the same ones for every row
