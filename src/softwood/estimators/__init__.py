"""scikit-learn classes, thin: read the data, call a learner, remember the tree."""
