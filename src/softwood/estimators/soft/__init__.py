"""Soft trees."""
