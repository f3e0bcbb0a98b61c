"""Sparse tables: rows of which only nonzero values are stored."""
