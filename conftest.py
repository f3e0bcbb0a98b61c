"""A skipped test is a test that proves nothing: where CI is set, it fails the run."""

from __future__ import annotations

import os

import pytest


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("CI") and skipped:
        reporter.write_line(f"\n{len(skipped)} skipped, none allowed here; the first: {skipped[0].nodeid}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
