"""How long a summary is. Pure."""

from feeds.normalizing.text import count_words


def count(text: str, language: str) -> int:
    """The words of a text as the limits count them: words between spaces, and characters where a script has none.

    SPEC §5 has pairs of characters for words in Chinese and Japanese, and n characters are n - 1 pairs; so a summary of
    50 to 75 words has 50 to 75 characters there, punctuation aside. Han characters in Korean are parts of words.
    """
    if language == "ko":
        return len(text.split())
    n_words, n_characters = count_words(text)
    return n_words + n_characters
