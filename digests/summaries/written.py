"""Whether a text that a language model wrote may be shown as the summary of an article. Pure.

A model invents, runs on, talks to whoever asked, answers in another language, and does what the article tells it. None
of that can be excluded by asking; what can be checked cheaply is checked here, and what fails is not shown:

- one paragraph of whole sentences within the words allowed (`LEAST_SHARE`), without markup, addresses, and talk;
- the article's script and language, and most of its words from the article (`LEAST_SHARED`);
- every number in it stands in the title or the text, as figures or in words;
- so does every name: words with a capital, at the beginning of a sentence unless they are common there; in German,
  where all nouns have one, two of them in a row; in Chinese and Japanese what is written in Latin letters or katakana.

What this does not see: a false statement in the article's own words.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from digests.kinds import Words
from digests.summaries.blocks import READ_CHARACTERS, shown
from digests.summaries.boilerplate import is_balanced, is_ended
from digests.summaries.counting import count
from digests.summaries.languages import SPACELESS, language_of
from digests.summaries.sentences import sentences
from digests.summaries.tables import any_of, rows
from digests.summaries.weighing import terms_of
from digests.summaries.written_words import NUMBERS, OF_THE_ARTICLE, OPENERS, TALK
from feeds.dedup.name_tables import FUNCTION_WORDS
from reader.learning.stop_words import stop_words

LEAST_SHARE = 0.9  # of `words.least` that a written summary has; `words.most` is kept to the word
LEAST_SHARED = 0.5  # of its terms that the article has, from which on it is about the article and in its language
LEAST_SHARED_PAIRS = 0.4  # likewise for pairs of characters, which a paraphrase changes more
MOST_CHARACTERS = 4000  # of an answer, or it is not looked at

_THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_HEADING = re.compile(
    r"\A[^\n]{1,90}[:：]\**\s*\n+(?=\S)|\A(?:\*\*)?(?:Summary|SUMMARY|Zusammenfassung|Résumé|Resumen)(?:\*\*)?\s?:\s"
)
_AROUND = (('"', '"'), ("“", "”"), ("«", "»"), ("„", "“"), ("「", "」"))
_MARKUP = re.compile(r"\*\*|__|^#|```|</?[a-zA-Z]|\]\(|^[-*•] |[{}<>|\\]|&[a-z]+;", re.MULTILINE)
_ADDRESS = re.compile(r"https?:|www\.|\S@\S+\.\w|\b[\w-]+\.(?:com|org|net|io|co|info)\b", re.IGNORECASE)
_FIGURES = re.compile(r"\d+(?:[.,’'\u00a0\u202f ]\d{3})+(?!\d)|\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,’'\u00a0\u202f ]\d{3})+")
_WORD = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?")
_LATIN = re.compile(r"[A-Za-z][A-Za-z-]+")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_KANA = re.compile("[\u3041-\u30fa]")
_SCRIPTS = (("LATIN", "a"), ("CYRILLIC", "б"), ("CJK", "字"), ("HIRAGANA", "字"), ("KATAKANA", "字"), ("HANGUL", "한"))
_INFLECTED = frozenset(("ru", "uk", "be", "bg", "sr", "hr", "pl", "cs", "sk", "lt", "lv", "fi", "et", "hu", "tr", "el"))
_ENDING, _STEM = 3, 3  # there, letters by which a name may differ, and those at least that it shares
_SHORT_ENDING, _LONG_STEM = 2, 5  # elsewhere: "Russian" for "Russia", not "Anna" for "Ann"


def cleaned(said: str) -> str:
    """What a model said, without thoughts before it, a fence or quotation marks around it, and a heading over it."""
    text = _THOUGHTS.sub(" ", said[: 4 * MOST_CHARACTERS]).strip()
    if fenced := _FENCE.match(text):
        text = fenced[1].strip()
    text = _HEADING.sub("", text, count=1).strip()
    for opening, closing in _AROUND:
        inner = text[1:-1]
        if text.startswith(opening) and text.endswith(closing) and opening not in inner and closing not in inner:
            text = inner.strip()
    return "\n".join(filter(None, map(shown, text.splitlines())))


def objection_to(summary: str, *, title: str, text: str, language: str, words: Words) -> str:
    """What is wrong with a summary, as a clause to follow "that answer"; "" when it may be shown."""
    text = text[:READ_CHARACTERS]
    language = language_of(text, language)
    return (
        _wrong_form(summary)
        or _wrong_length(summary, language, words)
        or _wrong_language(summary, f"{title}\n{text}", language)
        or _invented(summary, f"{title}\n{text}", language)
    )


def _wrong_form(summary: str) -> str:
    if not summary:
        return "was empty"
    if len(summary) > MOST_CHARACTERS:
        return "was far too long"
    if _talk().search(summary.lower()):
        return "spoke to the reader or of itself"
    if _of_the_article().match(summary.lower()):
        return "told about the article and not what it tells"
    if "\n" in summary:
        return "had more than one paragraph"
    if _MARKUP.search(summary) or _ADDRESS.search(summary):
        return "held markup or an address"
    if not is_ended(summary) or not is_balanced(summary):
        return "did not end with a whole sentence"
    return ""


def _wrong_length(summary: str, language: str, words: Words) -> str:
    n_words = count(summary, language)
    unit = "characters" if language in SPACELESS else "words"
    if n_words > words.most:
        return f"had {n_words} {unit} where {words.most} are allowed"
    if n_words < LEAST_SHARE * words.least:
        return f"had {n_words} {unit} where {words.least} are needed"
    return ""


def _wrong_language(summary: str, article: str, language: str) -> str:
    wrong = "was not in the language of the article"
    if _script(summary) != _script(article):
        return wrong
    if language in SPACELESS and bool(_KANA.search(summary)) != bool(_KANA.search(article)):
        return wrong
    guessed, of_article = language_of(summary, ""), language_of(article, "")
    if guessed and of_article and guessed != of_article:
        return wrong
    terms, known = terms_of(summary, language), terms_of(article, language)
    least = LEAST_SHARED_PAIRS if language in SPACELESS else LEAST_SHARED
    if len(terms & known) < least * len(terms):
        return "used too few of the article's own words"
    return ""


def _invented(summary: str, article: str, language: str) -> str:
    known_numbers = _numbers(article, language)
    for number in sorted(_numbers(summary, language) - known_numbers):
        return f"held the number {number}, which is not in the article"
    vocabulary = {_folded(word) for word in _WORD.findall(article)}
    for name in _names(summary, language):
        if not _is_known(_folded(name), vocabulary, language):
            return f'held the name "{name[:40]}", which is not in the article'
    katakana = _KATAKANA.findall(summary) if language == "ja" else []
    if any(word not in article for word in katakana):
        return "held a name that is not in the article"
    return ""


def _numbers(text: str, language: str) -> set[str]:
    """The numbers of a text in one spelling: "1,200", "1 200" as 1200, "3,5" as 3.5, "three" as 3."""
    text = unicodedata.normalize("NFKC", text)
    found = {_plain(figures) for figures in _FIGURES.findall(text)}
    in_words = _number_words(language)
    return found | {in_words[word] for word in _WORD.findall(text.lower()) if word in in_words}


def _plain(figures: str) -> str:
    if _THOUSANDS.fullmatch(figures):
        return re.sub(r"\D", "", figures)
    return figures.replace(",", ".")


def _names(summary: str, language: str) -> Iterator[str]:
    """The words of a summary that may be names."""
    if language in SPACELESS:
        yield from _LATIN.findall(summary)
        return
    openers = stop_words(language) | _openers(language)
    for sentence in sentences(summary, language):
        found = [match[0] for match in _WORD.finditer(sentence.text)]
        for at, word in enumerate(found):
            if not word[0].isupper() or (at == 0 and word.lower() in openers):
                continue
            neighbours = found[max(0, at - 1) : at] + found[at + 1 : at + 2]
            in_a_row = any(each[0].isupper() for each in neighbours)
            if language != "de" or in_a_row or any(map(str.isupper, word[1:])):
                yield word


def _is_known(name: str, vocabulary: set[str], language: str) -> bool:
    """Whether a folded word stands in the article, perhaps in another case, or is a function word."""
    if name in vocabulary or name in FUNCTION_WORDS:
        return True
    if "-" in name and all(_is_known(part, vocabulary, language) for part in name.split("-") if part):
        return True
    ending, least = (_ENDING, _STEM) if language in _INFLECTED else (_SHORT_ENDING, _LONG_STEM)
    stem = name[: max(least, len(name) - ending)]
    return len(stem) >= least and any(
        word.startswith(stem) and abs(len(word) - len(name)) <= ending for word in vocabulary
    )


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKC", word).replace("’", "'").casefold()
    return plain.removesuffix("'s").removesuffix("'")


def _script(text: str) -> str:
    """The script that most letters of a text are written in, kana taken together with Han."""
    counts: dict[str, int] = {}
    for letter in filter(str.isalpha, text[:READ_CHARACTERS]):
        name = unicodedata.name(letter, "")
        script = next((script for prefix, script in _SCRIPTS if name.startswith(prefix)), name.partition(" ")[0])
        counts[script] = counts.get(script, 0) + 1
    return max(counts, key=lambda script: counts[script], default="")


@cache
def _number_words(language: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in NUMBERS.get(language, "").split())
    return {word: figures for word, _, figures in pairs}


@cache
def _openers(language: str) -> frozenset[str]:
    return frozenset(OPENERS.get(language, "").split())


@cache
def _talk() -> re.Pattern[str]:
    return re.compile(any_of(rows(TALK)))


@cache
def _of_the_article() -> re.Pattern[str]:
    return re.compile(any_of(rows(OF_THE_ARTICLE)))
