"""Linear discriminant and omnivariate trees."""
