"""The learned parameters, and the kinds of trees."""
