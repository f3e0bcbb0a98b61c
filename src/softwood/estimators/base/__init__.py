"""Shared by all families: the base class, transactional fits, intervals, losses, progress."""
