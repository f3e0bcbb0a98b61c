"""The choice of kernels: native if built, the reference on request or as a fallback."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, warnings
{before}
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    import softwood.kernels
    from softwood import Schema, Tree
    Tree(response=[[1.0]], schema=Schema.plain(1, 1)).output([[0.0]])
print(softwood.kernels.kernels, softwood.kernels.Evaluator.__module__, sum(w.category is RuntimeWarning for w in heard))
for w in heard:
    print(w.message)
"""
NOT_BUILT = 'sys.modules["softwood.kernels._native"] = None'  # importing it raises ImportError


def run(before: str = "", **environment: str) -> list[str]:
    """Lines that a fresh interpreter prints."""
    inherited = {name: value for name, value in os.environ.items() if name != "SOFTWOOD_KERNELS"}
    inherited["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    program = PROGRAM.format(before=before)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=inherited | environment
    )
    return result.stdout.splitlines()


def test_the_reference_runs_where_it_is_asked_for() -> None:
    assert run(SOFTWOOD_KERNELS="reference") == ["reference softwood.kernels.reference.evaluate 0"]


def test_without_the_native_module_the_reference_runs_and_says_so_once() -> None:
    first, warning = run(NOT_BUILT)
    assert first == "reference softwood.kernels.reference.evaluate 1"
    assert "slow NumPy kernels" in warning
    assert "pip install" in warning


def test_asking_for_the_reference_is_silent_without_the_native_module() -> None:
    assert run(NOT_BUILT, SOFTWOOD_KERNELS="reference") == ["reference softwood.kernels.reference.evaluate 0"]


def test_who_insists_on_native_code_gets_no_other() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(NOT_BUILT, SOFTWOOD_KERNELS="native")
    assert "ImportError: SOFTWOOD_KERNELS=native, but the native kernels are not built" in failed.value.stderr


def test_a_choice_that_is_none_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(SOFTWOOD_KERNELS="refrence")
    assert "SOFTWOOD_KERNELS must be 'native' or 'reference' (or not set), got 'refrence'." in failed.value.stderr


def test_these_tests_run_on_the_kernels_they_should() -> None:
    """A build without its native module must fail here."""
    from softwood.kernels import kernels

    assert kernels == ("reference" if os.environ.get("SOFTWOOD_KERNELS") == "reference" else "native")
