"""Out-of-core rows and clusters: the time of a pass, and an estimate for many more rows.

    python -m bench.engines make FOLDER --rows 100000000     Parquet files of synthetic rows, a million each
    python -m bench.engines fit FOLDER --learner cart        one fit in batches: seconds, peak of memory
    python -m bench.engines passes                           passes over a Dask cluster of 1 and 2 workers beside memory
    python -m bench.engines scheduler --passes 1000          what passes leave on the scheduler
    python -m bench.engines stream                           partial_fit of a budding tree behind Arrow batches
    python -m bench.engines simulate                         many rows on many workers, from the parts measured

Rows are synthetic: ten inputs, y = tanh(2 x0) + sin(2 x1) + x2 x3 / 2 + [x4 > 1] + noise of deviation 0.3.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from softwood import Batches, BuddingTreeRegressor, CARTRegressor, SoftTreeRegressor
from softwood.engines.batches import SoftRows, TreeSums
from softwood.engines.binned_rows import EVERY, BinnedPiece, Bins, FoldQuestion, HistogramSums
from softwood.kernels.contracts.bin_tree import BinTree
from softwood.kernels.kinds import Loss
from softwood.learners.soft.columns.build import build_design
from softwood.learners.soft.columns.design import BasisSpec
from softwood.learners.soft.columns.piecewise import expansion_of

Floats = npt.NDArray[np.float64]

INPUTS, GATES, BINS, LEVEL = (
    10,
    7,
    255,
    16,
)  # of synthetic rows; of a soft tree; of CART: bins, and nodes of a deep level
PIECE = 1_000_000  # rows per file
NOISE = 0.3
REPEATS = 7


def make_rows(rows: int, seed: int) -> tuple[Floats, Floats]:
    """Some rows, by their seed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, INPUTS))
    y = np.tanh(2 * X[:, 0]) + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] / 2 + (X[:, 4] > 1)
    return X, y + NOISE * rng.normal(size=rows)


