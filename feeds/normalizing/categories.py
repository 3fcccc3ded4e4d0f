"""What an entry is filed under, in normal case, known synonyms mapped."""

from collections.abc import Mapping

MOST_CATEGORIES = 40
LONGEST_CATEGORY = 100  # characters; longer ones are sentences
_ACRONYM_LETTERS = 4  # capitals up to so many are taken for an acronym: AI, NASA


def categories_of(raw: tuple[str, ...], synonyms: Mapping[str, str]) -> tuple[str, ...]:
    """Each category once, whatever its case; `synonyms` has lower-case keys."""
    found: dict[str, str] = {}
    for text in raw:
        name = " ".join(text.split())[:LONGEST_CATEGORY].rstrip()
        if not name:
            continue
        name = synonyms.get(name.lower()) or _normal_case(name)
        found.setdefault(name.casefold(), name)
        if len(found) == MOST_CATEGORIES:
            break
    return tuple(found.values())


def _normal_case(name: str) -> str:
    """`TECHNOLOGY` and `technology` become `Technology`; `AI`, `iOS` and `New York` stay."""
    if name.islower() or (name.isupper() and any(len(word) > _ACRONYM_LETTERS for word in name.split())):
        return name[:1].upper() + name[1:].lower()
    return name
