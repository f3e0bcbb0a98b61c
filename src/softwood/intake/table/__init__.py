"""Rows in memory: table, target, weights, groups, and an estimate of the memory of a fit."""
