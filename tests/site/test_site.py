"""The built site: links are valid, nothing is fetched from elsewhere, and it is accessible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

SEEN = ["index.html", "tutorial.html", "gallery/index.html", "results/soft.html", "reference/stats.html"]
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}  # what a browser asks for by itself


class Reader(HTMLParser):
    """What the checks look at: places, links, pictures, headings, and what is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.without_alt: list[str] = []
        self.levels: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt", "").strip():
            self.without_alt.append(given.get("src", "?"))
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag in FETCHED:
            self.fetched.append(given.get(FETCHED[tag], ""))
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.fetched.append(given.get("href", ""))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Reader]:
    read = {}
    for path in site.rglob("*.html"):
        read[path] = Reader()
        read[path].feed(path.read_text(encoding="utf-8"))
    assert len(read) > 40
    return read


def test_every_link_within_the_site_leads_to_a_place(pages: dict[Path, Reader]) -> None:
    def broken(path: Path, reader: Reader) -> Iterator[str]:
        for link in reader.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.name}: {link}"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{path.name}: {link} (no such place)"

    assert [problem for path, reader in pages.items() for problem in broken(path, reader)] == []


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Reader]) -> None:
    outside = [(path.name, one) for path, reader in pages.items() for one in reader.fetched if urlsplit(one).netloc]
    assert outside == []


def test_every_picture_has_words(pages: dict[Path, Reader]) -> None:
    assert [(path.name, reader.without_alt) for path, reader in pages.items() if reader.without_alt] == []


def test_headings_go_down_one_level_at_a_time(pages: dict[Path, Reader]) -> None:
    def jumps(levels: list[int]) -> bool:
        return levels.count(1) != 1 or any(below > above + 1 for above, below in pairwise(levels))

    assert [path.name for path, reader in pages.items() if path.name != "404.html" and jumps(reader.levels)] == []


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_axe_finds_nothing_that_bars_a_reader(site: Path, browser: Any, scheme: str) -> None:
    """axe-core with the rules of WCAG 2 A and AA, in Chromium: names, roles, contrast."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    page = browser.new_context(color_scheme=scheme, viewport={"width": 1300, "height": 900}).new_page()
    for name in SEEN:
        page.goto((site / name).as_uri())
        rules = {"runOnly": ["wcag2a", "wcag2aa"]}
        for problem in axe.run(page, options=rules).response["violations"]:
            found += [(name, problem["id"], node["html"][:120]) for node in problem["nodes"]]
    assert found == []


def test_a_phone_scrolls_down_and_not_aside(site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    wide = []
    for name in SEEN:
        page.goto((site / name).as_uri())
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            wide.append(name)
    assert wide == []


def test_the_home_page_shows_a_live_tree(site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((site / "index.html").as_uri())
    frame = page.frame_locator("iframe.live")
    frame.locator("#step-title").get_by_text("Step").wait_for()
    assert frame.locator("#inputs input[type=range]").count() >= 3


def test_the_search_works_without_a_server(site: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((site / "index.html").as_uri())
    field = page.locator("input.md-search__input")
    field.click()
    page.locator(".md-search-result__meta").get_by_text("Type to start searching").wait_for()  # the index is there
    field.press_sequentially("surrogate")
    found = page.locator(".md-search-result__item")
    found.first.wait_for()
    assert found.count() >= 3
