"""From any table to numbers, by narwhals and scikit-learn's checks; knows no estimator."""
