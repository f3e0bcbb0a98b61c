"""Benchmarks: modules do not depend on each other, and the package never imports them."""
