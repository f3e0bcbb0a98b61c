"""Any table in, numbers out: knows narwhals and scikit-learn's checks, and no estimator."""
