"""Rows in parts: files, batches, clusters, and the first pass over them."""
