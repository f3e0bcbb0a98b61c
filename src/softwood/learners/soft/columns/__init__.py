"""The columns in which gates and responses are linear: the design matrix, curves, knots."""
