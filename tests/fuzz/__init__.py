"""Random tables, random parameters, every estimator: what must hold of each. `python -m tests.fuzz --help`."""
