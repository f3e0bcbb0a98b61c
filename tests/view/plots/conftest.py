"""Pictures are drawn without a screen, and closed after every test."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def no_screen() -> Iterator[None]:
    mpl.use("Agg")
    with mpl.rc_context(mpl.rcParamsDefault):
        mpl.use("Agg")
        yield
    pyplot.close("all")
