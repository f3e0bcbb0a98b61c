"""A sum of curves whose smoothness is chosen by restricted likelihood instead of held-out rows."""
