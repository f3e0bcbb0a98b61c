"""Functions from rows to a Tree, independent of scikit-learn."""
