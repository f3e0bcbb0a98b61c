"""Benches: never imported by the package."""
