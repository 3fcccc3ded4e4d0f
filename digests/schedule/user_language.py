"""The language a user gets digests and emails in."""

from contextlib import AbstractContextManager

from django.utils.translation import override

from reader.preferences.store import language_of


def in_language_of(user_id: int) -> AbstractContextManager[None]:
    """Activate the user's language, or the installation's default; one query."""
    return override(language_of(user_id))
