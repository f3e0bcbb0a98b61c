"""Figures of docs/results/trust.md.

    python -m bench.trust memory     100,000 small fits and 10,000,000 predictions of one row: memory of the process
    python -m bench.trust stream     partial_fit over 10,000,000 rows: rows/s, memory, drift, killed and resumed
    python -m bench.trust single     one row at a time, learned and predicted, against scikit-learn and river
    python -m bench.trust load       the FastAPI example of docs/serving.md: 10,000 requests by 32 clients
    python -m bench.trust sizes      wide, deep and long tables against scikit-learn and LightGBM
    python -m bench.trust footprints memory of a fit of every learner, against its estimate

--scale 0.01 runs a hundredth of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from bench.trust import footprints, load, memory, single_rows, sizes, stream

RUNS: dict[str, Callable[[float], None]] = {
    "memory": memory.run, "stream": stream.run, "load": load.run, "sizes": sizes.run,
    "footprints": footprints.run, "single": single_rows.run,
}  # fmt: skip


def main() -> None:
    """Run the named parts, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", choices=[[], *RUNS], default=[])
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    for name in given.runs or RUNS:
        RUNS[name](given.scale)


if __name__ == "__main__":
    main()
