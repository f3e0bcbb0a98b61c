"""Sparse tables: rows of which only what is not 0 is held."""
