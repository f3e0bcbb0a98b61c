"""Softening of hard trees: ramps in place of thresholds."""
