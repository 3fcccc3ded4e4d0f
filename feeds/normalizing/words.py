"""Words, also of languages that do not put spaces between them.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are read as overlapping pairs of characters: no dictionary, no wrong cuts,
and two texts that share words share pairs. Everything that says words, shingles or terms goes through here (SPEC §5).
"""

import re

WORDS_PER_MINUTE = 238  # strategy.md step 2
CHARACTERS_PER_MINUTE = 500  # of Chinese and Japanese, SPEC §5
LETTERS_PER_MINUTE = 1070  # of Thai and its neighbours: 238 words of 4.5 letters

_EAST_ASIAN = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17dd"
_EAST = re.compile(f"[{_EAST_ASIAN}]")
_SOUTH_EAST = re.compile(f"[{_SOUTH_EAST_ASIAN}]")
_TOKEN = re.compile(f"[{_EAST_ASIAN}]+|[{_SOUTH_EAST_ASIAN}]+|[^\\W_]+(?:['’][^\\W_]+)*")
_UNSPACED = re.compile(f"[{_EAST_ASIAN}{_SOUTH_EAST_ASIAN}]")


def words(text: str) -> list[str]:
    """The words of a text in lower case and in order; of unspaced scripts the overlapping pairs of each run."""
    found: list[str] = []
    for token in _TOKEN.findall(text.lower()):
        if len(token) > 1 and _UNSPACED.match(token):
            found += [token[i : i + 2] for i in range(len(token) - 1)]
        else:
            found.append(token)
    return found


def count_words(text: str) -> tuple[int, int]:
    """Number of words (each character of an unspaced script counts as one) and seconds to read them."""
    if text.isascii():
        n_spaced = len(text.split())
        return n_spaced, round(n_spaced * 60 / WORDS_PER_MINUTE)
    n_east, n_south_east = len(_EAST.findall(text)), len(_SOUTH_EAST.findall(text))
    spaced = _UNSPACED.sub(" ", text) if n_east or n_south_east else text
    n_spaced = sum(1 for token in spaced.split() if any(map(str.isalnum, token)))
    minutes = n_spaced / WORDS_PER_MINUTE + n_east / CHARACTERS_PER_MINUTE + n_south_east / LETTERS_PER_MINUTE
    return n_spaced + n_east + n_south_east, round(minutes * 60)
