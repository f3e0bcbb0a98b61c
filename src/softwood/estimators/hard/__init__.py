"""CART and C4.5."""
