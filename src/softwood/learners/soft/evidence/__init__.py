"""A sum of curves whose smoothness the rows choose themselves: restricted likelihood in place of held-out rows."""
