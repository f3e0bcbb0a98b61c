"""A real Chromium, that of the system; a page that says anything in its console fails."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (apt-get install chromium): pages cannot be opened.")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make test does it)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file and wait until it is drawn; at the end no page may have complained or asked for anything else."""
    complaints: list[str] = []
    pages = []

    def load(path: Path, **options: Any) -> Any:
        page = browser.new_page(**{"viewport": {"width": 1440, "height": 860}, **options})
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda problem: complaints.append(str(problem)))
        page.on("request", lambda request: _refuse(complaints, request.url, path))
        page.goto(path.as_uri())
        page.wait_for_function("document.body.dataset.ready === 'true'")
        pages.append(page)
        return page

    yield load
    for page in pages:
        page.close()
    assert complaints == []


def _refuse(complaints: list[str], url: str, path: Path) -> None:
    if url != path.as_uri() and not url.startswith("data:"):
        complaints.append(f"asked for {url}")
