"""From the chosen parameters to a tree: refit, scales, importances, held-out rows."""
