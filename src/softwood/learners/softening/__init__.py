"""Hard trees softened: ramps in place of thresholds."""
