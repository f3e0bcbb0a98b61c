"""Formulas in NumPy that reference kernels, learners and readers of a tree share, without native twins."""
