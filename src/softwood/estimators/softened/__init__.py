"""Grown trees whose thresholds are softened."""
