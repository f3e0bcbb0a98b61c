"""One online epoch of a budding tree, nanoseconds per row and node, against two simple programs with Eigen.

    python -m bench.speed.budding [EIGEN_INCLUDE_FOLDER]

All have a full tree of the same depth and take one AdaGrad step per row; processor time, best epoch. `Eigen` is
organised like the authors' program (dynamic vectors throughout), `lean` has one output only and stores no slopes.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
from functools import partial

import numpy as np

from bench.speed.clock import time_best
from softwood import kernels
from softwood.kernels.contracts.online_state import NODES, OnlineOptions, OnlineState, init_state, pad_rows
from softwood.kernels.kinds import Loss

ROWS, EPOCHS = 5_000, 7
CASES = [(10, 3), (10, 4), (30, 3), (64, 4)]
SOURCES = {"Eigen": "budding_eigen.cpp", "lean": "budding_lean.cpp"}
FLAGS = ["-O3", "-std=c++20", "-DNDEBUG"]


def full_tree(columns: int, depth: int) -> OnlineState:
    """A state with all nodes to the given depth and no room for more."""
    n = 2 ** (depth + 1) - 1
    state = init_state(columns, 1, room=n, seed=1)
    inner = np.arange(n // 2)
    state.first_child[inner] = 2 * inner + 1
    state.count[NODES] = n
    rng = np.random.default_rng(0)
    state.gate[inner] = 0.01 * rng.normal(size=(len(inner), columns + 1))
    state.response[:] = 0.01 * rng.normal(size=(n, 1, 1))
    state.leafness[:] = np.where(np.arange(n) < len(inner), 0.5, 1.0)
    return state


def ours(columns: int, depth: int) -> float:
    """Nanoseconds per row."""
    rng = np.random.default_rng(0)
    phi = rng.uniform(-1, 1, (ROWS, columns))
    y = np.sin(3 * phi[:, :1]) + phi[:, 1:2]
    rows = pad_rows(phi), y.astype(np.float32), np.ones(ROWS, np.float32), np.arange(ROWS)
    best = np.inf
    for _ in range(EPOCHS):
        state, options = full_tree(columns, depth), OnlineOptions(Loss.SQUARED, 0.0, step=0.01)
        state.parts(state.memory)[2][:] = 1e6  # leafness hardly moves: the structure stays
        best = min(best, time_best(partial(kernels.train_buds, state, *rows, options), 1))
        assert state.n_nodes == state.room
    return 1e9 * best / ROWS


def main() -> None:
    include = sys.argv[1] if len(sys.argv) > 1 else "/usr/include/eigen3"
    if not pathlib.Path(include, "Eigen").exists():
        print(f"skipped: no Eigen at {include}; install it (libeigen3-dev) or give its folder.")
        return
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: compiled(source, include, pathlib.Path(folder, name)) for name, source in SOURCES.items()}
        print("columns  nodes  softwood ns/row  ns/row/node  Eigen ns/row  times as fast  lean ns/row  times as fast")
        for columns, depth in CASES:
            mine, nodes = ours(columns, depth), 2 ** (depth + 1) - 1
            line = f"{columns:7d}  {nodes:5d}  {mine:15.0f}  {mine / nodes:11.1f}"
            for name, program in programs.items():
                words = [program, str(ROWS), str(columns), str(depth), str(EPOCHS)]
                theirs = float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
                line += f"  {theirs:{len(name) + 7}.0f}  {theirs / mine:13.1f}"
            print(line)


def compiled(source: str, include: str, program: pathlib.Path) -> str:
    """The program, built."""
    code = pathlib.Path(__file__).with_name(source)
    subprocess.run(["c++", *FLAGS, f"-I{include}", str(code), "-o", str(program)], check=True)
    return str(program)


if __name__ == "__main__":
    main()
