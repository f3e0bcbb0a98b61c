"""Hard trees whose gates may use many inputs: the common part of linear discriminant and omnivariate trees."""
