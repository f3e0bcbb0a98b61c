"""Every learner grows the same tree on every machine: hashes of golden trees, made on ARM, hold everywhere.

SOFTWOOD_REGENERATE=1 writes them anew, after a change of a learner. `make machines` compares them under every path of
instructions, NumPy's features and OpenBLAS's kernels that this machine has, and on the other processor by emulation.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from softwood.kernels.dispatch import kernels
from tests.machines.trees import LOSSES, cases, digest

GOLDEN = Path(__file__).with_name("golden_trees.json")
ROOT = Path(__file__).parents[2]
HASHES: dict[str, str] = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
OTHER_BLAS = {"x86_64": "Prescott", "aarch64": "CORTEXA57"}  # kernels of OpenBLAS that any such machine runs

if kernels == "reference":
    pytest.skip("NumPy's kernels: last digits depend on the machine", allow_module_level=True)


LIKE_SOFT = [f"BuddingTreeRegressor {loss} counts" for loss in LOSSES[1:]]  # losses that soft trees have, too


@pytest.mark.parametrize(
    ("name", "fit"),
    [pytest.param(*case, id=case[0], marks=[pytest.mark.long] * (case[0] in LIKE_SOFT)) for case in cases()],
)
def test_a_golden_tree_has_the_hash_it_has_everywhere(name: str, fit: object) -> None:
    found = digest(*fit())  # type: ignore[operator]
    if os.environ.get("SOFTWOOD_REGENERATE"):
        known = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
        GOLDEN.write_text(json.dumps(dict(sorted((known | {name: found}).items())), indent=1) + "\n")
        return
    assert found == HASHES[name]


def test_every_golden_tree_is_known() -> None:
    names = [name for name, _ in cases()]
    assert len(names) >= 60
    assert sorted(names) == sorted(HASHES)


@pytest.mark.parametrize(
    ("word", "least"), [("SoftTreeClassifier two", 1), pytest.param("", 60, marks=pytest.mark.long)]
)
def test_another_blas_and_the_plain_path_change_no_tree(word: str, least: int) -> None:
    """One process that emulates another machine; a soft tree of classes among the golden ones, or all."""
    other = {
        "SOFTWOOD_SIMD": "plain",
        "OPENBLAS_CORETYPE": OTHER_BLAS.get(platform.machine(), ""),
        "OPENBLAS_NUM_THREADS": "4",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX2" if platform.machine() == "x86_64" else "",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    }
    command = [sys.executable, "-W", "ignore", "-m", "tests.machines.trees", word]
    environment = os.environ | {name: value for name, value in other.items() if value}
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found = json.loads(told.stdout)
    assert len(found) >= least
    assert found == {name: HASHES[name] for name in found}
