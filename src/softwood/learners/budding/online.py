"""The budding tree of İrsoy, Yıldız and Alpaydın (2014): all parameters by stochastic gradient descent, row by row.

    minimise  loss + leafness_penalty sum_m (1 - leafness[m]),  leafness in [0, 1]

The first epoch scales rows like a stream (scaling.py), so one epoch and one pass over chunks give the same tree;
afterwards the scaling is fixed. `leafness_penalty` None tries a path of penalties from high to low, each starting from
the previous tree with its sums of squares cleared, for each of several steps, and keeps the tree with the lowest
held-out loss. Without validation rows a proportion of the rows is held out for the selection; then the selected tree
continues with all rows.

Differs from the poster: inputs and numeric targets are scaled; AdaGrad by default, as in the authors' program; the
number of nodes is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softwood.arrays import Floats
from softwood.kernels.contracts.online_state import OnlineOptions, Rule, pad_rows
from softwood.kernels.formulas.losses import row_loss
from softwood.kernels.kinds import Loss
from softwood.learners.budding.params import existence
from softwood.learners.budding.stream import Stream
from softwood.learners.soft.rows.dataset import Dataset

LEAFNESS_PENALTIES = (1e-2, 1e-3, 1e-4, 1e-5)  # leafness penalties to try, one after the other
STREAM_LEAFNESS_PENALTY = 1e-4  # without held-out rows, as in a stream
STEP_SIZES = {Rule.ADAGRAD: (0.3, 0.5), Rule.SGD: (0.1, 0.01), Rule.ADAM: (0.01, 0.003)}
PATIENCE_EPOCHS = 60  # epochs without gain on held-out rows after which the next penalty is tried
FINAL_EPOCHS = 50  # epochs on all rows after the selection
MAX_IDLE_PENALTIES = 2  # penalties without gain after which the path ends
SELECTION_MAX_ROWS = 20_000  # rows that are enough for the selection
Path = list[tuple[float, int]]  # leafness penalties and the epochs each may take


@dataclass(frozen=True)
class Online:
    """Options. None selects the leafness penalty and the step.

    keep : whether an interrupt ends the fit with the best tree so far; otherwise it is raised.
    keep_steps : whether the result has the stream after every epoch that led to the tree.
    """

    leafness_penalty: float | None = None
    step: float | None = None
    rule: Rule = Rule.ADAGRAD
    batch: int = 1
    weight_penalty: float = 0.0
    linear: bool = False
    max_nodes: int = 63
    max_epochs: int = 200
    shuffle: bool = True
    seed: int = 0
    keep: bool = False
    report: Callable[[dict[str, Any]], None] = lambda entry: None
    keep_steps: bool = False

    def options(self, loss: Loss, leafness_penalty: float | None = None, step: float | None = None) -> OnlineOptions:
        """The options of the kernel, for a penalty and a step."""
        penalty = leafness_penalty if leafness_penalty is not None else self.leafness_penalty
        size = step if step is not None else self.step
        return OnlineOptions(
            loss,
            STREAM_LEAFNESS_PENALTY if penalty is None else penalty,
            self.weight_penalty,
            self.rule,
            STEP_SIZES[self.rule][0] if size is None else size,
            self.batch,
        )

    def begin(self, dataset: Dataset, options: OnlineOptions) -> Stream:
        """An empty stream for rows of this kind."""
        outputs = dataset.target.shape[1]
        return Stream.begin(list(dataset.n_levels), outputs, options, self.max_nodes, self.linear, self.seed)


@dataclass(frozen=True)
class WarmStart:
    """A stream after some epochs, and their history; `interrupted` if it ended early.

    steps : the stream after each of these epochs; empty unless requested.
    """

    stream: Stream
    history: list[dict[str, Any]]
    interrupted: bool = False
    steps: tuple[Stream, ...] = ()


def learn_online(dataset: Dataset, how: Online, validation: Dataset | None) -> WarmStart:
    """Learn a budding tree; validation rows are never trained on."""
    rows = dataset.in_order(how.seed) if how.shuffle else dataset
    penalties = LEAFNESS_PENALTIES if how.leafness_penalty is None else (how.leafness_penalty,)
    path = [(penalty, how.max_epochs) for penalty in penalties]
    if how.leafness_penalty is not None and how.step is not None:
        return _best(_epochs(rows, how, path, how.step, validation), how.keep)
    learn, valid = (rows, validation) if validation is not None else _divided(rows)
    tried = list[WarmStart]()
    for step in STEP_SIZES[how.rule] if how.step is None else (how.step,):
        try:
            tried.append(_best(_epochs(learn, how, path, step, valid), how.keep))
        except KeyboardInterrupt:
            if not (how.keep and tried):
                raise
            tried.append(replace(tried[-1], interrupted=True))
        if tried[-1].interrupted:
            break
    best = min(tried, key=lambda grown: grown.history[-1]["held_out_loss"])
    if tried[-1].interrupted:
        return replace(best, interrupted=True)
    return best if learn is rows else _on_all(best, rows, valid, how)


def _divided(rows: Dataset) -> tuple[Dataset, Dataset]:
    """Training rows before the selection, and validation rows; a single row is in both."""
    out = rows.head(SELECTION_MAX_ROWS).held_out()
    if not out:
        return rows, rows
    known = np.zeros(len(rows))
    known[:SELECTION_MAX_ROWS] = rows.weight[:SELECTION_MAX_ROWS] - out[0]
    if rows.group is None:
        return rows.part(known), rows.part(rows.weight - known)
    held = ~np.isin(rows.group, rows.group[known > 0])
    return rows.part(known), rows.part(np.where(held, rows.weight, 0.0))


def _on_all(chosen: WarmStart, rows: Dataset, rest: Dataset, how: Online) -> WarmStart:
    """The chosen tree also learns from the held-out rows, then continues with all rows for some epochs."""
    stream, history, steps = chosen.stream, list(chosen.history), list(chosen.steps)
    stream.learn(rest.X, rest.target, rest.weight)
    scaled = _scaled(stream, rows)
    rng = np.random.default_rng(how.seed + 1)
    try:
        for _ in range(min(how.max_epochs, FINAL_EPOCHS)):
            loss = stream.train(*scaled, rng.permutation(len(rows.X)) if how.shuffle else np.arange(len(rows.X)))
            history.append(history_entry(stream, len(history) + 1, loss))
            how.report(history[-1])
            steps += [stream.copy()] if how.keep_steps else []
    except KeyboardInterrupt:
        if not how.keep:
            raise
        return WarmStart(stream, history, True, tuple(steps))
    return WarmStart(stream, history, False, tuple(steps))


def _scaled(stream: Stream, rows: Dataset) -> tuple[Any, Any, Any]:
    """Rows in the format of the kernels, by the current scaling."""
    centre, scale = stream.units()
    target = ((rows.target - centre) / scale).astype(np.float32)
    return pad_rows(stream.inputs.columns().make(rows.X)), target, rows.weight.astype(np.float32)


def _best(epochs: Iterator[WarmStart], keep: bool) -> WarmStart:
    """The epoch with the lowest held-out loss, or the last one. An interrupt may keep the best so far."""
    best, interrupted = None, False
    try:
        for grown in epochs:
            if best is None or not _loss(grown) >= _loss(best):
                best = grown
    except KeyboardInterrupt:
        if not keep or best is None:
            raise
        interrupted = True
    if best is None:
        raise RuntimeError("no epoch was run.")
    return replace(best, interrupted=interrupted)


def _loss(grown: WarmStart) -> float:
    """Loss on held-out rows; NaN if there are none: then the latest epoch is the best."""
    return float(grown.history[-1].get("held_out_loss", np.nan))


def _epochs(rows: Dataset, how: Online, path: Path, step: float, valid: Dataset | None) -> Iterator[WarmStart]:
    """The state after every epoch, along the path of penalties."""
    rng, history, steps = np.random.default_rng(how.seed), list[dict[str, Any]](), list[Stream]()
    stream = how.begin(rows, how.options(rows.loss, path[0][0], step))
    first = rng.permutation(len(rows.X)) if how.shuffle else np.arange(len(rows.X))
    loss = stream.learn(rows.X[first], rows.target[first], rows.weight[first])
    x, target, weight = _scaled(stream, rows)
    columns, (centre, scale) = stream.inputs.columns(), stream.units()
    held = None if valid is None else (columns.make(valid.X), (valid.target - centre) / scale, valid.weight)
    best, without_gain = np.inf, 0
    for penalty, epochs in path:
        stream.options = replace(stream.options, leafness_penalty=penalty)
        stream.state.memory[:] = stream.state.memory if penalty == path[0][0] else 0.0
        before, idle = best, 0
        for _ in range(epochs):
            if history:
                order = rng.permutation(len(x)) if how.shuffle else np.arange(len(x))
                loss = stream.train(x, target, weight, order)
            history.append(history_entry(stream, len(history) + 1, loss, held))
            how.report(history[-1])
            steps += [stream.copy()] if how.keep_steps else []
            yield WarmStart(replace(stream, state=stream.state.copy()), list(history), steps=tuple(steps))
            now = history[-1].get("held_out_loss", -np.inf)
            idle, best = (0, now) if now < best else (idle + 1, best)
            if idle == PATIENCE_EPOCHS and valid is not None:
                break
        without_gain = without_gain + 1 if best >= before else 0
        if valid is not None and without_gain == MAX_IDLE_PENALTIES:
            return


def history_entry(
    stream: Stream, epoch: int, loss: float, held: tuple[Floats, Floats, Floats] | None = None
) -> dict[str, Any]:
    """An entry of the history: one epoch."""
    state = stream.state
    child, leafness = state.first_child[: state.n_nodes].copy(), state.leafness.astype(np.float64)
    entry = {
        "epoch": epoch,
        "loss": loss,
        "leafness_penalty": stream.options.leafness_penalty,
        "step": stream.options.step,
        "n_nodes": state.n_nodes,
        "effective_size": float(existence(child, leafness).sum()),
        "leafness": leafness,
        "first_child": child,
    }
    if held is not None:
        phi, target, weight = held
        entry["held_out_loss"] = float(
            np.average(row_loss(stream.options.loss, stream.answer(phi), target), weights=weight)
        )
    return entry
