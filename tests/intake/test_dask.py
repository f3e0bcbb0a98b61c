"""Dask collections: the same tree as in memory, for any workers and partitions; killed workers; lazy predictions.

Worker processes are real (LocalCluster); tables are small, as starting a process takes longer than a fit.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

from softwood import (
    Batches,
    BuddingTreeRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    SoftTreeClassifier,
    SoftTreeRegressor,
)
from softwood.engines import dask as engine
from tests import warm_process
from tests.intake.batch_tables import INPUTS, draw_samples_of, table_of
from tests.intake.test_batches import HOW as BATCHED
from tests.intake.test_batches import assert_same

FRAME: pd.DataFrame = table_of(1500).to_pandas()
HOW = {**BATCHED, "max_iter": 4}  # a pass takes longer than its rows
CART = {"max_leaves": 8, "missing": "direction", "cv": 3}
PATIENT = 90.0  # seconds after which a fit counts as hanging


QUIET = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}


class Cluster(LocalCluster):
    """A cluster that may lose a worker before it is registered.

    A worker that is killed while the cluster lists its workers is removed before it is registered; LocalCluster stores
    that KeyError and raises it when it is closed, long after the test that killed the worker.
    """

    def _update_worker_status(self, op: str, msg: Any) -> None:
        if op != "remove" or msg in self.scheduler_info["workers"]:
            super()._update_worker_status(op, msg)


@pytest.fixture(scope="module")
def worker_processes() -> Iterator[tuple[LocalCluster, Client]]:
    forked = {"distributed.worker.multiprocessing-method": "forkserver"}  # processes that have imported all they need
    with dask.config.set(forked):
        get_mp_context()  # names what its processes import beforehand, once: ours import more
        warm_process.CONTEXT.set_forkserver_preload(warm_process.PRELOADED)
    with dask.config.set(forked), Cluster(n_workers=1, **QUIET) as made, Client(made) as client:
        yield made, client


@pytest.fixture(scope="module")
def worker_threads() -> Iterator[tuple[LocalCluster, Client]]:
    with Cluster(n_workers=2, processes=False, **QUIET) as made, Client(made) as client:
        yield made, client


@pytest.fixture
def processes(worker_processes: tuple[LocalCluster, Client]) -> Iterator[LocalCluster]:
    """A cluster of one worker process; tests that need more ask for them."""
    with worker_processes[1].as_current():
        yield worker_processes[0]


@pytest.fixture
def cluster(worker_threads: tuple[LocalCluster, Client]) -> Iterator[LocalCluster]:
    """A cluster of two workers in this process, which start at once."""
    with worker_threads[1].as_current():
        yield worker_threads[0]


def workers(cluster: LocalCluster, n: int) -> Client:
    """A client of the cluster, which has n workers from now on."""
    client = Client.current()
    cluster.scale(n)
    client.wait_for_workers(n, timeout=60)
    return client


def frame_of(columns: list[str], partitions: int = 4) -> Any:
    return dd.from_pandas(FRAME[columns], npartitions=partitions)


def cut_at(places: list[int], columns: list[str]) -> Any:
    """Partitions that end at these rows; some may be empty."""
    frame = FRAME[columns]
    ends = [0, *places, len(frame)]
    parts = [frame.iloc[a:b] for a, b in pairwise(ends)]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def assert_equal_trees(one: Any, other: Any) -> None:
    for name in ("first_child", "threshold", "response", "weight", "count"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)


@pytest.mark.parametrize("sizes", [(1, 2), pytest.param((1, 2, 4), marks=pytest.mark.long)], ids=str)
def test_any_number_of_workers_gives_one_tree_that_of_memory(
    sizes: tuple[int, ...], processes: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_samples_of(1000, monkeypatch)  # of more rows; the others are summed on the cluster
    soft, cart = [], []
    for n in sizes:
        workers(processes, n)
        soft.append(SoftTreeRegressor(**HOW).fit(frame_of([*INPUTS, "y"]), "y"))
        if n in (1, sizes[-1]):
            cart.append(CARTClassifier(**CART).fit(frame_of([*INPUTS, "two"]), "two"))
    for trees in (soft, cart):
        for tree in trees[1:]:
            assert_equal_trees(tree, trees[0])
    assert_same(soft[0], SoftTreeRegressor(**HOW).fit(FRAME[INPUTS], FRAME["y"]), FRAME[INPUTS])
    batched = CARTClassifier(**CART).fit(Batches(FRAME[[*INPUTS, "two"]]), "two")
    assert batched.tree_.n_leaves > 3
    np.testing.assert_array_equal(cart[0].tree_.threshold, batched.tree_.threshold)
    np.testing.assert_allclose(cart[0].tree_.response, batched.tree_.response)
    assert cart[0].classes_.tolist() == ["high", "low"]
    assert cart[0].feature_names_in_.tolist() == INPUTS


def test_few_rows_on_a_cluster_give_the_tree_of_memory_bit_for_bit(cluster: LocalCluster) -> None:
    how = {**HOW, "max_iter": 200}
    memory = SoftTreeRegressor(**how).fit(FRAME[INPUTS], FRAME["y"], sample_weight=FRAME["w"])
    for partitions in (1, 5):
        found = SoftTreeRegressor(**how).fit(frame_of([*INPUTS, "y", "w"], partitions), "y", sample_weight="w")
        assert_equal_trees(found, memory)


@pytest.mark.parametrize(
    "places", [[], [0, 0, 1, 1499], pytest.param(list(range(80, 1500, 84)), marks=pytest.mark.long)]
)
def test_partitions_of_any_size_give_the_tree_of_memory(
    cluster: LocalCluster, places: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_samples_of(700, monkeypatch)  # of more rows; the others are summed on the cluster
    memory = SoftTreeClassifier(**HOW).fit(FRAME[INPUTS], FRAME["three"], sample_weight=FRAME["w"])
    found = SoftTreeClassifier(**HOW).fit(cut_at(places, [*INPUTS, "three", "w"]), "three", sample_weight="w")
    assert_same(found, memory, FRAME[INPUTS])
    if len(places) > 4:
        return  # one learner will do: merges on the workers are the same
    batched = CARTRegressor(**CART, prune=None).fit(Batches(FRAME[[*INPUTS, "y"]]), "y")
    cart = CARTRegressor(**CART, prune=None).fit(cut_at(places, [*INPUTS, "y"]), "y")
    np.testing.assert_array_equal(cart.tree_.threshold, batched.tree_.threshold)


def read_tables(folder: Path) -> Iterator[tuple[str, Any, Any, Any]]:
    """X, y and weights that Dask would optimise into different numbers of partitions, or read in different ways."""
    frame = FRAME[["a", "b", "c", "y", "w"]].assign(k=np.arange(len(FRAME)))
    for i in range(6):
        frame.iloc[i * 250 : (i + 1) * 250].to_parquet(folder / f"{i}.parquet")
    table = dd.read_parquet(folder)
    yield "columns", table[["a", "b", "c"]], table["y"], table["w"]
    yield "drop", table.drop(columns=["y", "w", "k"]), table["y"], None
    yield "computed", 2 * table[["a", "b"]], table["y"] + table["a"], None
    yield "a name", 2 * table[["a", "b", "y"]], "y", None
    kept = table[table["a"] > 0]
    yield "filter", kept.drop(columns=["y", "w", "k"]), kept["y"], kept["w"]
    kept = dd.read_parquet(folder, filters=[("k", ">", 800)])
    yield "filters", kept[["a", "b"]], kept["y"], None
    merged = table[["a", "b", "k"]].merge(dd.from_pandas(frame[["k", "y", "w"]], npartitions=5), on="k")
    yield "merge", merged[["a", "b"]], merged["y"], merged["w"]
    for n in (3, 13):
        cut = table.repartition(npartitions=n)
        yield f"repartition {n}", cut[["a", "b"]], cut["y"], None
    held = table.persist()
    yield "persisted", held[["a", "b"]], held["y"], held["w"]
    yield "persisted X", held[["a", "b"]], table["y"], None


@pytest.mark.long
def test_projections_of_one_table_stay_together(cluster: LocalCluster, tmp_path: Path) -> None:
    how = {"max_leaves": 6, "missing": "direction", "prune": None}
    for name, X, y, weight in read_tables(tmp_path):
        rows = X.compute().reset_index(drop=True)
        rows["target"] = rows.pop(y) if isinstance(y, str) else y.compute().to_numpy()
        rows["weight"] = 1.0 if weight is None else weight.compute().to_numpy()
        found = CARTRegressor(**how).fit(X, y, sample_weight=weight)
        wanted = CARTRegressor(**how).fit(Batches(rows), "target", sample_weight="weight")
        assert wanted.tree_.n_leaves == 6
        np.testing.assert_array_equal(found.tree_.threshold, wanted.tree_.threshold, err_msg=name)
        np.testing.assert_array_equal(found.tree_.count, wanted.tree_.count, err_msg=name)


def test_arrays_several_targets_and_rows_to_choose_by(cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(700, monkeypatch)
    X, y = FRAME[["a", "b", "c"]].to_numpy(), FRAME[["y", "a"]].to_numpy()
    weight = FRAME["w"].to_numpy().astype(float)
    held = (X[:200], y[:200])
    memory = SoftTreeRegressor(**HOW).fit(X, y, weight, *held)
    blocks = da.from_array(X, chunks=(400, 2))
    assert_same(SoftTreeRegressor(**HOW).fit(blocks, y, weight, *held), memory, X)
    lazy = (da.from_array(y, chunks=(300, 1)), da.from_array(weight, chunks=700))
    found = SoftTreeRegressor(**HOW).fit(blocks, *lazy, *held)
    assert_same(found, memory, X)
    np.testing.assert_array_equal(found.predict(blocks).compute(), found.predict(X))


def test_budding_trees_are_refined_on_the_cluster(cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(1000, monkeypatch)
    how = {"gate": "linear", "leaf": "constant", "weight_penalty": 1e-3, "leafness_penalty": 1e-3, "max_nodes": 3}
    memory = BuddingTreeRegressor(**how).fit(FRAME[INPUTS], FRAME["y"])
    found = BuddingTreeRegressor(**how).fit(frame_of([*INPUTS, "y"], 2), "y")
    np.testing.assert_array_equal(found.tree_.first_child, memory.tree_.first_child)
    assert found.score(FRAME[INPUTS], FRAME["y"]) == pytest.approx(memory.score(FRAME[INPUTS], FRAME["y"]), abs=0.01)
    with pytest.raises(ValueError, match="learner='online' processes one row after the other"):
        BuddingTreeRegressor(learner="online").fit(frame_of([*INPUTS, "y"]), "y")


def test_answers_are_lazy_and_those_of_memory(cluster: LocalCluster) -> None:
    model = CARTClassifier(**CART).fit(FRAME[INPUTS], FRAME["three"])
    rows = cut_at([0, 10], INPUTS)  # the first partition is empty
    for method in ("predict", "predict_proba", "apply", "predict_log_proba"):
        lazy = getattr(model, method)(rows)
        assert isinstance(lazy, da.Array)
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(lazy.compute(), getattr(model, method)(FRAME[INPUTS]))
    soft = SoftTreeRegressor(**HOW).fit(FRAME[INPUTS], FRAME["y"])
    np.testing.assert_array_equal(soft.predict(rows).compute(), soft.predict(FRAME[INPUTS]))
    with pytest.raises(ValueError, match="offset is for rows in memory"):
        soft.predict(rows, offset=1.0)
    text = CARTClassifier(**CART).fit(FRAME[INPUTS], FRAME["two"])
    np.testing.assert_array_equal(text.predict(rows).compute(), text.predict(FRAME[INPUTS]))


# -- what goes wrong -----------------------------------------------------------------------------------------------


def in_time(work: Callable[[], Any]) -> Any:
    """The result or exception of the work; an error if it hangs."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENT)
    assert found, f"the fit hangs: nothing came in {PATIENT} s"
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


