"""The content of a model file, and its checks on reading."""
