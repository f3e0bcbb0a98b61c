"""Whether a tree is beyond doubt, as native/sound.cpp can tell of common trees at a glance."""

from __future__ import annotations

from typing import Any


def is_sound(tree: Any) -> bool:
    """False: look closer. tree/invariants.py is the definition, and names what is wrong."""
    return False
