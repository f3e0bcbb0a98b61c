"""Hard trees whose gates may look at many inputs: what linear discriminant and omnivariate trees share."""
