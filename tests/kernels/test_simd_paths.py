"""SOFTWOOD_SIMD selects the instruction set of the native kernels; all paths but sse2 give the same bits.

Whole trees are compared in tests/machines.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

if os.environ.get("SOFTWOOD_KERNELS") == "reference":
    pytest.skip("SOFTWOOD_KERNELS=reference: the native kernels are not to be used", allow_module_level=True)

PASSES = """
import json, hashlib
import numpy as np
from softwood.kernels import _native as native

def digest(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()

rng = np.random.default_rng(0)
told = {}
for gates, columns, outputs, loss in [(1, 1, 1, 0), (2, 3, 1, 1), (5, 7, 3, 2), (7, 130, 2, 2), (3, 6, 2, 0)]:
    children = np.full(2 * gates + 1, -1, np.int32)
    children[:gates] = 2 * np.arange(gates) + 1
    slope_row = np.arange(gates + 1, dtype=np.int32)
    shape = native.SoftShape.make(children, slope_row, gates + 1, columns, outputs)
    phi = rng.normal(size=(200, columns)) * (rng.random((200, columns)) < 0.9)
    target = rng.integers(2, size=(200, outputs)) * 1.0
    if loss == 2:
        target = np.eye(outputs)[rng.integers(outputs, size=200)]
    size = gates * (columns + 1) + (gates + 1) * outputs * (columns + 1)
    parameters = rng.normal(size=size)
    for kind in (native.SoftRows64, native.SoftRows32):
        rows = kind.make(phi, target, np.ones(200), loss)
        value, gradient = rows.gradient(shape, parameters)
        told[f"{kind.__name__} {gates} {columns}"] = digest(np.array(value), gradient)
print(json.dumps(told))
"""


def run(program: str, **environment: str) -> Any:
    """What a fresh interpreter prints, read as JSON."""
    inherited = {name: value for name, value in os.environ.items() if name != "SOFTWOOD_SIMD"}
    inherited["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=inherited | environment
    )
    return json.loads(result.stdout)


def fused_paths() -> list[str]:
    """Paths of this machine that must give the bits of `plain`."""
    from softwood.kernels import _native

    return [path for path in _native.simd_paths() if path not in ("plain", "sse2")]


def test_this_machine_has_its_paths() -> None:
    from softwood.kernels import _native

    paths = _native.simd_paths()
    assert paths[-1] == "plain"
    if platform.machine() in ("aarch64", "arm64"):
        assert paths == ["neon", "plain"]
    if platform.machine() in ("x86_64", "AMD64"):
        assert "sse2" in paths


def test_every_path_passes_over_rows_with_the_same_bits() -> None:
    plain = run(PASSES, SOFTWOOD_SIMD="plain")
    assert len(plain) == 10
    for path in fused_paths():
        assert run(PASSES, SOFTWOOD_SIMD=path) == plain, path


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run("import softwood.kernels", SOFTWOOD_SIMD="avx3")
    assert "SOFTWOOD_SIMD must be one of 'avx512', 'avx2', 'sse2', 'neon', 'plain'" in failed.value.stderr
    assert "got 'avx3'" in failed.value.stderr


def test_what_this_machine_has_not_is_refused() -> None:
    other = "avx2" if platform.machine() in ("aarch64", "arm64") else "neon"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run("import softwood.kernels", SOFTWOOD_SIMD=other)
    assert f"SOFTWOOD_SIMD={other}, but this machine and build have" in failed.value.stderr
    assert "'plain'" in failed.value.stderr
