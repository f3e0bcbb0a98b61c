"""The command `softwood`, also as `python -m softwood`.

Importing the commands takes a third of a second. A signal in that time ends the process at once, with the exit code of
`cli/failure.py` and without a traceback: nothing has been written yet. Later `cli/failure.py` handles signals.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn


def main() -> None:
    """Run the command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as by nohup
        signal.signal(signal.SIGINT, _end_at_once)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_at_once)
    try:
        from softwood.cli import app
    except ImportError as failure:  # SOFTWOOD_SIMD, SOFTWOOD_KERNELS, a package that is not installed
        if "--debug" in sys.argv:
            raise
        print(f"softwood: {failure}", file=sys.stderr)
        sys.exit(2)
    app(prog_name="softwood")


def _end_at_once(number: int, frame: Any) -> NoReturn:
    os.write(2, b"softwood: stopped before any work.\n")
    os._exit(128 + number)  # raising could be lost in an import, or print a traceback


if __name__ == "__main__":
    main()
