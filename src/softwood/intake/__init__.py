"""From any table to numbers, with narwhals and scikit-learn's checks; independent of estimators."""
