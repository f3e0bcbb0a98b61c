"""Do two commits learn the same trees? Every estimator on twelve data sets, the arrays of each tree by their hash."""
