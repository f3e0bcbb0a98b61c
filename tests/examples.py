"""Number of Hypothesis examples of a law: a third of those in `make test-long`, which sets SOFTWOOD_LONG."""

from __future__ import annotations

import os

from hypothesis import settings

IS_LONG = bool(os.environ.get("SOFTWOOD_LONG"))


def examples(n: int) -> settings:
    """For a law with slow examples: n of them, or a third in `make test`."""
    return settings(max_examples=n if IS_LONG else max(n // 3, 2))
