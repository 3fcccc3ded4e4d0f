"""Errors of `account`; each message is a sentence for the person who caused it."""


class AccountError(Exception):
    """The root."""


class DataRefused(AccountError):
    """A file is not one that this program exports, or is larger than anything it exports."""
