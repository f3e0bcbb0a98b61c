"""Memory and threads of a process, from Linux."""

from __future__ import annotations

import os
import resource
from pathlib import Path

MIB = 2**20


def held(pid: int | None = None) -> float:
    """MiB of memory that a process holds now."""
    pages = int(Path(f"/proc/{pid or os.getpid()}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MIB


def n_threads(pid: int) -> int:
    """Threads of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))
