"""Whether two commits learn the same trees: every estimator on twelve data sets, with a hash of each tree's arrays."""
