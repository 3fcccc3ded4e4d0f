"""Words for finding and comparing names: spellings of places and organizations, titles, legal forms, and non-names.

All entries are normalized as by `feeds.dedup.entities.normalized`: lower case, no dots in abbreviations. The tables are
short on purpose: they hold what is in the news every day and what is most often mistaken for a name in labelled news. A
missing entry costs a match and never makes a wrong one.
"""

from feeds.word_lists import read_rows, read_words


def _spellings(kind: str) -> dict[str, str]:
    """The canonical name of each spelling: abbreviations, inhabitants and other languages."""
    rows = [row[1:] for row in read_rows("feeds.dedup", "known_names.tsv") if row[0] == kind]
    return {spelling: name for name, others in rows for spelling in (name, *others.split(" | "))}


COUNTRIES = _spellings("country")
KNOWN_ORGANIZATIONS = _spellings("organization")

_WORDS = read_words("feeds.dedup", "entity_words.tsv")
TITLES = _WORDS["titles"]
LEGAL_FORMS = _WORDS["legal_forms"]
LEGAL_FORMS_BEFORE = _WORDS["legal_forms_before"]
SUFFIXES = _WORDS["suffixes"]
DAYS_AND_MONTHS = _WORDS["days_and_months"]
FUNCTION_WORDS = _WORDS["function_words"]
NOT_NAMES = DAYS_AND_MONTHS | FUNCTION_WORDS | _WORDS["not_names"]
AGENCIES = frozenset({"associated press", "getty images", "риа новости", "agence france-presse"})  # sources, not news
