"""Learners of hard trees."""
