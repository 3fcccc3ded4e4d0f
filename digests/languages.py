"""In which language a person is written to, by whoever makes or sends something for them."""

from contextlib import AbstractContextManager

from django.utils.translation import override

from reader.preferences import language_of


def in_language_of(user_id: int) -> AbstractContextManager[None]:
    """Let everything be said in this person's language meanwhile: the one they chose, else the installation's.

    A query where there is a choice. Whichever language is spoken around does not matter.
    """
    return override(language_of(user_id))
