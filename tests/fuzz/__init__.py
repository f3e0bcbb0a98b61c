"""Random tables, random parameters, every estimator: laws that must hold for each. `python -m tests.fuzz --help`."""
