"""The learner's rows: dataset, bins, moments, the scale of targets."""
