"""Rows in, Tree out. Functions that know nothing of scikit-learn."""
