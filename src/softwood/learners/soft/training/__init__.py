"""The rows of one fit: a sample in memory and the engine that sums over all rows."""
