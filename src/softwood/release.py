"""The version of softwood. Imported by all packages, imports none."""

__version__ = "0.1.0"
