"""A skipped test is a test that proves nothing: where CI is set, it fails the run.

Tests, and the processes that they start, look at every tree that a learner makes (softwood/tree/trusted.py).
"""

from __future__ import annotations

import os

import pytest

os.environ["SOFTWOOD_CHECK_TREES"] = "1"


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("CI") and skipped:
        reporter.write_line(f"\n{len(skipped)} skipped, none allowed here; the first: {skipped[0].nodeid}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
