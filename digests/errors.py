"""Errors of `digests`; each message is a sentence for the person who caused it."""


class DigestsError(Exception):
    """The root."""


class PlanRefused(DigestsError, ValueError):
    """A digest cannot be planned like that; `field` is the one of the plan that is wrong."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field
