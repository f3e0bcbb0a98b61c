"""Hypothesis without deadlines, because a machine may be busy. One Chromium for all tests that open a page.

Tests that share a costly fixture stay in one worker. In tests marked `fewer`, `make test` runs only enough cases for
every value of every parameter to occur; `make test-long` runs the others.
"""

from __future__ import annotations

import gc
import html
import shutil
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from tests.examples import IS_LONG

settings.register_profile("softwood", deadline=None, max_examples=400 if IS_LONG else 50)
settings.register_profile("sanitize", deadline=None, max_examples=25)
settings.load_profile("softwood")


WARM = {"warm_process", "WarmProcess"}  # names in modules whose tests start such processes


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases = defaultdict(list)
    for item in items:
        if shared := _shared_place(item):
            item.add_marker(pytest.mark.xdist_group(shared))
        if item.get_closest_marker("fewer") and not item.get_closest_marker("long"):
            cases[item.nodeid.split("[")[0]].append(item)
    for group in cases.values():
        mark = group[0].get_closest_marker("fewer")
        kept = _choose_cases({item.nodeid: _values(item) for item in group}, *mark.args) if mark else set()
        for item in group:
            if item.nodeid not in kept:
                item.add_marker("long")


def _shared_place(item: Any) -> str:
    """The file that defines a fixture shared with other tests: a browser, a cluster, a built site, a fitted model.

    Tests that share one run in the same worker (`--dist loadgroup`), so that it is built once. So do those that fork
    processes from the server of tests/warm_process.py, which takes seconds to import all it has; and the cases of one
    test, which come to a worker at once: most take less time than it takes to ask for the next one.
    """
    if WARM & vars(getattr(item, "module", None) or object).keys():
        return "warm"
    info = getattr(item, "_fixtureinfo", None)
    found = {
        (one.scope == "session", one.baseid)
        for made in (info.name2fixturedefs.values() if info else ())
        for one in made
        if one.scope in ("session", "module") and one.baseid.startswith("tests")
    }
    own = f"{item.path.stem}.{item.originalname}" if hasattr(item, "callspec") else ""
    return max(found, default=(False, own))[1]


def pytest_collection_finish() -> None:
    """Imported objects stay: freeze them, so that the garbage collector skips them."""
    gc.collect()
    gc.freeze()


def _values(item: Any) -> frozenset[tuple[str, str]]:
    """Parameters of a case with their values."""
    return frozenset((name, repr(value)) for name, value in item.callspec.params.items())


def _choose_cases(cases: dict[str, frozenset[tuple[str, str]]], least: int = 1) -> set[str]:
    """Names of cases in which every value of every parameter occurs, except seeds."""
    wanted = {value for case in cases.values() for value in case if value[0] != "seed"}
    order = sorted(cases, key=lambda name: zlib.crc32(name.encode()))  # so that no two parameters go in step
    chosen: set[str] = set()
    while wanted:
        best = max(order, key=lambda name: len(cases[name] & wanted))
        chosen.add(best)
        wanted -= cases[best]
    rest = [name for name in order if name not in chosen]
    return chosen | set(rest[: max(least - len(chosen), 0)])


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close the figures of each test: matplotlib warns if there are many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports have the captions of their pictures alone: drawing takes ten times as long as all the rest."""
    told = "softwood.view.reports.markup.Pictures.figure"
    monkeypatch.setattr(told, lambda self, draw, told, natural=False, **size: f"<figure>{html.escape(told)}</figure>")


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
