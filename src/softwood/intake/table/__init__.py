"""Rows in memory: table, target, weights, groups, and the memory that a fit will take."""
