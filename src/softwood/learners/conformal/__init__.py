"""Intervals and sets of classes with a chosen coverage, from held-out rows."""
