"""Which softwood this is; known to all rooms, knows none."""

__version__ = "0.1.0"