def kill_in_pass(monkeypatch: pytest.MonkeyPatch, number: int, kill: Callable[[], None]) -> list[int]:
    """Kill a worker when this pass has been submitted; the passes seen."""
    wait, passes = engine.DaskParts._wait, [0]

    def kill_and_wait(self: Any, futures: list[Any]) -> list[Any]:
        passes[0] += 1
        if passes[0] == number:
            kill()
        return wait(self, futures)

    monkeypatch.setattr(engine.DaskParts, "_wait", kill_and_wait)
    return passes


def test_a_worker_killed_mid_fit_is_survived(processes: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(1000, monkeypatch)
    client = workers(processes, 2)
    rows = frame_of([*INPUTS, "y"])
    whole = SoftTreeRegressor(**HOW).fit(rows, "y")

    def kill() -> None:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    passes = kill_in_pass(monkeypatch, 5, kill)
    found = in_time(lambda: SoftTreeRegressor(**HOW).fit(rows, "y"))
    assert passes[0] > 5
    assert_equal_trees(found, whole)


async def remove_worker(dask_scheduler: Any, address: str) -> None:
    await dask_scheduler.remove_worker(address, stimulus_id="test")


def test_lost_rows_and_a_cluster_without_workers_end_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_samples_of(1000, monkeypatch)
    monkeypatch.setattr(engine, "PATIENCE", 1.0)
    monkeypatch.setattr(engine, "STEP", 0.3)
    with Cluster(n_workers=2, processes=False, **QUIET) as cluster, Client(cluster) as client:
        parts = client.scatter([FRAME[[*INPUTS, "y"]].iloc[at : at + 500] for at in (0, 500, 1000)])
        rows = dd.from_delayed(parts, meta=FRAME[[*INPUTS, "y"]].iloc[:0], verify_meta=False)

        def lose() -> None:
            first = next(iter(cluster.scheduler.workers))
            client.run_on_scheduler(remove_worker, address=first)

        kill_in_pass(monkeypatch, 3, lose)
        with pytest.raises(RuntimeError, match="rows were lost on the Dask cluster and could not be recomputed"):
            in_time(lambda: SoftTreeRegressor(**HOW).fit(rows, "y"))
        kill_in_pass(monkeypatch, 1, lambda: cluster.scale(0))
        with pytest.raises(RuntimeError, match="has had no running worker for 1 s"):
            in_time(lambda: SoftTreeRegressor(**HOW).fit(frame_of([*INPUTS, "y"]), "y"))


def test_passes_leave_nothing_on_the_scheduler(cluster: LocalCluster) -> None:
    client = Client.current()
    futures = client.map(_ones, range(20), pure=False)
    parts = engine.DaskParts(client, futures)
    left = []
    for _ in range(20):
        assert parts.collect(Total()).total == 20 * 3
        left.append(count_states(cluster))
    assert left[-1] <= max(left[5:10])


def count_states(cluster: LocalCluster) -> int:
    """The scheduler's state: tasks, their groups and prefixes."""
    scheduler = cluster.scheduler
    return len(scheduler.tasks) + len(scheduler.task_groups) + len(scheduler.task_prefixes)


def _ones(at: int) -> Any:
    return np.ones(3)


class Total:
    """Sums all numbers."""

    def __init__(self) -> None:
        self.total = 0.0

    def take(self, rows: Any) -> None:
        self.total += rows.sum()

    def merge(self, other: Total) -> None:
        self.total += other.total


# -- what is refused -----------------------------------------------------------------------------------------------


def test_what_does_not_fit_together_is_refused_before_any_work(cluster: LocalCluster) -> None:
    rows, model = frame_of([*INPUTS, "y"]), SoftTreeRegressor(**HOW)
    for y, words in [
        ("z", "X has no column 'z'; it has a, b, c, colour, y"),
        (None, "y is missing: of a data frame of Dask it must name a column"),
        (FRAME["y"].to_numpy(), "of a data frame of Dask it must name a column"),
        (dd.from_pandas(FRAME["y"], npartitions=3), "a series of Dask with its 4 partitions"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(rows, y)
    blocks = da.ones((100, 2), chunks=50)
    with pytest.raises(ValueError, match="must be an array of its 100 rows"):
        model.fit(blocks, np.ones(99))
    with pytest.raises(TypeError, match=r"C45Classifier needs rows in memory, but X is a data frame of Dask.*on a"):
        C45Classifier().fit(rows, "y")
    with pytest.raises(ValueError, match="engine='dask' takes data frames and arrays of Dask"):
        SoftTreeRegressor(**HOW, engine="dask").fit(FRAME[INPUTS], FRAME["y"])
    with pytest.raises(ValueError, match=r"engine='memory' takes rows in memory.*call X.compute\(\) first"):
        SoftTreeRegressor(**HOW, engine="memory").fit(rows, "y")
    with pytest.raises(TypeError, match=r"X_val must be rows in memory.*X_val.compute"):
        model.fit(rows, "y", X_val=rows, y_val=rows["y"])


def test_an_error_in_a_partition_says_which(cluster: LocalCluster) -> None:
    frame = FRAME[["a", "y"]].copy()
    frame.loc[frame.index[-1], "a"] = np.inf
    with pytest.raises(ValueError, match=r"partition 1 of DataFrame of Dask.*infinity: column 'a'"):
        SoftTreeRegressor(**HOW).fit(dd.from_pandas(frame, npartitions=2), "y")


def test_without_a_client_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    def none() -> None:
        raise ValueError

    monkeypatch.setattr(distributed, "get_client", none)
    with pytest.raises(RuntimeError, match=r"no client is connected to a cluster: dask.distributed.Client\(\) starts"):
        SoftTreeRegressor(**HOW).fit(frame_of([*INPUTS, "y"]), "y")
