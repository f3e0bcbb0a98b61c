"""Speed and memory compared with scikit-learn, in one run: `python -m bench.speed` (or `make speed`)."""
