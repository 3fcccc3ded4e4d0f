"""Pictures of every page, for the eye: `make screenshots`."""
