"""Speed and memory beside scikit-learn, in one run: `python -m bench.speed` (or `make speed`)."""
