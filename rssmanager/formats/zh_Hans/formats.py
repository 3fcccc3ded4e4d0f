"""Chinese figures in groups of three (12,345); Django's own aren't grouped."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
