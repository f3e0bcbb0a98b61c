"""The numbers that are learned, and the kinds of trees that hold them."""
