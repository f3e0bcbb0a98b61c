"""The choice of kernels, made once: native code if it is built, else NumPy.

`choose` is the one way to get a kernel that has twins; `softwood.kernels` and `softwood.kernels.arithmetic` list them.

SOFTWOOD_KERNELS=reference selects NumPy; SOFTWOOD_KERNELS=native requires native code.
SOFTWOOD_SIMD selects the instruction set of native code: 'avx512', 'avx2' or 'sse2' on x86-64, 'neon' on ARM, 'plain'
everywhere. Not set: the fastest that the machine has. All but 'sse2' give the same bits.
"""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

CHOICES = ("", "native", "reference")
SIMD = ("avx512", "avx2", "sse2", "neon", "plain")

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _load() -> Any:
    """The native module; None for the reference."""
    wanted = os.environ.get("SOFTWOOD_KERNELS", "")
    if wanted not in CHOICES:
        raise ImportError(f"SOFTWOOD_KERNELS must be 'native' or 'reference' (or not set), got {wanted!r}.")
    if wanted == "reference":
        return None
    try:
        return import_module("softwood.kernels._native")
    except ImportError as failure:
        if wanted == "native":
            raise ImportError(
                f"SOFTWOOD_KERNELS=native, but the native kernels are not built ({failure})."
            ) from failure
        warnings.warn(
            f"softwood uses its slow NumPy kernels, because the native ones are not built ({failure}). "
            "Install a C++ compiler and reinstall: pip install --force-reinstall --no-cache-dir softwood",
            RuntimeWarning,
            stacklevel=3,
        )
        return None


def _choose_simd(native: Any) -> str:
    """The instruction set in use, after SOFTWOOD_SIMD; '' for the reference."""
    wanted = os.environ.get("SOFTWOOD_SIMD", "")
    if wanted and wanted not in SIMD:
        raise ImportError(f"SOFTWOOD_SIMD must be one of {', '.join(map(repr, SIMD))} (or not set), got {wanted!r}.")
    if native is None:
        return ""
    if wanted and not native.use_simd_path(wanted):
        raise ImportError(
            f"SOFTWOOD_SIMD={wanted}, but this machine and build have {', '.join(map(repr, native.simd_paths()))}. "
            "Choose one of these, or unset SOFTWOOD_SIMD."
        )
    return str(native.simd_path())


native: Any = _load()
simd = _choose_simd(native)
if native is not None:
    atexit.register(native.end_threads)  # daemon threads in native code: native/bind/interpreter_lock.hpp
kernels = "reference" if native is None else "native"


def choose(reference: Kernel) -> Kernel:
    """The kernel in use: `reference` or, if native code is built, its twin of the same name and interface."""
    if native is None:
        return reference
    home = reference.__module__.partition(".reference")[0]
    twin: Kernel = getattr(import_module(f"{home}.native"), reference.__name__)
    return twin


def find_native(name: str) -> Any:
    """A native kernel whose reference is a learner's own code, which runs if the kernel is not built (None)."""
    return None if native is None else getattr(import_module("softwood.kernels.native"), name)
