"""Soak tests: constant memory, streams, load, tables of extreme sizes."""
