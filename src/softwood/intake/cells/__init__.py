"""Cells and columns: numbers, labels, dates, frames, sparse matrices."""
