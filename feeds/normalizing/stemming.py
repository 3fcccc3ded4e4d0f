"""Stems of words by Snowball's rules, in the languages it has rules for. Pure."""

from functools import cache

import Stemmer

ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


@cache
def stemmer_of(language: str) -> Stemmer.Stemmer | None:
    """What stems words of a language (ISO 639-1); None where there are no rules for it."""
    algorithm = ALGORITHMS.get(language)
    return Stemmer.Stemmer(algorithm, 0) if algorithm else None
