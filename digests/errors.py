"""Errors of `digests`; each message is a sentence for the user."""


class DigestsError(Exception):
    """Base class."""


class PlanRefused(DigestsError, ValueError):
    """A digest can't be planned like that; `field` is the invalid field of the plan."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field
