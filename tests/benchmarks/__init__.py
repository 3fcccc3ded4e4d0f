"""Benchmarks that print figures and assert nothing: `make bench`."""
