"""Hypothesis without a stopwatch: a busy machine is no failed law."""

from hypothesis import settings

settings.register_profile("softwood", deadline=None)
settings.register_profile("sanitize", deadline=None, max_examples=25)
settings.load_profile("softwood")
