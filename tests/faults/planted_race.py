"""A deliberate race, to show that ThreadSanitizer detects races in our kernels from within Python (tests/tsan.sh).

Two threads train one budding tree: the kernel changes its arrays in place without the GIL, and nothing synchronises
the two. Under ThreadSanitizer this program must not reach its end.
"""

from __future__ import annotations

from threading import Barrier, Thread

import numpy as np

from softwood.kernels import train_buds
from softwood.kernels.contracts.online_state import OnlineOptions, init_state, pad_rows
from softwood.kernels.kinds import Loss

ROWS, COLUMNS = 20_000, 3


def main() -> None:
    """Train one state from two threads at once."""
    options = OnlineOptions(Loss.SQUARED, 1e-3)
    state = init_state(COLUMNS, 1, room=15, options=options)
    X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    rows = pad_rows(X), X[:, :1].astype(np.float32), np.ones(ROWS, np.float32)
    begin = Barrier(2)

    def learn() -> None:
        begin.wait()
        train_buds(state, *rows, np.arange(ROWS), options)

    threads = [Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
