"""Settings, accounts, commands and operations. The features are in `feeds`, `reader` and `digests`."""

__version__ = "0.1.0"
