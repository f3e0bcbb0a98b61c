"""Faults of the environment: out of memory, forks, signals, truncated files."""
