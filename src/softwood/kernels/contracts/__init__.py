"""What kernels take and give: both twins, `native` and `reference`, keep to it."""
