"""Benches: peers side by side. Never imported by the package."""
