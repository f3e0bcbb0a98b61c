"""Growth: split candidates, split steps, the grower."""
