"""Inputs and outputs of the kernels, for both twins: `native` and `reference`."""
