"""Stems words by Snowball's rules, in the languages it has rules for. Pure."""

from functools import cache

import Stemmer

_ISO_CODES = "ar ca cs da de el en eo es et eu fa fi fr ga hi hu hy id it lt nb ne nl nn no pl pt ro ru sv ta tr yi"
STEMMED_LANGUAGES = frozenset(_ISO_CODES.split())


@cache
def get_stemmer(language: str) -> Stemmer.Stemmer | None:
    """Return the stemmer of a language (ISO 639-1), None if there are no rules for it."""
    if language not in STEMMED_LANGUAGES:
        return None
    return Stemmer.Stemmer("no" if language in ("nb", "nn") else language, 0)
