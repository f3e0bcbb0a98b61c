"""Budding trees."""
