"""Learners of budding trees."""
