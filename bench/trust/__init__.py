"""Long runs that show what may be trusted: memory that stays flat, streams, load, tables of extreme sizes."""
