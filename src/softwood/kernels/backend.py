"""Which kernels run, chosen once: native code where it is built, else NumPy.

SOFTWOOD_KERNELS=reference chooses NumPy where both are there; SOFTWOOD_KERNELS=native insists on native code.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

CHOICES = ("", "native", "reference")


def _load() -> Any:
    """The native module; None where the reference is to run."""
    wanted = os.environ.get("SOFTWOOD_KERNELS", "")
    if wanted not in CHOICES:
        raise ImportError(f"SOFTWOOD_KERNELS must be 'native' or 'reference' (or not set), got {wanted!r}.")
    if wanted == "reference":
        return None
    try:
        from softwood.kernels import _native
    except ImportError as failure:
        if wanted == "native":
            raise ImportError(
                f"SOFTWOOD_KERNELS=native, but the native kernels are not built ({failure})."
            ) from failure
        warnings.warn(
            f"softwood runs on its slow NumPy kernels: the native ones are not built ({failure}). "
            "Install a C++ compiler and reinstall: pip install --force-reinstall --no-cache-dir softwood",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    return _native


native: Any = _load()
kernels = "reference" if native is None else "native"
