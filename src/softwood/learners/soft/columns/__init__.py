"""Columns that gates and responses are linear in: the design matrix, curves, knots."""
