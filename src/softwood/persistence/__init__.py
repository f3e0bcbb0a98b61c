"""What a file of a model holds, and how it is checked when it is read."""
