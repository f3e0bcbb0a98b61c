"""Pages opened in the browser of tests/conftest.py; any console message is a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file and wait until it is drawn; at the end there must be no console message and no further request."""
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
