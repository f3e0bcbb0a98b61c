"""Hypothesis without a stopwatch: a busy machine is no failed law. And one Chromium for all tests that open a page."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("softwood", deadline=None)
settings.register_profile("sanitize", deadline=None, max_examples=25)
settings.load_profile("softwood")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Pictures of one test are not open in the next: matplotlib warns where there are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for the whole session: Playwright refuses to start twice in a process."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (apt-get install chromium): pages cannot be opened.")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make test does it)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