def write_rows(folder: Path, rows: int) -> None:
    """Parquet files of a million rows each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, rows, PIECE):
        X, y = make_rows(min(PIECE, rows - begin), begin // PIECE)
        table = pa.table({**{f"x{f}": X[:, f] for f in range(INPUTS)}, "y": y})
        pq.write_table(table, folder / f"{begin // PIECE:05}.parquet", row_group_size=100_000, compression="none")


def fit_folder(folder: Path, learner: str, memory: str) -> dict[str, Any]:
    """One fit in batches: wall and CPU seconds, peak of the process, error on fresh rows."""
    model: Any = CARTRegressor(max_leaves=64, verbose=True)
    if learner == "soft":
        model = SoftTreeRegressor(gate="linear", leaf="constant", max_leaves=8, verbose=True)
    begin, cpu = time.perf_counter(), time.process_time()
    model.fit(Batches(folder, memory=memory), "y")
    spans = {"wall s": time.perf_counter() - begin, "processor s": time.process_time() - cpu}
    X, y = make_rows(100_000, seed=999_999)
    error = float(np.mean((model.tree_.predict(X)[:, 0] - y) ** 2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"learner": learner, "rows": model.tree_.provenance.n_rows, **spans, "peak MiB": peak, "mse": error}


# -- passes --------------------------------------------------------------------------------------------------------


def soft_rows(rows: int, seed: int) -> SoftRows:
    """A part of the rows, as for sums of a soft tree with linear gates."""
    X, y = make_rows(rows, seed)
    sample = make_rows(5_000, seed=0)[0]
    expansion = expansion_of(build_design(sample, [0] * INPUTS, np.ones(len(sample)), BasisSpec()), INPUTS)
    return SoftRows(X, y[:, None], np.ones(rows), expansion, Loss.SQUARED, n_threads=1, single=True)


def soft_question() -> TreeSums:
    """Loss and gradient of a full tree."""
    first = np.where(np.arange(2 * GATES + 1) < GATES, 2 * np.arange(2 * GATES + 1) + 1, -1).astype(np.int32)
    parameters = np.random.default_rng(1).normal(size=GATES * (INPUTS + 1) + GATES + 1)
    return TreeSums("gradient", (first, np.full(GATES + 1, -1, np.int32), 0, INPUTS, 1), parameters)


def binned_rows(rows: int, seed: int) -> BinnedPiece:
    """A part of the rows, as for CART."""
    X, y = make_rows(rows, seed)
    bins = Bins([np.linspace(-3, 3, BINS - 1)] * INPUTS, np.zeros(INPUTS, np.int32))
    return BinnedPiece(bins.codes(X), y[:, None], np.ones(rows), np.zeros(rows, np.uint8))


def histogram_question() -> HistogramSums:
    """Histograms of all nodes of a level of LEVEL nodes."""
    nodes = 2 * LEVEL - 1
    branch = np.arange(nodes) < LEVEL - 1
    first = np.where(branch, 2 * np.arange(nodes) + 1, -1).astype(np.int32)
    feature = np.where(branch, np.arange(nodes) % INPUTS, -1).astype(np.int32)
    child = np.tile((np.arange(BINS + 1) > BINS // 2).astype(np.int8), (nodes, 1))
    leaves = list(range(LEVEL - 1, nodes))
    question = FoldQuestion(BinTree(first, feature, child), leaves, np.zeros((LEVEL, 1)), EVERY)
    return HistogramSums([question], BINS, 0)


KINDS: dict[str, tuple[Callable[[int, int], Any], Callable[[], Any]]] = {
    "soft gradient": (soft_rows, soft_question),
    "CART level of 16 nodes": (binned_rows, histogram_question),
}


def best_of(work: Callable[[], Any]) -> tuple[float, float]:
    """Lowest wall and processor seconds of this process in REPEATS runs, after a warm-up."""
    work()
    spans = []
    for _ in range(REPEATS):
        begin, cpu = time.perf_counter(), time.process_time()
        work()
        spans.append((time.perf_counter() - begin, time.process_time() - cpu))
    wall, used = np.array(spans).min(axis=0)
    return float(wall), float(used)


def _take(ask: Callable[[], Any], rows: Any) -> Any:
    return ask().take(rows)


def _collect(ask: Callable[[], Any], parts: Any) -> Any:
    return parts.collect(ask())


def measure_passes(rows: int) -> dict[str, Any]:
    """Passes over `rows` per worker: in this process, on one worker, on two; and the cost of a pass without rows."""
    from distributed import Client, LocalCluster

    from softwood.engines.dask import DaskParts

    found: dict[str, Any] = {"rows a worker": rows, "load": os.getloadavg()[0]}
    for name, (make, ask) in KINDS.items():
        here = make(rows, 0)
        wall, cpu = best_of(partial(_take, ask, here))
        found[name] = {"memory ms": 1e3 * wall, "memory ns a row": 1e9 * cpu / rows}
    for n in (1, 2):
        with (
            LocalCluster(n_workers=n, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            for name, (make, ask) in KINDS.items():
                parts: DaskParts[Any] = DaskParts(client, client.map(make, [rows] * n, range(n), pure=False))
                parts.collect(ask())
                before = sum(client.run(time.process_time).values())
                wall, cpu = best_of(partial(_collect, ask, parts))
                after = sum(client.run(time.process_time).values())
                found[name] |= {
                    f"{n} workers ms": 1e3 * wall,
                    f"{n} workers, driver's processor ms": 1e3 * cpu,
                    f"{n} workers, their processor ns a row": 1e9 * (after - before) / ((REPEATS + 1) * n * rows),
                }
            for count in (1, 8, 32):
                parts = DaskParts(client, client.map(soft_rows, [10] * count, range(count), pure=False))
                wall, cpu = best_of(partial(_collect, soft_question, parts))
                found[f"{n} workers, {count} empty partitions"] = {"ms": 1e3 * wall, "driver's processor ms": 1e3 * cpu}
    return found


def measure_scheduler(passes: int) -> dict[str, Any]:
    """Memory of the process with driver and scheduler, and the scheduler's tasks, over many passes."""
    from distributed import Client, LocalCluster

    from softwood.engines.dask import DaskParts

    found = []
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        parts: DaskParts[Any] = DaskParts(client, client.map(soft_rows, [10] * 4, range(4), pure=False))
        for number in range(passes + 1):
            parts.collect(soft_question())
            if number % (passes // 5) == 0:
                memory = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
                found.append({"pass": number, "MiB": round(memory, 1), "tasks": len(cluster.scheduler.tasks)})
    return {"passes": found}


# -- a stream ------------------------------------------------------------------------------------------------------


def arrow_batches(batches: int, rows: int) -> Iterator[Any]:
    """A stream: batches of Arrow, one after the other."""
    import pyarrow as pa

    for seed in range(batches):
        X, y = make_rows(rows, seed)
        yield pa.table({**{f"x{f}": X[:, f] for f in range(INPUTS)}, "y": y})


def measure_stream(batches: int, rows: int) -> dict[str, Any]:
    """`partial_fit` of a budding tree on each batch of a stream."""
    model, names, spans = BuddingTreeRegressor(), [f"x{f}" for f in range(INPUTS)], []
    for table in arrow_batches(batches, rows):
        begin = time.process_time()
        model.partial_fit(table.select(names), table["y"])
        spans.append(time.process_time() - begin)
    X, y = make_rows(20_000, seed=999_999)
    error = float(np.mean((model.tree_.predict(X)[:, 0] - y) ** 2))
    rate = rows / np.array(spans[1:])
    told = {"first": rate[0], "median": float(np.median(rate)), "last": rate[-1]}
    return {"batches": batches, "rows a batch": rows, "rows/s of processor time": told, "mse": error}


# -- a simulation --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cluster:
    """The parts of a pass: workers by cores and partitions; seconds, bytes and bytes a second."""

    workers: int = 100
    cores: int = 16
    partitions: int = 16  # of a worker; with one its cores work as threads (n_jobs)
    fixed: float = 0.010  # a pass without rows
    task: float = 0.0015  # of the scheduler, per task
    latency: float = 0.001  # of a message
    bandwidth: float = 1.25e9  # 10 Gbit/s, of a worker
    group: int = 16  # accumulators merged by one task

    def pass_seconds(self, rows: float, row: float, answer: float) -> float:
        """One pass over `rows`, at `row` seconds per row and core; every partition returns `answer` bytes."""
        parts = self.workers * self.partitions
        total, left = self.fixed + rows / (self.workers * self.cores) * row, parts
        total += parts * self.task
        while left > self.group:
            left = -(-left // self.group)
            total += 2 * self.latency + (self.group - 1) * answer / self.bandwidth + left * self.task
        return total + left * answer / self.bandwidth


def simulate(row_soft: float, row_cart: float, task: float, fixed: float) -> list[dict[str, Any]]:
    """A pass of a soft tree and of one level of CART over many rows, with one partition per worker and one per core."""
    soft_bytes = 8.0 * (GATES * (INPUTS + 1) + GATES + 2)
    level_bytes = 8.0 * LEVEL * INPUTS * (BINS + 1) * 3
    found = []
    for rows, partitions in ((1e9, 1), (1e9, 16), (1e10, 1), (1e10, 16)):
        cluster = Cluster(task=task, fixed=fixed, partitions=partitions)
        alone = 1.0 if partitions > 1 else max(1.0, cluster.cores / INPUTS)  # in CART each thread has one input
        parts = ((row_soft, soft_bytes), (row_cart * alone, level_bytes))
        soft, level = (cluster.pass_seconds(rows, *each) for each in parts)
        found.append(
            {"rows": rows, "partitions a worker": partitions, "soft pass s": soft, "100 passes s": 100 * soft}
            | {"CART level s": level, "10 levels s": 10 * level}
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "fit", "passes", "scheduler", "stream", "simulate"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--learner", choices=("cart", "soft"), default="cart")
    parser.add_argument("--memory", default="1 GiB")
    parser.add_argument("--passes", type=int, default=1_000)
    parser.add_argument("--parts", type=json.loads, default="[62e-9, 122e-9, 0.0012, 0.01]", help="of simulate")
    given = parser.parse_args()
    work: dict[str, Callable[[], Any]] = {
        "make": lambda: write_rows(given.folder, given.rows),
        "fit": lambda: fit_folder(given.folder, given.learner, given.memory),
        "passes": lambda: measure_passes(given.rows),
        "scheduler": lambda: measure_scheduler(given.passes),
        "stream": lambda: measure_stream(batches=20, rows=10_000),
        "simulate": lambda: simulate(*given.parts),
    }
    print(json.dumps(work[given.what](), indent=1))


if __name__ == "__main__":
    main()
