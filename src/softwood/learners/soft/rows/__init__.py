"""Rows of the learner: dataset, bins, moments, scale of the targets."""
