"""Learners of soft trees."""
