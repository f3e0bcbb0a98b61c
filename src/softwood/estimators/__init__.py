"""Thin scikit-learn estimators: they read the data, call a learner and store the tree."""
