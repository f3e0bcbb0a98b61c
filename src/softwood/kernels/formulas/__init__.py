"""Formulas in NumPy that reference kernels, learners and readers of a tree share: nothing here has a native choice."""
