"""The project: settings and wiring. What it does lives in `feeds`, `reader` and `digests`."""

__version__ = "0.1.0"
