"""How many examples of a law Hypothesis tries: a third of those of `make test-long`, which sets SOFTWOOD_LONG."""

from __future__ import annotations

import os

from hypothesis import settings

IS_LONG = bool(os.environ.get("SOFTWOOD_LONG"))


def examples(n: int) -> settings:
    """For a law whose examples are costly: n of them, or a third in `make test`."""
    return settings(max_examples=n if IS_LONG else max(n // 3, 2))
