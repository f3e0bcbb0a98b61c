"""A page as PDF: printed by the Chromium (or Chrome, or Edge) that is installed, else by WeasyPrint."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from softwood.formats.replace import replace_file

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip
MOST_SECONDS = 300  # of one print; a browser that hangs is stopped
FLAGS = ("--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer", "--print-to-pdf-no-header")
Printer = Callable[[str, Path], None]


def find_printer(to: str | os.PathLike[str]) -> Printer:
    """The function that prints a page to the file `to`; an error before any work if there is none."""
    path = Path(to)
    if path.suffix.lower() != ".pdf":
        raise ValueError(f"to must be a file that ends in .pdf, got {str(to)!r:.80}; path is for the page in HTML.")
    if path.is_dir() or not path.parent.is_dir():
        wrong = "is a folder" if path.is_dir() else f"is in {str(path.parent)!r:.80}, which does not exist"
        raise ValueError(f"to={str(to)!r:.80} {wrong}; name a file in a folder that exists.")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is not None:
        found = browser
        return lambda text, target: _print_by_browser(found, text, target)
    if find_spec("weasyprint") is not None:
        return _print_by_weasyprint
    raise ImportError(
        "a report as PDF needs Chromium, Chrome or Edge on the PATH (apt-get install chromium), or WeasyPrint (pip "
        "install weasyprint). Without them, write the page to path='report.html' and print it from any browser."
    )


def _print_by_browser(browser: str, text: str, target: Path) -> None:
    """Write the page next to the target (a sandboxed browser may read nothing elsewhere), print and move it."""
    with TemporaryDirectory(prefix="softwood-pdf-", dir=target.parent, ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        page, printed = folder / "page.html", folder / "page.pdf"
        page.write_bytes(text.encode(errors="xmlcharrefreplace"))
        root = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []  # Chromium refuses root otherwise
        own = [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={printed}"]
        try:
            done = subprocess.run(
                [browser, *FLAGS, *root, *own, page.as_uri()], stdin=subprocess.DEVNULL, capture_output=True,
                timeout=MOST_SECONDS, check=False,
            )  # fmt: skip
            why = f"exit code {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}"
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
        if not printed.is_file() or not printed.read_bytes().startswith(b"%PDF"):
            raise OSError(f"{browser} printed no PDF ({' '.join(why.split())}); print the page from a browser.")
        replace_file(target, (printed.read_bytes(),))


def _print_by_weasyprint(text: str, target: Path) -> None:
    from weasyprint import HTML

    replace_file(target, (HTML(string=text).write_pdf(),))
