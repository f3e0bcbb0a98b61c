"""Forests of soft trees: the search runs once, then several trees of the chosen kind grow on different rows."""
