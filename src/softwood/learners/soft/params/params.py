"""The parameters of a soft tree under training: by node, and as one vector for an engine.

Parameters are stored by node, children after parents; the engine's vector holds the gates of the branches, the
responses of the leaves and the slopes, each in node order. Slopes make responses linear in the columns: `shared` by
all leaves (an additive model plus a tree of constants), `own` slopes in each leaf (a model tree), or `mixed`: shared
ones for all columns, and own ones for some of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from softwood.arrays import Floats, Ints
from softwood.engines import Penalty, Shape, SumEngine
from softwood.kernels import make_shape
from softwood.kernels.formulas.leaf_link import leaf_answers, response_of
from softwood.kernels.kinds import Link
from softwood.learners.soft.params.monotone_refine import refine_in_order
from softwood.tree.once import computed_once

Slopes = Literal["none", "shared", "own", "mixed"]
# Gates use all inputs, one, one without a penalty, or the better of all inputs and one without a penalty.
Gates = Literal["open", "axis", "unpenalized", "either"]

_OF_SHAPE = ("leaf", "leaves", "shape", "_penalty_terms")  # derived from parts that do not change during refinement
NO_COLUMNS: Ints = np.zeros(0, np.int32)
RESPONSE_PENALTY = 0.1  # proportion of the weight penalty, to shrink responses to the root's


@dataclass(frozen=True)
class SoftTreeParams:
    """A soft tree over `columns`; immutable.

    first_child : per node, -1 for a leaf.  gate : (nodes, columns + 1), the bias last; 0 in leaves.
    response : (nodes, outputs); used in leaves.  slope : (1 or nodes, outputs, columns), (0, ...) without slopes; for
        mixed slopes (1 + nodes, outputs, columns), the shared ones first, and own ones 0 except in `own_columns`.
    origin, origin_slope : responses and slopes are shrunk to these.
    frozen : (nodes, columns + 1), weights that stay at 0, so that a gate uses few inputs.
    unpenalized : (nodes,), gates on one column, whose weight has no penalty.
    log_penalty : of the penalty on weights (kernels/formulas/penalty.py).
    n_iter : iterations of refinement that led to this tree, from the root on.
    rising : (columns,), of monotone inputs: their weights and slopes are >= 0, and outputs below the first child of a
        gate on them are at least those below the second (monotone.py).
    leaf_link : maps responses to what leaves mix (kernels/formulas/leaf_link.py); with slopes, the identity.
    """

    first_child: Ints
    gate: Floats
    response: Floats
    slopes: Slopes
    slope: Floats
    origin: Floats
    origin_slope: Floats
    frozen: npt.NDArray[np.bool_]
    unpenalized: npt.NDArray[np.bool_]
    log_penalty: float = 0.0
    n_iter: int = 0
    rising: npt.NDArray[np.bool_] | None = None
    own_columns: Ints = field(default_factory=lambda: NO_COLUMNS)
    leaf_link: Link = Link.IDENTITY

    @classmethod
    def root(
        cls,
        response: Floats,
        columns: int,
        slopes: Slopes,
        log_penalty: float = 0.0,
        rising: npt.NDArray[np.bool_] | None = None,
        own_columns: Ints = NO_COLUMNS,
        leaf_link: Link = Link.IDENTITY,
    ) -> SoftTreeParams:
        """One leaf; with mixed slopes, `own_columns` have own slopes."""
        outputs = len(response)
        return cls(
            np.full(1, -1, np.int32),
            np.zeros((1, columns + 1)),
            response[None].copy(),
            slopes,
            np.zeros(({"none": 0, "mixed": 2}.get(slopes, 1), outputs, columns)),
            response.copy(),
            np.zeros((outputs, columns)),
            np.zeros((1, columns + 1), np.bool_),
            np.zeros(1, np.bool_),
            log_penalty,
            rising=rising,
            own_columns=own_columns,
            leaf_link=leaf_link,
        )

    def _with(self, **changes: Any) -> SoftTreeParams:
        """Like `dataclasses.replace`, but faster: thousands of trees are made."""
        other = object.__new__(SoftTreeParams)
        other.__dict__.update({name: self.__dict__[name] for name in self.__dataclass_fields__}, **changes)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Its fields, without derived values."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def n_nodes(self) -> int:
        return len(self.first_child)

    @computed_once
    def leaf(self) -> npt.NDArray[np.bool_]:
        mask: npt.NDArray[np.bool_] = self.first_child < 0
        return mask

    @computed_once
    def leaves(self) -> list[int]:
        found: list[int] = np.flatnonzero(self.leaf).tolist()
        return found

    @property
    def columns(self) -> int:
        return int(self.gate.shape[1]) - 1

    @property
    def outputs(self) -> int:
        return int(self.response.shape[1])

    @property
    def column_energy(self) -> Floats:
        """Squared weights of each column, of all gates and slopes."""
        slope = self.slope[self._used_slopes]
        return np.asarray(np.square(self.gate[:, :-1]).sum(axis=0) + np.square(slope).sum(axis=(0, 1)))

    @property
    def _used_slopes(self) -> npt.NDArray[np.bool_]:
        """Which rows of `slope` are in use: shared ones, and own ones of leaves."""
        if self.slopes == "own":
            return self.leaf
        return np.append(True, self.leaf) if self.slopes == "mixed" else np.ones(len(self.slope), np.bool_)

    # -- the engine's vector -----------------------------------------------------------------------------------

    @computed_once
    def shape(self) -> Shape:
        n = len(self.leaves)
        if self.slopes == "none":
            row, slopes = np.full(n, -1, np.int32), 0
        elif self.slopes in ("shared", "mixed"):
            row, slopes = np.zeros(n, np.int32), 1
        else:
            row, slopes = np.arange(n, dtype=np.int32), n
        return make_shape(self.first_child, row, slopes, self.columns, self.outputs, self.own_columns.tolist())

    @computed_once
    def parameters(self) -> Floats:
        slope = self.slope[self._used_slopes]
        if self.slopes == "mixed":
            slope = np.concatenate([slope[0].ravel(), slope[1:, :, self.own_columns].ravel()])
        return np.concatenate([self.gate[~self.leaf].ravel(), self.response[self.leaf].ravel(), slope.ravel()])

    def with_parameters(self, parameters: Floats, more_iter: int = 0) -> SoftTreeParams:
        """The same shape with other parameters, after this number of further iterations."""
        leaf, n, k = self.leaf, len(self.leaves), self.outputs
        at = (self.n_nodes - n) * (self.columns + 1)
        end = at + n * k
        gate, response, slope = self.gate.copy(), self.response.copy(), self.slope.copy()
        gate[~leaf] = parameters[:at].reshape(-1, self.columns + 1)
        response[leaf] = parameters[at:end].reshape(-1, k)
        if self.slopes == "mixed":
            own = end + k * self.columns
            slope[0] = parameters[end:own].reshape(k, self.columns)
            places = np.ix_(1 + np.flatnonzero(leaf), np.arange(k), self.own_columns)
            slope[places] = parameters[own:].reshape(n, k, len(self.own_columns))
        else:
            used = self._used_slopes
            slope[used] = parameters[end:].reshape(slope[used].shape)  # there may be no columns
        other = self._with(gate=gate, response=response, slope=slope, n_iter=self.n_iter + more_iter)
        other.__dict__.update({name: self.__dict__[name] for name in _OF_SHAPE if name in self.__dict__})
        other.__dict__["parameters"] = parameters
        return other

    @computed_once
    def _penalty_terms(self) -> dict[float, Penalty]:
        return {}

    def penalty_terms(self, penalty: float) -> Penalty:
        """The penalty of each parameter."""
        if penalty not in self._penalty_terms:
            self._penalty_terms[penalty] = self._make_penalty_terms(penalty)
        return self._penalty_terms[penalty]

    def _make_penalty_terms(self, penalty: float) -> Penalty:
        n, frozen = len(self.leaves), self.frozen[~self.leaf]
        gates, responses = frozen.size, n * self.outputs
        strength, log_penalty = np.empty(len(self.parameters)), np.zeros(len(self.parameters))
        strength[:gates], log_penalty[:gates] = gate_penalty(
            frozen, self.unpenalized[~self.leaf], penalty, self.log_penalty
        )
        strength[gates : gates + responses] = RESPONSE_PENALTY * penalty
        strength[gates + responses :] = penalty
        centre = np.zeros(len(self.parameters))
        centre[gates : gates + responses].reshape(n, self.outputs)[:] = self.origin
        if self.slopes == "own":
            centre[gates + responses :].reshape(n, -1)[:] = self.origin_slope.ravel()
        return Penalty(strength, centre, log_penalty)

    # -- verbs ---------------------------------------------------------------------------------------------------

    def refine(
        self, engine: SumEngine, penalty: float, max_iter: int, tol: float = 1e-7
    ) -> tuple[float, SoftTreeParams]:
        """Refine all gates and responses together: the penalised objective and the better tree."""
        if self.rising is not None:
            return self.refine_monotone(engine, penalty, max_iter, tol)
        value, parameters, n_iter = engine.refine(
            self.shape, self.parameters, self.penalty_terms(penalty), max_iter, tol
        )
        return value, self.with_parameters(parameters, n_iter)

    def refine_monotone(
        self, engine: SumEngine, penalty: float, max_iter: int, tol: float, ends: Floats | None = None
    ) -> tuple[float, SoftTreeParams]:
        """The same under monotone constraints, with all predictions between `ends` (2, outputs) if given."""
        assert self.rising is not None
        value, parameters, n_iter = refine_in_order(
            engine,
            self.shape,
            self.parameters,
            self.penalty_terms(penalty),
            frozen=self.frozen,
            rising=self.rising,
            ends=ends,
            max_iter=max_iter,
            tol=tol,
        )
        return value, self.with_parameters(parameters, n_iter)

    def with_own_slopes(self) -> SoftTreeParams:
        """Mixed slopes as own slopes for all columns; any other tree as it is."""
        if self.slopes != "mixed":
            return self
        return self._with(slopes="own", slope=self.slope[:1] + self.slope[1:], own_columns=NO_COLUMNS)

    def at_mean_if_alone(self) -> SoftTreeParams:
        """A single leaf predicts the mean of the targets, 0 after scaling, instead of its fold's mean."""
        is_alone = self.n_nodes == 1 and (self.slopes == "none" or not self.columns)
        return self._with(response=np.zeros_like(self.response)) if is_alone else self

    def scale_output(self, factor: float) -> SoftTreeParams:
        """All responses times a factor."""
        return self._with(response=factor * self.response, slope=factor * self.slope)

    def in_units(self, factor: Floats, shift: Floats) -> SoftTreeParams:
        """The same tree for targets multiplied by `factor`, plus `shift`."""
        return self._with(
            response=factor * self.response + shift,
            slope=factor[:, None] * self.slope,
            origin=factor * self.origin + shift,
            origin_slope=factor[:, None] * self.origin_slope,
        )

    def rescale_columns(self, factor: Floats | float) -> SoftTreeParams:
        """The same tree over columns that were divided by their factors."""
        gate = np.concatenate([self.gate[:, :-1] * factor, self.gate[:, -1:]], axis=1)
        return self._with(gate=gate, slope=self.slope * factor, origin_slope=self.origin_slope * factor)

    def spread_columns(self, source: npt.NDArray[np.intp], part: Floats) -> SoftTreeParams:
        """The tree over other columns: each gets a proportion of the weights of one old column."""
        with_bias = np.append(source, self.columns)
        return self._with(
            gate=self.gate[:, with_bias] * np.append(part, 1.0),
            frozen=self.frozen[:, with_bias],
            slope=self.slope[:, :, source] * part,
            origin_slope=self.origin_slope[:, source] * part,
            rising=None if self.rising is None else self.rising[source],
            own_columns=np.flatnonzero(np.isin(source, self.own_columns)).astype(np.int32),
        )

    def linear_sums(self) -> tuple[Floats, SoftTreeParams]:
        """Weights of the columns in every linear sum, of gates and slopes, and the tree over these sums as columns."""
        if self.slopes == "mixed":
            return self.with_own_slopes().linear_sums()
        n_gates, n_slopes = len(self.gate), len(self.slope) * self.outputs
        weight = np.concatenate([self.gate[:, :-1], self.slope.reshape(n_slopes, self.columns)])
        unit = np.eye(len(weight))
        gate = np.concatenate([unit[:n_gates], self.gate[:, -1:]], axis=1)
        slope = unit[n_gates:].reshape(len(self.slope), self.outputs, len(weight))
        none = np.zeros((self.outputs, len(weight)))
        frozen = np.zeros(gate.shape, np.bool_)
        return weight, self._with(gate=gate, slope=slope, frozen=frozen, origin_slope=none, rising=None)

    def select_columns(self, columns: npt.NDArray[np.bool_]) -> SoftTreeParams:
        """The tree over some of its columns, without the weights of the others."""
        kept = np.append(columns, True)
        return self._with(
            gate=self.gate[:, kept],
            frozen=self.frozen[:, kept],
            slope=self.slope[:, :, columns],
            origin_slope=self.origin_slope[:, columns],
            rising=None if self.rising is None else self.rising[columns],
            own_columns=np.flatnonzero(np.isin(np.flatnonzero(columns), self.own_columns)).astype(np.int32),
        )

    def loss(self, engine: SumEngine) -> float:
        """Mean loss on the engine's rows."""
        return engine.loss(self.shape, self.parameters)

    def split(
        self,
        node: int,
        gate: Floats,
        first: Floats,
        second: Floats,
        frozen: npt.NDArray[np.bool_] | None = None,
        unpenalized: bool = False,
    ) -> SoftTreeParams:
        """Turn leaf `node` into a branch; its children inherit its slope."""
        child, gates = _with_two_more(self.first_child, -1), _with_two_more(self.gate)
        freezes, frees = _with_two_more(self.frozen), _with_two_more(self.unpenalized)
        response = _with_two_more(self.response)
        child[node], gates[node], frees[node] = self.n_nodes, gate, unpenalized
        response[-2], response[-1] = first, second
        if frozen is not None:
            freezes[node] = frozen
        slope = self.slope
        if self.slopes == "own":
            slope = np.concatenate([slope, slope[[node, node]]])
        elif self.slopes == "mixed":
            slope = np.concatenate([slope, slope[[1 + node, 1 + node]]])
        return self._with(
            first_child=child, gate=gates, response=response, slope=slope, frozen=freezes, unpenalized=frees
        )

    def last_branches(self) -> list[int]:
        """Branches whose children are both leaves."""
        leaf = self.leaf
        return [int(m) for m in np.flatnonzero(~leaf) if leaf[self.first_child[m]] and leaf[self.first_child[m] + 1]]

    def collapse(self, node: int, share: float) -> SoftTreeParams:
        """Turn branch `node` (of two leaves) into a leaf: its children's responses are mixed, with `share` of the
        first.
        """
        first = int(self.first_child[node])
        keep = np.ones(self.n_nodes, np.bool_)
        keep[first : first + 2] = False
        moved = np.cumsum(keep) - 1

        def mix(values: Floats) -> Floats:
            changed = values.copy()
            changed[node] = share * values[first] + (1.0 - share) * values[first + 1]
            return changed[keep]

        child = self.first_child.copy()
        child[node] = -1
        child = np.where(child >= 0, moved[child], -1)[keep].astype(np.int32)
        gate = self.gate.copy()
        gate[node] = 0.0
        slope = mix(self.slope) if self.slopes == "own" else self.slope
        if self.slopes == "mixed":
            slope = np.concatenate([slope[:1], mix(slope[1:])])
        both = leaf_answers(self.leaf_link, self.response[first : first + 2])
        response, frozen, unpenalized = self.response.copy(), self.frozen.copy(), self.unpenalized.copy()
        response[node] = response_of(self.leaf_link, share * both[0] + (1.0 - share) * both[1])
        frozen[node], unpenalized[node] = False, False
        return self._with(
            first_child=child,
            gate=gate[keep],
            response=response[keep],
            slope=slope,
            frozen=frozen[keep],
            unpenalized=unpenalized[keep],
        )


def _with_two_more(table: npt.NDArray[Any], value: int = 0) -> npt.NDArray[Any]:
    """Add rows for two more nodes at the end."""
    larger = np.full((len(table) + 2, *table.shape[1:]), value, table.dtype)
    larger[:-2] = table
    return larger


def gate_penalty(
    frozen: npt.NDArray[np.bool_], unpenalized: npt.NDArray[np.bool_], penalty: float, log_penalty: float
) -> tuple[Floats, Floats]:
    """Strength and log penalty of the weights of gates, (gates, columns + 1) as one row; frozen ones do not change.

    Biases have no penalty, nor do weights of unpenalized gates. A gate with frozen weights has a ridge penalty.
    """
    strength = np.where(frozen, -1.0, np.where(unpenalized, 0.0, penalty)[:, None])
    strength[:, -1] = 0.0
    return strength.ravel(), np.repeat(np.where(frozen.any(axis=1), 0.0, log_penalty), frozen.shape[1])
